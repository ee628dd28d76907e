import { validate as isUuid } from 'uuid'
import { ProblemError } from '../errors.ts'
import type { Job } from '../job.ts'
import type { Store } from '../store/port.ts'

/** Reads a job. Rejects with `job-not-found`; what is no UUID asks the database nothing. */
export async function readJob(store: Pick<Store, 'read'>, id: string): Promise<Job> {
  const job = isUuid(id) ? await store.read(id.toLowerCase()) : undefined
  if (job === undefined) throw new ProblemError('job-not-found')
  return job
}

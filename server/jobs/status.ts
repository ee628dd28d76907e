import { validate as isUuid } from 'uuid'
import { ProblemError } from '../errors.ts'
import type { Job } from '../job.ts'
import type { Store } from '../store/port.ts'

/** Whose jobs are looked at. */
export interface TenantScope {
  /** Jobs of others are not there. Default: jobs of every tenant are. */
  readonly tenant?: string
}

export type ReadJob = (id: string, scope?: TenantScope) => Promise<Job>

/** Reads a job. Rejects with `job-not-found`; what is no UUID asks the database nothing. */
export function readJob(store: Pick<Store, 'read'>): ReadJob {
  return async (id, { tenant } = {}) => {
    const job = isUuid(id) ? await store.read(id.toLowerCase()) : undefined
    if (job === undefined || (tenant !== undefined && job.tenant !== tenant)) throw new ProblemError('job-not-found')
    return job
  }
}

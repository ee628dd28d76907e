import type { Job } from '../job.ts'
import type { Database } from './database.ts'
import { changed, type JobRow, jobColumns, toJob } from './rows.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_cancel_job',
  text: `
UPDATE async_jobs j SET status = 'CANCELLED', worker_id = NULL, ${changed}
WHERE j.id = $1 AND j.tenant = coalesce($2, j.tenant) AND j.status IN ('PENDING', 'PROCESSING')
RETURNING ${jobColumns}`,
}

/** Marks an active job of a tenant (null: of any) CANCELLED; undefined when it is not active or not there. */
export async function cancelJob(database: Database, tenant: string | null, id: string): Promise<Job | undefined> {
  const [row] = await database.run<JobRow>(statement, [id, tenant])
  return row === undefined ? undefined : toJob(row)
}

import type { JobStatus } from '../job.ts'
import type { Database } from './database.ts'
import type { ReportedJob } from './port.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_read_reported',
  text: 'SELECT type, fencing_token, status FROM async_jobs WHERE id = $1 AND report_key = $2',
}

/** What a reporter needs to know of a job, where its key is the one of the present claim. */
export async function readReported(
  database: Database,
  id: string,
  reportKey: string,
): Promise<ReportedJob | undefined> {
  const [row] = await database.run<{ type: string; fencing_token: number; status: JobStatus }>(statement, [
    id,
    reportKey,
  ])
  return row === undefined ? undefined : { type: row.type, fencingToken: row.fencing_token, status: row.status }
}

import type { Job } from '../job.ts'
import type { Database } from './database.ts'
import { type JobRow, jobColumns, toJob } from './rows.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_read_jobs',
  text: `
SELECT ${jobColumns}, o.value AS output
FROM async_jobs j LEFT JOIN async_job_inputs o ON o.job_id = j.id AND o.part = 'output'
WHERE j.id = ANY($1::uuid[])`,
}

/** Reads jobs by id. @returns those that exist, by id. */
export async function readJobs(database: Database, ids: readonly string[]): Promise<Map<string, Job>> {
  const rows = await database.run<JobRow>(statement, [[...new Set(ids)]])
  return new Map(rows.map((row) => [row.id, toJob(row)]))
}

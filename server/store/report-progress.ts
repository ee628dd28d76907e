import type { JobState } from '../job.ts'
import type { Database } from './database.ts'
import type { ProgressReport } from './port.ts'
import { changed, type StateRow, stateColumns, statesById } from './rows.ts'
import type { Statement } from './statement.ts'

/** Commits asynchronously: progress that a crash of the server loses is only progress. */
const statement: Statement = {
  name: 'async_jobs_report_progress',
  text: `
WITH lazily AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set),
r AS MATERIALIZED (
  SELECT *, 'PROCESSING' AS expected FROM unnest($1::uuid[], $2::integer[], $3::smallint[]) AS u(id, token, percent)
)
UPDATE async_jobs j SET percent_complete = r.percent, ${changed}
FROM lazily, r
WHERE j.id = r.id AND j.fencing_token = r.token AND j.status = r.expected AND lazily.set IS NOT NULL
RETURNING ${stateColumns}`,
}

/** Stores progress of running attempts. @returns the new states by id; a report that is missing was refused. */
export async function reportProgress(
  database: Database,
  reports: readonly ProgressReport[],
): Promise<Map<string, JobState>> {
  const sorted = [...reports].sort((a, b) => (a.id < b.id ? -1 : 1))
  const rows = await database.run<StateRow>(statement, [
    sorted.map((report) => report.id),
    sorted.map((report) => report.fencingToken),
    sorted.map((report) => report.percent),
  ])
  return statesById(rows)
}

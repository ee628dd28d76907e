import type { JobState } from '../job.ts'
import type { Database } from './database.ts'
import { type StateRow, stateColumns, toState } from './rows.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_read_changes',
  text: `
SELECT seen.id AS seen_id, ${stateColumns}
FROM unnest($1::uuid[], $2::integer[]) AS seen(id, version) LEFT JOIN async_jobs j ON j.id = seen.id
WHERE j.id IS NULL OR j.version > seen.version`,
}

/** Of the jobs given with the version last seen, those that changed since; null for those that are gone. */
export async function readChanges(
  database: Database,
  seen: ReadonlyMap<string, number>,
): Promise<Map<string, JobState | null>> {
  const rows = await database.run<StateRow & { seen_id: string; id: string | null }>(statement, [
    [...seen.keys()],
    [...seen.values()],
  ])
  return new Map(rows.map((row) => [row.seen_id, row.id === null ? null : toState(row)]))
}

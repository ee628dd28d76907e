import type { Database } from './database.ts'
import type { Statement } from './statement.ts'

/**
 * Walks the primary key from `$1` to the id that a job of the retention's age would have: ids begin with the time at
 * which they were made, so what is younger is not even looked at. Active jobs, however old, and rows that are locked are
 * stepped over. What refers to a job goes with it, by the foreign keys.
 */
const statement: Statement = {
  name: 'async_jobs_purge_jobs',
  text: `
WITH ended AS MATERIALIZED (
  SELECT j.id FROM async_jobs j
  WHERE j.id > $1 AND j.id < concat(lpad(to_hex(greatest(0,
      floor(extract(epoch FROM {now} - $2 * interval '1 millisecond') * 1000))::bigint), 12, '0'), repeat('0', 20))::uuid
    AND j.status IN ('COMPLETED', 'FAILED', 'CANCELLED')
    AND j.last_updated_at < {now} - $2 * interval '1 millisecond'
  ORDER BY j.id LIMIT $3 FOR UPDATE SKIP LOCKED
)
DELETE FROM async_jobs j USING ended WHERE j.id = ended.id
RETURNING j.id`,
}

export interface PurgeRequest {
  /** How long ago a job must have ended, in milliseconds. */
  readonly olderThanMs: number
  /** The most jobs that one call deletes. */
  readonly limit: number
}

const start = '00000000-0000-0000-0000-000000000000'

/**
 * Makes the function that deletes ended jobs, the oldest first. It goes on where it stopped: while an old snapshot is
 * open, entries of deleted rows stay in the index, and each batch would walk over those of all batches before it. A
 * number below the limit means that nothing is left.
 */
export function purger(database: Database): (request: PurgeRequest) => Promise<number> {
  let from = start
  const deleteAfter = (id: string, { olderThanMs, limit }: PurgeRequest): Promise<{ id: string }[]> =>
    database.run(statement, [id, olderThanMs, limit])
  return async (request) => {
    const begun = from
    const rows = await deleteAfter(begun, request)
    if (rows.length === request.limit) {
      from = rows.reduce((last, { id }) => (id > last ? id : last), start)
      return rows.length
    }
    from = start
    if (begun === start) return rows.length
    const limit = request.limit - rows.length
    return rows.length + (await deleteAfter(start, { ...request, limit })).length
  }
}

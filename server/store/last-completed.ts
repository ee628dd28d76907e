import type { Database } from './database.ts'
import type { CoalescingScope, Completion } from './port.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_last_completed',
  text: `
SELECT last_updated_at AS at, extract(epoch FROM {now} - last_updated_at)::float8 * 1000 AS age_ms
FROM async_jobs
WHERE tenant = $1 AND type = $2 AND coalescing_key = decode($3, 'hex') AND status = 'COMPLETED'
ORDER BY last_updated_at DESC LIMIT 1`,
}

/** When a job of this scope completed last, if any is kept. */
export async function lastCompleted(
  database: Database,
  { tenant, type, coalescingKey }: CoalescingScope,
): Promise<Completion | undefined> {
  const [row] = await database.run<{ at: Date; age_ms: number }>(statement, [tenant, type, coalescingKey])
  return row === undefined ? undefined : { at: row.at, ageMs: row.age_ms }
}

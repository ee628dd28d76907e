import type { Runs } from './database.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_count_pending',
  text: `
SELECT count(*)::integer AS pending
FROM (SELECT FROM async_jobs WHERE type = $1 AND status = 'PENDING' LIMIT $2) AS counted`,
}

/** Counts the waiting jobs of a type, up to a limit. */
export async function countPending(database: Runs, type: string, limit: number): Promise<number> {
  const [row] = await database.run<{ pending: number }>(statement, [type, limit])
  return row?.pending ?? 0
}

import type { Database } from './database.ts'
import type { Statement } from './statement.ts'

const registration: Statement = {
  name: 'async_jobs_register_worker',
  text: `
INSERT INTO async_job_workers (id, name, started_at, expires_at)
VALUES ($1, $2, {now}, {clock} + $3 * interval '1 millisecond')`,
}

/** Begins the lease of a worker. Its id is unique per start: a lease that ran out never lives again. */
export async function registerWorker(
  database: Database,
  { id, name, leaseMs }: { id: string; name: string; leaseMs: number },
): Promise<void> {
  await database.run(registration, [id, name, leaseMs])
}

/** Commits asynchronously: a heartbeat that a crash loses is followed by the next. */
const renewal: Statement = {
  name: 'async_jobs_renew_worker',
  text: `
WITH lazily AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set)
UPDATE async_job_workers w SET expires_at = {clock} + $2 * interval '1 millisecond'
FROM lazily WHERE w.id = $1 AND w.expires_at > {clock} AND lazily.set IS NOT NULL
RETURNING w.id`,
}

/** Renews a lease; false when it has run out. */
export async function renewWorker(database: Database, id: string, leaseMs: number): Promise<boolean> {
  const rows = await database.run(renewal, [id, leaseMs])
  return rows.length === 1
}

const removal: Statement = {
  name: 'async_jobs_remove_worker',
  text: 'DELETE FROM async_job_workers WHERE id = $1',
}

/** Ends a lease at once. */
export async function removeWorker(database: Database, id: string): Promise<void> {
  await database.run(removal, [id])
}

import type { JobFailure, JobState } from '../job.ts'
import type { Database } from './database.ts'
import { changed, type StateRow, stateColumns, toState } from './rows.ts'
import type { Statement } from './statement.ts'

/** Puts a job back while attempts remain, else fails it with the reason in `$1`. */
const settle = `
UPDATE async_jobs j SET worker_id = NULL,
  status = CASE WHEN j.attempt < j.max_attempts THEN 'PENDING' ELSE 'FAILED' END,
  failure = CASE WHEN j.attempt < j.max_attempts THEN NULL ELSE $1::jsonb END,
  percent_complete = CASE WHEN j.attempt < j.max_attempts THEN NULL ELSE j.percent_complete END,
  ${changed}
FROM lost WHERE j.id = lost.id
RETURNING ${stateColumns}`

/**
 * An anti-join with the living workers, not a join with the dead ones: a claim that commits just after its worker's row
 * went is found by the next scan. Only the database's clock says who is dead.
 */
const orphans: Statement = {
  name: 'async_jobs_recover_orphans',
  text: `
WITH dead AS (DELETE FROM async_job_workers WHERE expires_at < {clock}),
lost AS MATERIALIZED (
  SELECT j.id FROM async_jobs j
  WHERE j.status = 'PROCESSING' AND j.worker_id IS NOT NULL AND j.type = ANY($2::text[])
    AND NOT EXISTS (SELECT FROM async_job_workers w WHERE w.id = j.worker_id AND w.expires_at >= {clock})
  ORDER BY j.id LIMIT $3 FOR UPDATE SKIP LOCKED
)
${settle}`,
}

const workerLost: JobFailure = { code: 'worker-lost', title: 'The process that ran the job ended before the job did' }

/** Puts back or fails jobs whose worker is dead. */
export async function recoverOrphans(
  database: Database,
  types: readonly string[],
  limit: number,
): Promise<readonly JobState[]> {
  const rows = await database.run<StateRow>(orphans, [JSON.stringify(workerLost), types, limit])
  return rows.map(toState)
}

const silent: Statement = {
  name: 'async_jobs_recover_silent',
  text: `
WITH lost AS MATERIALIZED (
  SELECT j.id FROM async_jobs j
  WHERE j.status = 'PROCESSING' AND j.worker_id IS NULL AND j.type = ANY($2::text[])
    AND j.last_updated_at < {clock} - $4 * interval '1 millisecond'
  ORDER BY j.id LIMIT $3 FOR UPDATE SKIP LOCKED
)
${settle}`,
}

const noWord: JobFailure = { code: 'processing-timeout', title: 'Nothing was heard of the job for too long' }

/** Puts back or fails fire-and-forget jobs that were silent for too long. */
export async function recoverSilent(
  database: Database,
  types: readonly string[],
  { silentForMs, limit }: { silentForMs: number; limit: number },
): Promise<readonly JobState[]> {
  const rows = await database.run<StateRow>(silent, [JSON.stringify(noWord), types, limit, silentForMs])
  return rows.map(toState)
}

const unheld: Statement = {
  name: 'async_jobs_release_unheld',
  text: `
UPDATE async_jobs j SET status = 'PENDING', worker_id = NULL, attempt = j.attempt - 1, percent_complete = NULL, ${changed}
WHERE j.worker_id = $1 AND j.status = 'PROCESSING'
  AND NOT EXISTS (SELECT FROM unnest($2::uuid[], $3::integer[]) AS held(id, token)
    WHERE held.id = j.id AND held.token = j.fencing_token)
RETURNING ${stateColumns}`,
}

/** Gives back what a worker owns but does not hold: claims that committed while their reply was lost. */
export async function releaseUnheld(
  database: Database,
  workerId: string,
  held: ReadonlyMap<string, number>,
): Promise<readonly JobState[]> {
  const rows = await database.run<StateRow>(unheld, [workerId, [...held.keys()], [...held.values()]])
  return rows.map(toState)
}

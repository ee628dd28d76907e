import type { JobFailure, JobStatus } from '../job.ts'
import type { Runs } from './database.ts'
import type { ClaimedJob, ClaimRequest, CycleResult, Ending } from './port.ts'
import { changed } from './rows.ts'
import type { Statement } from './statement.ts'

/**
 * Ends attempts. The token of a later claim makes an ending change nothing. The expected status comes from the CTE, where
 * the planner cannot see it: as a literal it makes the planner scan the whole index of running jobs once per ending.
 */
const end = `
e AS MATERIALIZED (
  SELECT *, 'PROCESSING' AS expected FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::double precision[], $7::integer[])
    AS u(id, token, status, failure, output, delay_ms, unspent)
),
fin AS (
  UPDATE async_jobs j SET status = e.status, worker_id = NULL, failure = e.failure::jsonb, attempt = j.attempt - e.unspent,
    percent_complete = CASE e.status WHEN 'COMPLETED' THEN 100 WHEN 'PENDING' THEN NULL ELSE j.percent_complete END,
    run_at = CASE WHEN e.delay_ms IS NULL THEN j.run_at ELSE {now} + e.delay_ms * interval '1 millisecond' END,
    ${changed}
  FROM e WHERE j.id = e.id AND j.fencing_token = e.token AND j.status = e.expected
  RETURNING j.id, j.version, j.percent_complete, j.last_updated_at, e.output
),
outputs AS (
  INSERT INTO async_job_inputs (job_id, part, value)
  SELECT id, 'output', output::jsonb FROM fin WHERE output IS NOT NULL
)`

/**
 * Takes due jobs, oldest first, of each share up to its own limit. MATERIALIZED so that no plan can run the locking
 * subquery twice; the outer limit stops the scan, so no row is locked that is not taken.
 */
const claim = (at: number, guard: string): string => `
picked AS MATERIALIZED (
  SELECT k.id
  FROM ${guard}unnest($${at}::text[], $${at + 1}::smallint[], $${at + 2}::timestamptz[], $${at + 3}::integer[])
    AS t(type, priority, floor, lim)
  CROSS JOIN LATERAL (
    SELECT id FROM async_jobs
    WHERE type = t.type AND priority = t.priority AND status = 'PENDING'
      AND run_at <= {now} AND run_at >= coalesce(t.floor, '-infinity')
    ORDER BY run_at, id LIMIT t.lim FOR UPDATE SKIP LOCKED
  ) AS k
  ${guard === '' ? '' : 'WHERE lazily.set IS NOT NULL'}
  LIMIT $${at + 4}
),
got AS (
  UPDATE async_jobs j SET status = 'PROCESSING', attempt = j.attempt + 1, fencing_token = j.fencing_token + 1,
    percent_complete = NULL, worker_id = CASE WHEN j.type = ANY($${at + 6}::text[]) THEN NULL ELSE $${at + 5}::uuid END,
    report_key = CASE WHEN j.type = ANY($${at + 6}::text[]) THEN gen_random_uuid() END,
    ${changed}
  FROM picked WHERE j.id = picked.id
  RETURNING j.id, j.tenant, j.type, j.priority, j.run_at, j.attempt, j.max_attempts, j.fencing_token, j.version,
    j.last_updated_at, j.report_key
)`

const claimedRows = `
SELECT false AS ended, got.id, got.version, NULL::smallint AS percent_complete, got.last_updated_at, got.tenant, got.type,
  got.priority, got.run_at, got.attempt, got.max_attempts, got.fencing_token, got.report_key, i.value AS input
FROM got LEFT JOIN async_job_inputs i ON i.job_id = got.id AND i.part = 'input'`

const endedRows = 'SELECT true AS ended, id, version, percent_complete, last_updated_at'

const endOnly: Statement = { name: 'async_jobs_end', text: `WITH ${end} ${endedRows} FROM fin` }

/** A claim that ends nothing may commit asynchronously: a crash of the server only makes the job be claimed again. */
const claimOnly: Statement = {
  name: 'async_jobs_claim',
  text: `WITH lazily AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set),
${claim(1, 'lazily CROSS JOIN ')} ${claimedRows}`,
}

/** One snapshot serves both halves: a job that is put back here is not claimed here. */
const endAndClaim: Statement = {
  name: 'async_jobs_end_and_claim',
  text: `WITH ${end}, ${claim(8, '')}
${endedRows}, NULL AS tenant, NULL AS type, NULL::smallint AS priority, NULL::timestamptz AS run_at, NULL::integer AS attempt,
  NULL::integer AS max_attempts, NULL::integer AS fencing_token, NULL::uuid AS report_key, NULL::jsonb AS input
FROM fin UNION ALL ${claimedRows}`,
}

interface EndedRow {
  ended: true
  id: string
  version: number
  percent_complete: number | null
  last_updated_at: Date
}

interface ClaimedRow {
  ended: false
  id: string
  tenant: string
  type: string
  priority: number
  run_at: Date
  attempt: number
  max_attempts: number
  fencing_token: number
  version: number
  last_updated_at: Date
  report_key: string | null
  input: unknown
}

/** Stores how attempts ended and claims the next jobs. At least one of the two must be asked for. */
export async function cycle(
  database: Runs,
  endings: readonly Ending[],
  request: ClaimRequest | undefined,
): Promise<CycleResult> {
  const sorted = [...endings].sort((a, b) => (a.id < b.id ? -1 : 1))
  const ends = sorted.length === 0 ? [] : endValues(sorted)
  const claims = request === undefined ? [] : claimValues(request)
  const statement = request === undefined ? endOnly : ends.length === 0 ? claimOnly : endAndClaim
  const rows = await database.run<EndedRow | ClaimedRow>(statement, [...ends, ...claims])
  const byId = new Map(sorted.map((ending) => [ending.id, ending]))
  const ended: [string, EndedState][] = []
  const claimed: ClaimedJob[] = []
  for (const row of rows) {
    if (row.ended) ended.push([row.id, toEnded(row, byId.get(row.id))])
    else claimed.push(toClaimed(row))
  }
  return { ended: new Map(ended), claimed }
}

type EndedState = CycleResult['ended'] extends ReadonlyMap<string, infer State> ? State : never

function toEnded(row: EndedRow, ending: Ending | undefined): EndedState {
  const status: JobStatus = ending?.status ?? 'PROCESSING'
  const failure: JobFailure | null = ending?.failure ?? null
  const { id, version, percent_complete: percentComplete, last_updated_at: lastUpdatedAt } = row
  return { id, status, version, percentComplete, lastUpdatedAt, failure }
}

function toClaimed(row: ClaimedRow): ClaimedJob {
  return {
    id: row.id,
    tenant: row.tenant,
    type: row.type,
    priority: row.priority,
    runAt: row.run_at,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    fencingToken: row.fencing_token,
    version: row.version,
    lastUpdatedAt: row.last_updated_at,
    reportKey: row.report_key,
    input: row.input ?? undefined,
  }
}

function endValues(endings: readonly Ending[]): unknown[] {
  return [
    endings.map((ending) => ending.id),
    endings.map((ending) => ending.fencingToken),
    endings.map((ending) => ending.status),
    endings.map((ending) => (ending.failure === null ? null : JSON.stringify(ending.failure))),
    endings.map((ending) => ending.output),
    endings.map((ending) => ending.delayMs),
    endings.map((ending) => (ending.unspent ? 1 : 0)),
  ]
}

function claimValues({ workerId, shares, total, fireAndForget }: ClaimRequest): unknown[] {
  return [
    shares.map((share) => share.type),
    shares.map((share) => share.priority),
    shares.map((share) => share.floor),
    shares.map((share) => share.limit),
    total,
    workerId,
    fireAndForget,
  ]
}

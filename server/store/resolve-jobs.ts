import type { JobStatus } from '../job.ts'
import type { Runs } from './database.ts'
import type { KeyMismatch, NewJob, Submission } from './port.ts'
import type { Statement } from './statement.ts'

/**
 * Finds what stands for submits that inserted nothing: the key, then a fresh result, then the job in flight. A key that
 * is answered by one of the latter two is bound to it in the same statement (not so where a job in flight only refuses);
 * where another binding was faster the row answers nothing and goes round again, as does one whose job ended or was purged
 * meanwhile.
 */
const found = `
WITH r AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[],
    $8::double precision[], $9::boolean[]) AS u(id, tenant, type, input_hash, key, scope, single_flight, fresh_ms, rejects)
),
found AS MATERIALIZED (
  SELECT r.*, answer.outcome, answer.job_id, answer.for_type
  FROM r CROSS JOIN LATERAL (
    SELECT * FROM (
      SELECT 1 AS rank, k.job_id, k.type AS for_type,
        CASE WHEN k.type = r.type AND k.input_hash = decode(r.input_hash, 'hex') THEN 'idempotent' ELSE 'mismatch' END AS outcome
      FROM async_job_keys k WHERE k.tenant = r.tenant AND k.key = r.key
      UNION ALL
      (SELECT 2, f.id, f.type, 'fresh'
      FROM async_jobs f
      WHERE f.tenant = r.tenant AND f.type = r.type AND f.coalescing_key = decode(r.scope, 'hex') AND f.status = 'COMPLETED'
        AND f.last_updated_at > {now} - r.fresh_ms * interval '1 millisecond'
      ORDER BY f.last_updated_at DESC LIMIT 1)
      UNION ALL
      SELECT 3, a.id, a.type, 'in-flight'
      FROM async_jobs a
      WHERE r.single_flight AND a.single_flight AND a.tenant = r.tenant AND a.type = r.type
        AND a.coalescing_key = decode(r.scope, 'hex') AND a.status IN ('PENDING', 'PROCESSING')
    ) AS candidates ORDER BY rank LIMIT 1
  ) AS answer
)`

/** The answers that need no key to be bound. */
const answers = `
SELECT found.id, found.outcome, found.job_id, found.for_type, j.status
FROM found JOIN async_jobs j ON j.id = found.job_id
WHERE found.key IS NULL OR found.outcome IN ('idempotent', 'mismatch')
  OR (found.outcome = 'in-flight' AND found.rejects)`

const bindAndResolve: Statement = {
  name: 'async_jobs_resolve_jobs',
  text: `${found},
bound AS (
  INSERT INTO async_job_keys (tenant, key, job_id, type, input_hash, created_at)
  SELECT tenant, key, job_id, type, decode(input_hash, 'hex'), {now}
  FROM found WHERE key IS NOT NULL AND (outcome = 'fresh' OR (outcome = 'in-flight' AND NOT rejects)) ORDER BY tenant, key
  ON CONFLICT DO NOTHING
  RETURNING tenant, key
)
${answers}
  OR EXISTS (SELECT FROM bound WHERE bound.tenant = found.tenant AND bound.key = found.key)`,
}

const resolveOnly: Statement = { name: 'async_jobs_read_standing_jobs', text: `${found}${answers}` }

interface Row {
  id: string
  outcome: 'idempotent' | 'mismatch' | 'fresh' | 'in-flight'
  job_id: string
  for_type: string
  status: JobStatus
}

type Answers = Map<string, Submission | KeyMismatch>

/** @returns what stands for each job, by its id; a job that nothing stands for is missing. */
export function resolveJobs(database: Runs, jobs: readonly NewJob[]): Promise<Answers> {
  return run(database, bindAndResolve, jobs)
}

/** The same, but it writes nothing: a job whose key would have to be bound is missing too. */
export function readStandingJobs(database: Runs, jobs: readonly NewJob[]): Promise<Answers> {
  return run(database, resolveOnly, jobs)
}

async function run(database: Runs, statement: Statement, jobs: readonly NewJob[]): Promise<Answers> {
  const rows = await database.run<Row>(statement, [
    jobs.map((job) => job.id),
    jobs.map((job) => job.tenant),
    jobs.map((job) => job.type),
    jobs.map((job) => job.inputHash),
    jobs.map((job) => job.idempotencyKey),
    jobs.map((job) => job.coalescingKey),
    jobs.map((job) => job.singleFlight),
    jobs.map((job) => job.freshForMs),
    jobs.map((job) => job.rejects),
  ])
  return new Map(rows.map((row) => [row.id, toAnswer(row)]))
}

function toAnswer({ outcome, job_id: jobId, for_type: type, status }: Row): Submission | KeyMismatch {
  return outcome === 'mismatch' ? { outcome, jobId, type } : { outcome, jobId, status }
}

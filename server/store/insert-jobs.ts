import type { Runs } from './database.ts'
import type { NewJob } from './port.ts'
import type { Statement } from './statement.ts'

/**
 * Inserts what nothing stands for yet: no key, no fresh result, no job in flight. Sorted by scope and then by key, so
 * that batches of several processes cannot deadlock. The keys carry no ON CONFLICT: a race that is lost raises 23505,
 * inserts nothing, and the batch is sent again with the winner in sight. The lock timeout keeps a caller's open
 * transaction, which may hold the same key, from stalling the batch.
 */
const statement: Statement = {
  name: 'async_jobs_insert_jobs',
  text: `
WITH guard AS MATERIALIZED (SELECT set_config('lock_timeout', '200ms', true) AS set),
r AS MATERIALIZED (
  SELECT u.* FROM guard, unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::boolean[], $9::double precision[], $10::integer[], $11::smallint[], $12::timestamptz[], $13::double precision[])
    WITH ORDINALITY AS u(id, tenant, type, input, input_hash, key, scope, single_flight, fresh_ms, max_attempts, priority,
      due_at, due_in_ms, ord)
  WHERE guard.set IS NOT NULL
),
j AS (
  INSERT INTO async_jobs (id, tenant, type, coalescing_key, single_flight, max_attempts, priority, run_at, created_at,
    last_updated_at)
  SELECT r.id, r.tenant, r.type, decode(r.scope, 'hex'), r.single_flight, r.max_attempts, r.priority,
    greatest({now}, coalesce(r.due_at, {now} + r.due_in_ms * interval '1 millisecond')),
    date_trunc('milliseconds', {now}), date_trunc('milliseconds', {now})
  FROM r
  WHERE (r.key IS NULL OR NOT EXISTS (
      SELECT FROM async_job_keys k WHERE k.tenant = r.tenant AND k.key = r.key))
    AND (r.fresh_ms IS NULL OR NOT EXISTS (
      SELECT FROM async_jobs f WHERE f.tenant = r.tenant AND f.type = r.type AND f.coalescing_key = decode(r.scope, 'hex')
        AND f.status = 'COMPLETED' AND f.last_updated_at > {now} - r.fresh_ms * interval '1 millisecond'))
  ORDER BY r.tenant, r.type, r.scope, r.ord
  ON CONFLICT DO NOTHING
  RETURNING id
),
k AS (
  INSERT INTO async_job_keys (tenant, key, job_id, type, input_hash, created_at)
  SELECT r.tenant, r.key, r.id, r.type, decode(r.input_hash, 'hex'), {now}
  FROM r JOIN j USING (id) WHERE r.key IS NOT NULL ORDER BY r.tenant, r.key
),
i AS (
  INSERT INTO async_job_inputs (job_id, part, value)
  SELECT r.id, 'input', r.input::jsonb FROM r JOIN j USING (id) WHERE r.input IS NOT NULL
)
SELECT id FROM j`,
}

/** In a caller's transaction the time limit would go on to hold for the caller's own statements. */
const unguarded: Statement = {
  name: 'async_jobs_insert_jobs_within',
  text: statement.text.replace(`set_config('lock_timeout', '200ms', true)`, `''`),
}

/** Inserts the jobs that nothing stands for. @returns the ids of those that it made. */
export async function insertJobs(
  database: Runs,
  jobs: readonly NewJob[],
  { guarded = true }: { guarded?: boolean } = {},
): Promise<Set<string>> {
  const rows = await database.run<{ id: string }>(guarded ? statement : unguarded, [
    jobs.map((job) => job.id),
    jobs.map((job) => job.tenant),
    jobs.map((job) => job.type),
    jobs.map((job) => job.input),
    jobs.map((job) => job.inputHash),
    jobs.map((job) => job.idempotencyKey),
    jobs.map((job) => job.coalescingKey),
    jobs.map((job) => job.singleFlight),
    jobs.map((job) => job.freshForMs),
    jobs.map((job) => job.maxAttempts),
    jobs.map((job) => job.priority),
    jobs.map(({ due }) => (due !== null && 'at' in due ? due.at.toISOString() : null)),
    jobs.map(({ due }) => (due !== null && 'inMs' in due ? due.inMs : null)),
  ])
  return new Set(rows.map((row) => row.id))
}

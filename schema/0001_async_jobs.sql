-- async-jobs, schema version 1. Needs PostgreSQL 15 or newer, no extension and no superuser.
-- Apply it with the migration tool of your choice; async-jobs never changes a database by itself.

-- The life of a job. Narrow on purpose: whatever stands here is written again by each transition.
CREATE TABLE async_jobs (
  id               uuid        PRIMARY KEY,
  tenant           text        NOT NULL DEFAULT '',
  type             text        NOT NULL,
  status           text        NOT NULL DEFAULT 'PENDING',
  -- +1 at each change that a client can see; the order of states.
  version          integer     NOT NULL DEFAULT 1,
  percent_complete smallint,
  -- 0 is the most urgent. Few levels, compared by equality, so that each has its own claim floor.
  priority         smallint    NOT NULL DEFAULT 1,
  run_at           timestamptz NOT NULL,
  attempt          integer     NOT NULL DEFAULT 0,
  max_attempts     integer     NOT NULL DEFAULT 1,
  -- Grows with each claim; a write of a running attempt names it and changes nothing once another claim exists.
  fencing_token    integer     NOT NULL DEFAULT 0,
  -- The worker that runs the job. None while PROCESSING: a fire-and-forget job, which a reporter ends.
  worker_id        uuid,
  -- What a reporter proves its claim with, made anew at each claim of a fire-and-forget job.
  report_key       uuid,
  -- Written only for types that use single-flight or freshness: each index entry costs throughput.
  coalescing_key   bytea,
  single_flight    boolean     NOT NULL DEFAULT false,
  created_at       timestamptz NOT NULL,
  -- Strictly growing in milliseconds, so that JavaScript dates keep the order of changes.
  last_updated_at  timestamptz NOT NULL,
  failure          jsonb,

  CONSTRAINT async_jobs_status_known CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  CONSTRAINT async_jobs_type_length CHECK (length(type) BETWEEN 1 AND 100),
  CONSTRAINT async_jobs_percent_range CHECK (percent_complete BETWEEN 0 AND 100),
  CONSTRAINT async_jobs_priority_range CHECK (priority BETWEEN 0 AND 3),
  CONSTRAINT async_jobs_attempts CHECK (attempt >= 0 AND max_attempts >= 1 AND attempt <= max_attempts),
  CONSTRAINT async_jobs_version_positive CHECK (version >= 1),
  CONSTRAINT async_jobs_worker_while_processing CHECK (worker_id IS NULL OR status = 'PROCESSING'),
  CONSTRAINT async_jobs_claimed_while_processing CHECK (status <> 'PROCESSING' OR (attempt >= 1 AND fencing_token >= 1)),
  CONSTRAINT async_jobs_failure_when_failed CHECK ((failure IS NOT NULL) = (status = 'FAILED'))
) WITH (
  -- Terminal rows stay, so the default scale factor would let a million dead entries gather in the claim index.
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0
);

-- Serves the claim: due jobs of one (type, priority), oldest first.
CREATE INDEX ix_async_jobs_due ON async_jobs (type, priority, run_at, id) WHERE status = 'PENDING';

-- Serves recovery, reconciliation and fire-and-forget time-outs.
CREATE INDEX ix_async_jobs_worker ON async_jobs (worker_id) WHERE status = 'PROCESSING';

-- Single-flight: at most one active job per (tenant, type, coalescing key).
CREATE UNIQUE INDEX ux_async_jobs_inflight ON async_jobs (tenant, type, coalescing_key)
  WHERE single_flight AND status IN ('PENDING', 'PROCESSING');

-- Freshness: the latest completed job of a scope.
CREATE INDEX ix_async_jobs_fresh ON async_jobs (tenant, type, coalescing_key, last_updated_at)
  WHERE status = 'COMPLETED' AND coalescing_key IS NOT NULL;

-- What a job takes in and gives out. Insert-only: in the hot row each transition would copy it.
CREATE TABLE async_job_inputs (
  job_id uuid  NOT NULL REFERENCES async_jobs ON DELETE CASCADE,
  part   text  NOT NULL,
  value  jsonb NOT NULL,
  PRIMARY KEY (job_id, part),
  CONSTRAINT async_job_inputs_part_known CHECK (part IN ('input', 'output'))
);

-- Which job an idempotency key stands for, also where that job was there before the key. Insert-only.
-- It goes with its job: a key without one would answer for ever, whoever purges.
CREATE TABLE async_job_keys (
  tenant     text        NOT NULL DEFAULT '',
  key        text        NOT NULL,
  job_id     uuid        NOT NULL REFERENCES async_jobs ON DELETE CASCADE,
  type       text        NOT NULL,
  input_hash bytea       NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, key),
  CONSTRAINT async_job_keys_key_length CHECK (length(key) BETWEEN 1 AND 255)
);

CREATE INDEX ix_async_job_keys_job ON async_job_keys (job_id);

-- The leases: one row per running process. A job is leased as long as the row of its worker lives.
CREATE TABLE async_job_workers (
  id         uuid        PRIMARY KEY,
  name       text        NOT NULL,
  started_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 100);

-- Read at start-up; a library that knows another version refuses to run.
CREATE FUNCTION async_jobs_schema_version() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1';

import { hostname } from 'node:os'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { type Config, type ConfigReading, readConfig } from './config/config.ts'
import type { Settings } from './config/settings.ts'
import { ConfigurationError } from './errors.ts'
import { Executor } from './executor/executor.ts'
import { purgeAll, purgeLoop } from './executor/purge.ts'
import type { AnyHandler, JobReporter } from './handler.ts'
import { Access, type AccessHooks } from './http/access.ts'
import { cancelJob as cancelJobOperation } from './http/cancel-job.ts'
import { getJobStatus } from './http/get-job-status.ts'
import { defaultPolicy, type Policy } from './http/policy.ts'
import { reports } from './http/report.ts'
import { createRouter, type HttpRouter } from './http/router.ts'
import { streamEventsOfJobs } from './http/stream-events-of-jobs.ts'
import { streamJobEvents } from './http/stream-job-events.ts'
import { Streams } from './http/streams.ts'
import { submitJob as submitJobOperation } from './http/submit-job.ts'
import { beginWait } from './http/wait-for-job.ts'
import { Backlog } from './jobs/backlog.ts'
import { type Cancel, cancelJob } from './jobs/cancel.ts'
import { Changes } from './jobs/changes.ts'
import { createReporter, type FindClaim, findClaim } from './jobs/report.ts'
import { createFreshness, type Freshness, type ReusePolicy } from './jobs/reuse.ts'
import { type ReadJob, readJob } from './jobs/status.ts'
import { type Submit, submitJob } from './jobs/submit.ts'
import { Watcher } from './jobs/watch.ts'
import { jsonLinesLogger, logEvents } from './log.ts'
import { Database } from './store/database.ts'
import { noHints, PostgresHints } from './store/hints.ts'
import type { Store, WakeUps } from './store/port.ts'
import { postgresStore } from './store/postgres-store.ts'
import { type Logger, type Subscriber, Telemetry } from './telemetry.ts'

/** What the application hands over, beside {@link Settings}. */
export interface AsyncJobsOptions extends Settings, AccessHooks {
  /** The application's own pool. Nothing of it is configured; a listener for its errors is added. Not needed with `store`. */
  readonly pool?: Pool
  /** One handler per type. A process without handlers serves HTTP and runs nothing. */
  readonly handlers?: readonly AnyHandler[]
  /** Receives log lines. Default: one line of JSON each, on standard error. */
  readonly logger?: Logger
  /** Receives operational events, for metrics. */
  readonly onEvent?: Subscriber
  /** Stands in for the database's clock. For tests only: with it, statements are not prepared. */
  readonly clock?: () => Date
  /** Another store in the place of the one on `pool`; `storeConformance` of `async-jobs/testing` says whether it fits. */
  readonly store?: Store
  /** Carries hints between processes in the place of LISTEN and NOTIFY. */
  readonly wakeUps?: WakeUps
  /** Decides `Retry-After` and `Expires` in the place of the configuration. */
  readonly policy?: Policy
  /** Makes the ids of jobs, UUIDs that grow with time. Default: UUIDv7. */
  readonly newId?: () => string
}

/** One process's share of async-jobs: a router, an executor, and what connects them. */
export interface AsyncJobs extends Freshness {
  /** Serves the operations of openapi.yaml, below any mount path of an Express 4.21+ or 5 application. */
  readonly router: Router
  /**
   * Checks the database's schema, compiles the validators and begins to run jobs. Rejects with a sentence that says
   * what to do when the schema has another version.
   */
  start(): Promise<void>
  /**
   * Claims nothing any more, ends the streams, lets handlers finish, gives back the rest. The pool stays open.
   * @param options.graceMs how long handlers may finish, in milliseconds. Default: `processing.stopGrace`.
   */
  stop(options?: { graceMs?: number }): Promise<void>
  /** Submits in code. Rejects with a ProblemError, as the operation would answer. */
  submit: Submit
  /** Reads a job. Rejects with a ProblemError `job-not-found`. */
  status: ReadJob
  /** Cancels a job. Rejects with a ProblemError `job-not-found` or `job-already-ended`. */
  cancel: Cancel
  /**
   * Speaks for a fire-and-forget job that was started elsewhere, in this process or another, with the token that its
   * start was given. Reports are refused when the token is not the one of its present start.
   */
  reporter(jobId: string, reportToken: string): JobReporter
  /**
   * Deletes the records of jobs that ended longer ago than `purge.after`, batch by batch, with their keys and inputs.
   * @returns how many, also when the signal ended it early.
   */
  purge(options?: { signal?: AbortSignal }): Promise<number>
}

/** Builds everything once; nothing else constructs its own parts. Throws a ConfigurationError with every mistake. */
export function createAsyncJobs(options: AsyncJobsOptions, reading: ConfigReading = {}): AsyncJobs {
  const { handlers = [], logger, onEvent, policy, newId, ...others } = options
  const { pool: _pool, clock: _clock, store: _store, wakeUps: _wakeUps, ...rest } = others
  const { tenantOf, authorize, callerOf, ...settings } = rest
  const config = readConfig(handlers, settings, reading)
  const log = logger ?? jsonLinesLogger((line) => process.stderr.write(line))
  const telemetry = new Telemetry()
  telemetry.subscribe(logEvents(log))
  if (onEvent !== undefined) telemetry.subscribe(onEvent)
  const data = openData(options, { config, telemetry, log })
  return assemble({
    ...data,
    config,
    log,
    telemetry,
    newId: newId ?? uuidv7,
    policy: policy ?? defaultPolicy(config),
    hooks: {
      ...(tenantOf === undefined ? {} : { tenantOf }),
      ...(authorize === undefined ? {} : { authorize }),
      ...(callerOf === undefined ? {} : { callerOf }),
    },
  })
}

/** The store and the hints: the consumer's own, or ours on the pool. */
function openData(
  { pool, store, wakeUps, clock }: AsyncJobsOptions,
  { config, telemetry, log }: Pick<Parts, 'config' | 'telemetry' | 'log'>,
): Pick<Parts, 'store' | 'hints'> {
  if (pool === undefined) {
    if (store === undefined) throw new ConfigurationError(['pool: expected a pg.Pool, found undefined'])
    return { store, hints: wakeUps ?? noHints }
  }
  // Without a listener an idle connection that breaks ends the process.
  pool.on('error', (error) => telemetry.emit('database:error', { during: 'idle connection', error }))
  warnOfEndlessConnecting(pool, log)
  // Either sign of a pooler may come first; both are told of once, together.
  let told = false
  const onPooler = (error: unknown): void => {
    database.stopPreparing()
    if (!told) telemetry.emit('pooler:found', { error })
    told = true
  }
  const database = new Database(pool, { schema: config.database.schema, clock, onPooler })
  const hints = config.hints.enabled ? new PostgresHints({ pool, telemetry, onPooler }) : noHints
  return { store: store ?? postgresStore(database), hints: wakeUps ?? hints }
}

/** A connection that a silent network never answers keeps its place in the pool until this time is over. */
function warnOfEndlessConnecting(pool: Pool, log: Logger): void {
  if ((pool.options.connectionTimeoutMillis ?? 0) > 0) return
  log.warn(
    { option: 'connectionTimeoutMillis' },
    'the pool has no connectionTimeoutMillis: a silent network may fill it for good; 5000 is a good value',
  )
}

interface Parts {
  readonly config: Config
  readonly log: Logger
  readonly telemetry: Telemetry
  readonly store: Store
  readonly hints: WakeUps
  readonly newId: () => string
  readonly policy: Policy
  readonly hooks: AccessHooks
}

function assemble(parts: Parts): AsyncJobs {
  const { config, telemetry, store, hints } = parts
  const changes = new Changes((hint) => hints.announce(hint))
  const watcher = new Watcher({ store, telemetry, pollIntervalMs: config.sse.pollIntervalMs })
  const executor = createExecutor(parts, changes, watcher)
  changes.listen({ onChanged: (states) => watcher.tell(states), onWork: (types) => executor.wake(types) })
  const reuse: ReusePolicy = {
    coalesce: (type) => type.coalesce ?? (config.coalesceInFlight ? 'join' : false),
    freshForMs: config.freshForMs,
  }
  const submit = createSubmit(parts, changes, reuse)
  const status = readJob(store)
  const cancel = cancelJob({ store, read: status, changes })
  const find = findClaim({ types: config.types, store })
  const streams = new Streams({ ...config.sse, maxLifeMs: config.retentionMs })
  const sweep = { store, telemetry, ...config.purge }
  const purge = purgeLoop(sweep)
  const http = config.web.enabled
    ? createHttp(parts, { submit, status, cancel, changes, find, watcher, streams })
    : undefined
  return {
    get router() {
      if (http !== undefined) return http.router
      throw new ConfigurationError(['web.enabled: expected true where the router is used, found false'])
    },
    submit,
    cancel,
    status,
    ...createFreshness({ types: config.types, store, reuse }),
    reporter: (jobId, reportToken) => createReporter({ store, changes }, jobId, () => find(jobId, reportToken)),
    purge: ({ signal } = {}) => purgeAll(sweep, signal),
    start: async () => {
      await Promise.all([store.checkSchema(), http?.warmUp()])
      streams.start()
      await hints.start((hint) => {
        watcher.hint(hint)
        executor.wake(hint.jobs === null ? null : hint.types)
      })
      if (config.processing.enabled) await executor.start()
      if (config.purge.enabled) purge.start()
    },
    stop: async ({ graceMs = config.processing.stopGraceMs } = {}) => {
      streams.endAll()
      await Promise.all([purge.stop(), executor.stop(graceMs)])
      watcher.stop()
      await hints.stop()
    },
  }
}

function createExecutor({ config, log, telemetry, store }: Parts, changes: Changes, watcher: Watcher): Executor {
  const { concurrencyLimit, pollIntervalMs, leaseMs, heartbeatMs } = config.processing
  return new Executor({
    store,
    changes,
    watcher,
    telemetry,
    log,
    types: config.types,
    recovery: config.recovery,
    workerName: `${hostname()}:${process.pid}`,
    concurrencyLimit,
    pollIntervalMs,
    leaseMs,
    heartbeatMs,
  })
}

function createSubmit({ config, telemetry, store, newId }: Parts, changes: Changes, reuse: ReusePolicy): Submit {
  const backlog = new Backlog(store, config.processing.maxPending)
  return submitJob({ types: config.types, store, changes, telemetry, reuse, backlog, newId })
}

interface UseCases {
  readonly submit: Submit
  readonly status: ReadJob
  readonly cancel: Cancel
  readonly changes: Changes
  readonly find: FindClaim
  readonly watcher: Watcher
  readonly streams: Streams
}

function createHttp({ config, telemetry, store, hooks, policy }: Parts, use: UseCases): HttpRouter {
  const { submit, status, cancel, changes, find, watcher, streams } = use
  const access = new Access(hooks, status)
  const wait = beginWait({ access, watcher, streams, maxWaitMs: config.http.maxWaitMs })
  const streaming = { access, watcher, streams, telemetry, maxPendingEvents: config.sse.maxPendingEvents }
  return createRouter({
    telemetry,
    maxBodyBytes: config.http.maxBodyBytes,
    operations: {
      submitJob: submitJobOperation({ submit, access, policy, publicUrl: config.publicUrl, wait }),
      getJobStatus: getJobStatus({ access, policy, wait }),
      cancelJob: cancelJobOperation(cancel, access),
      cancelJobByStatus: cancelJobOperation(cancel, access),
      streamJobEvents: streamJobEvents(streaming),
      streamEventsOfJobs: streamEventsOfJobs(streaming),
      ...reports({ store, changes }, find),
    },
  })
}

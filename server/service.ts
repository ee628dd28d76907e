import { hostname } from 'node:os'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { type Config, readConfig, type Settings } from './config.ts'
import { ConfigurationError, ProblemError } from './errors.ts'
import { Executor } from './executor/executor.ts'
import type { AnyHandler, JobReporter } from './handler.ts'
import { cancelJob as cancelJobOperation } from './http/cancel-job.ts'
import { getJobStatus } from './http/get-job-status.ts'
import { createRouter, type HttpRouter } from './http/router.ts'
import { streamJobEvents } from './http/stream-job-events.ts'
import { Streams } from './http/streams.ts'
import { submitJob as submitJobOperation } from './http/submit-job.ts'
import type { Job } from './job.ts'
import { Backlog } from './jobs/backlog.ts'
import { type Cancel, cancelJob } from './jobs/cancel.ts'
import { Changes } from './jobs/changes.ts'
import { createReporter, type ReportedClaim } from './jobs/report.ts'
import { readJob } from './jobs/status.ts'
import { type Submit, submitJob } from './jobs/submit.ts'
import { Watcher } from './jobs/watch.ts'
import { jsonLinesLogger, logEvents } from './log.ts'
import { Database } from './store/database.ts'
import { noHints, PostgresHints } from './store/hints.ts'
import type { Store, WakeUps } from './store/port.ts'
import { postgresStore } from './store/postgres-store.ts'
import { type Logger, type Subscriber, Telemetry } from './telemetry.ts'

/** What the application hands over, beside {@link Settings}. */
export interface AsyncJobsOptions extends Settings {
  /** The application's own pool. Nothing of it is configured; a listener for its errors is added. */
  readonly pool: Pool
  /** One handler per type. A process without handlers serves HTTP and runs nothing. */
  readonly handlers?: readonly AnyHandler[]
  /** Receives log lines. Default: one line of JSON each, on standard error. */
  readonly logger?: Logger
  /** Receives operational events, for metrics. */
  readonly onEvent?: Subscriber
  /** Stands in for the database's clock. For tests only: with it, statements are not prepared. */
  readonly clock?: () => Date
}

/** One process's share of async-jobs: a router, an executor, and what connects them. */
export interface AsyncJobs {
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
  status(id: string): Promise<Job>
  /** Cancels a job. Rejects with a ProblemError `job-not-found` or `job-already-ended`. */
  cancel: Cancel
  /** Speaks for a fire-and-forget job that was started elsewhere, in this process or another. */
  reporter(type: string, claim: ReportedClaim): JobReporter
}

/** Builds everything once; nothing else constructs its own parts. Throws a ConfigurationError with every mistake. */
export function createAsyncJobs(options: AsyncJobsOptions): AsyncJobs {
  const { pool, handlers = [], logger, onEvent, clock, ...settings } = options
  const config = readConfig(handlers, settings)
  if (pool === undefined) throw new ConfigurationError(['pool: expected a pg.Pool, found undefined'])
  const log = logger ?? jsonLinesLogger((line) => process.stderr.write(line))
  const telemetry = new Telemetry()
  telemetry.subscribe(logEvents(log))
  if (onEvent !== undefined) telemetry.subscribe(onEvent)
  // Without a listener an idle connection that breaks ends the process.
  pool.on('error', (error) => telemetry.emit('database:error', { during: 'idle connection', error }))
  warnOfEndlessConnecting(pool, log)
  const store = postgresStore(new Database(pool, clock === undefined ? {} : { clock }))
  const hints = config.hints.enabled ? new PostgresHints({ pool, telemetry }) : noHints
  return assemble({ config, log, telemetry, store, hints })
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
}

function assemble(parts: Parts): AsyncJobs {
  const { config, telemetry, store, hints } = parts
  const changes = new Changes((hint) => hints.announce(hint))
  const watcher = new Watcher({ store, telemetry, pollIntervalMs: config.sse.pollIntervalMs })
  const executor = createExecutor(parts, changes, watcher)
  changes.listen({ onChanged: (states) => watcher.tell(states), onWork: (types) => executor.wake(types) })
  const submit = createSubmit(parts, changes)
  const cancel = cancelJob({ store, changes })
  const streams = new Streams({ heartbeatMs: config.sse.heartbeatMs, maxLifeMs: config.retentionMs })
  const http = createHttp(parts, { submit, cancel, watcher, streams })
  return {
    router: http.router,
    submit,
    cancel,
    status: (id) => readJob(store, id),
    reporter: (name, claim) => {
      const type = config.types.get(name)
      if (type === undefined) throw new ProblemError('unknown-type')
      return createReporter({ store, changes }, type, claim)
    },
    start: async () => {
      await Promise.all([store.checkSchema(), http.warmUp()])
      streams.start()
      await hints.start((hint) => {
        watcher.hint(hint)
        executor.wake(hint.jobs === null ? null : hint.types)
      })
      if (config.processing.enabled) await executor.start()
    },
    stop: async ({ graceMs = config.processing.stopGraceMs } = {}) => {
      streams.endAll()
      await executor.stop(graceMs)
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

function createSubmit({ config, telemetry, store }: Parts, changes: Changes): Submit {
  return submitJob({
    types: config.types,
    store,
    changes,
    telemetry,
    reuse: { singleFlight: config.coalesceInFlight, freshForMs: config.freshForMs },
    backlog: new Backlog(store, config.processing.maxPending),
  })
}

function createHttp(
  { config, telemetry, store }: Parts,
  { submit, cancel, watcher, streams }: { submit: Submit; cancel: Cancel; watcher: Watcher; streams: Streams },
): HttpRouter {
  const { retryAfterSeconds, retentionMs, publicUrl, sse } = config
  const read = (id: string): Promise<Job> => readJob(store, id)
  return createRouter({
    telemetry,
    maxBodyBytes: config.http.maxBodyBytes,
    operations: {
      submitJob: submitJobOperation({ submit, retryAfterSeconds, publicUrl }),
      getJobStatus: getJobStatus({ read, retryAfterSeconds, retentionMs }),
      cancelJob: cancelJobOperation(cancel),
      cancelJobByStatus: cancelJobOperation(cancel),
      streamJobEvents: streamJobEvents({ read, watcher, streams, telemetry, maxPendingEvents: sse.maxPendingEvents }),
    },
  })
}

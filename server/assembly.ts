import { hostname } from 'node:os'
import type { Router } from 'express'
import type { Config } from './config/config.ts'
import { ConfigurationError } from './errors.ts'
import { Executor } from './executor/executor.ts'
import { purgeAll, purgeLoop } from './executor/purge.ts'
import type { JobReporter } from './handler.ts'
import { Access, type AccessHooks } from './http/access.ts'
import { cancelJob as cancelJobOperation } from './http/cancel-job.ts'
import { getJobStatus } from './http/get-job-status.ts'
import type { Policy } from './http/policy.ts'
import { reports } from './http/report.ts'
import { createRouter, type HttpRouter } from './http/router.ts'
import { streamEventsOfJobs } from './http/stream-events-of-jobs.ts'
import { streamJobEvents } from './http/stream-job-events.ts'
import { Streams } from './http/streams.ts'
import { submitJob as submitJobOperation } from './http/submit-job.ts'
import { submitJobs as submitJobsOperation } from './http/submit-jobs.ts'
import { beginWait } from './http/wait-for-job.ts'
import { Backlog } from './jobs/backlog.ts'
import { type Cancel, cancelJob } from './jobs/cancel.ts'
import { Changes } from './jobs/changes.ts'
import { createReporter, type FindClaim, findClaim } from './jobs/report.ts'
import { type Freshness, createFreshness, type ReusePolicy } from './jobs/reuse.ts'
import { type ReadJob, readJob } from './jobs/status.ts'
import { type SubmitMany, submitMany } from './jobs/submit-many.ts'
import { type Submit, submitJob, type SubmitParts } from './jobs/submit.ts'
import { Watcher } from './jobs/watch.ts'
import type { Store, WakeUps } from './store/port.ts'
import { type Logger, Telemetry } from './telemetry.ts'

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
  /**
   * Submits many jobs at once, in one statement for 1,000 of them. Each is answered in its place, as `submit` would; one
   * that is refused has its error there and keeps the others from nothing.
   */
  submitMany: SubmitMany
  /**
   * Tells this and the other processes that there is new work of these types: call it after the commit of a transaction
   * that submitted jobs, to have them start at once.
   */
  wake(...types: string[]): void
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

/** What everything is built from. */
export interface Parts {
  readonly config: Config
  readonly log: Logger
  readonly telemetry: Telemetry
  readonly store: Store
  readonly hints: WakeUps
  readonly newId: () => string
  readonly policy: Policy
  readonly hooks: AccessHooks
}

/** Builds everything once; nothing else constructs its own parts. */
export function assemble(parts: Parts): AsyncJobs {
  const { config, telemetry, store, hints } = parts
  const changes = new Changes((hint) => hints.announce(hint))
  const watcher = new Watcher({ store, telemetry, pollIntervalMs: config.sse.pollIntervalMs })
  const executor = createExecutor(parts, changes, watcher)
  changes.listen({ onChanged: (states) => watcher.tell(states), onWork: (types) => executor.wake(types) })
  const submitting = submitParts(parts, changes)
  const [submit, many] = [submitJob(submitting), submitMany(submitting)]
  const status = readJob(store)
  const cancel = cancelJob({ store, read: status, changes })
  const find = findClaim({ types: config.types, store })
  const streams = new Streams({ ...config.sse, maxLifeMs: config.retentionMs })
  const sweep = { store, telemetry, ...config.purge }
  const purge = purgeLoop(sweep)
  const http = config.web.enabled
    ? createHttp(parts, { submit, many, status, cancel, changes, find, watcher, streams })
    : undefined
  return {
    get router() {
      if (http !== undefined) return http.router
      throw new ConfigurationError(['web.enabled: expected true where the router is used, found false'])
    },
    submit,
    submitMany: many,
    wake: (...types) => {
      for (const type of types) changes.submitted(type)
    },
    cancel,
    status,
    ...createFreshness({ ...submitting, store }),
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

function submitParts({ config, telemetry, store, newId }: Parts, changes: Changes): SubmitParts {
  const reuse: ReusePolicy = {
    coalesce: (type) => type.coalesce ?? (config.coalesceInFlight ? 'join' : false),
    freshForMs: config.freshForMs,
  }
  const backlog = new Backlog(store, config.processing.maxPending)
  return { types: config.types, store, changes, telemetry, reuse, backlog, newId }
}

interface UseCases {
  readonly submit: Submit
  readonly many: SubmitMany
  readonly status: ReadJob
  readonly cancel: Cancel
  readonly changes: Changes
  readonly find: FindClaim
  readonly watcher: Watcher
  readonly streams: Streams
}

function createHttp({ config, telemetry, store, hooks, policy }: Parts, use: UseCases): HttpRouter {
  const { submit, many, status, cancel, changes, find, watcher, streams } = use
  const { maxBodyBytes, maxBatchBytes, maxWaitMs } = config.http
  const { publicUrl } = config
  const access = new Access(hooks, status)
  const wait = beginWait({ access, watcher, streams, maxWaitMs })
  const streaming = { access, watcher, streams, telemetry, maxPendingEvents: config.sse.maxPendingEvents }
  return createRouter({
    telemetry,
    maxBodyBytes,
    maxBatchBytes,
    operations: {
      submitJob: submitJobOperation({ submit, access, policy, publicUrl, wait }),
      submitJobs: submitJobsOperation({ submit: many, access, telemetry, publicUrl, maxInputBytes: maxBodyBytes }),
      getJobStatus: getJobStatus({ access, policy, wait }),
      cancelJob: cancelJobOperation(cancel, access),
      cancelJobByStatus: cancelJobOperation(cancel, access),
      streamJobEvents: streamJobEvents(streaming),
      streamEventsOfJobs: streamEventsOfJobs(streaming),
      ...reports({ store, changes }, find),
    },
  })
}

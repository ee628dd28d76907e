import { setTimeout as wait } from 'node:timers/promises'
import type { AbortReason } from '../handler.ts'
import { isFireAndForget } from '../handler.ts'
import type { JobState } from '../job.ts'
import type { Changes } from '../jobs/changes.ts'
import type { RegisteredType } from '../jobs/registry.ts'
import type { Watcher } from '../jobs/watch.ts'
import type { ClaimedJob, Ending, Store } from '../store/port.ts'
import type { Logger, Telemetry } from '../telemetry.ts'
import { Attempt } from './attempt.ts'
import { ClaimPlan } from './claim-plan.ts'
import { Cycles } from './cycles.ts'
import { Lease } from './lease.ts'
import type { Loop } from './loop.ts'
import { recoveryLoop } from './recovery.ts'

export interface ExecutorOptions {
  readonly store: Store
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly changes: Changes
  readonly watcher: Watcher
  readonly telemetry: Telemetry
  readonly log: Logger
  readonly workerName: string
  readonly concurrencyLimit: number
  readonly pollIntervalMs: number
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly recovery: {
    readonly enabled: boolean
    readonly scanIntervalMs: number
    readonly processingTimeoutMs: number
    readonly batchSize: number
  }
}

/** Every so many heartbeats the worker compares what it owns in the database with what it holds. */
const reconcileEvery = 3
/** After their signal handlers get this long to return, in milliseconds, before the process stops waiting. */
const returnAfterSignalMs = 500

/** Runs the jobs of the registered types: claims them, runs one attempt each, stores how it ended. */
export class Executor {
  readonly #options: ExecutorOptions
  readonly #running = new Map<string, Attempt>()
  /** What this worker owns, from the claim until its ending is stored: job id to fencing token. */
  readonly #held = new Map<string, number>()
  /** The attempts whose endings are on their way, for the event that tells of them. */
  readonly #ended = new Map<Ending, Attempt>()
  readonly #cycles: Cycles
  readonly #lease: Lease
  readonly #recovery: Loop
  #beats = 0
  #started = false
  #whenIdle: () => void = () => {}

  constructor(options: ExecutorOptions) {
    this.#options = options
    const { store, telemetry, changes } = options
    const types = [...options.types.keys()]
    const fireAndForget = types.filter((type) => isFireAndForget(options.types.get(type)?.handler as never))
    this.#lease = new Lease({
      store,
      telemetry,
      name: options.workerName,
      leaseMs: options.leaseMs,
      heartbeatMs: options.heartbeatMs,
      onLost: () => this.#abortAll('lease-lost'),
      onBeat: () => this.#onBeat(),
    })
    this.#cycles = new Cycles({
      store,
      telemetry,
      fireAndForget,
      plan: new ClaimPlan(types),
      pollIntervalMs: options.pollIntervalMs,
      freeSlots: () => options.concurrencyLimit - this.#running.size,
      workerId: () => this.#lease.workerId,
      onClaimed: (jobs) => this.#onClaimed(jobs),
      onEnded: (endings, states) => this.#onEnded(endings, states),
    })
    this.#recovery = recoveryLoop({ store, changes, telemetry, types, fireAndForget, ...options.recovery })
  }

  /** How many handlers run here now. */
  get running(): number {
    return this.#running.size
  }

  /** Resolves when the lease has begun and work is being claimed. A process without handlers claims nothing. */
  async start(): Promise<void> {
    if (this.#options.types.size === 0) return
    this.#started = true
    await this.#lease.start()
    this.#cycles.start()
    if (this.#options.recovery.enabled) this.#recovery.start()
  }

  /** There is new work of these types. */
  wake(types: readonly string[] | null): void {
    if (this.#started && (types === null || types.some((type) => this.#options.types.has(type)))) this.#cycles.wake()
  }

  /**
   * Claims nothing any more, lets handlers finish for `graceMs`, aborts the rest with the reason `stopping`, and gives
   * back what returns without spending its attempt. A job whose handler does not return is taken over when the lease
   * has run out.
   */
  async stop(graceMs: number): Promise<void> {
    if (!this.#started) return
    this.#started = false
    await Promise.all([this.#recovery.stop(), this.#cycles.stopClaiming()])
    await this.#idleWithin(graceMs)
    this.#abortAll('stopping')
    await this.#idleWithin(returnAfterSignalMs)
    const left = this.#running.size
    for (const attempt of this.#running.values()) attempt.giveUp()
    await this.#cycles.drain()
    await this.#lease.stop(left === 0)
  }

  #onClaimed(jobs: readonly ClaimedJob[]): void {
    for (const job of jobs) this.#start(job)
    this.#options.changes.changed(
      jobs.map(({ id, version, lastUpdatedAt }) => ({
        id,
        version,
        lastUpdatedAt,
        status: 'PROCESSING',
        percentComplete: null,
        failure: null,
      })),
    )
  }

  #start(job: ClaimedJob): void {
    const type = this.#options.types.get(job.type) as RegisteredType
    const attempt = new Attempt(job, type, this.#options)
    this.#running.set(job.id, attempt)
    this.#held.set(job.id, job.fencingToken)
    const workerId = this.#lease.workerId ?? ''
    this.#options.telemetry.emit('attempt:start', { jobId: job.id, type: job.type, attempt: job.attempt, workerId })
    void attempt.run().then((ending) => this.#onSettled(attempt, ending))
  }

  #onSettled(attempt: Attempt, ending: Ending | undefined): void {
    const { id, type, attempt: number } = attempt.job
    this.#running.delete(id)
    if (attempt.abandoned) this.#options.telemetry.emit('attempt:abandoned', { jobId: id, type, attempt: number })
    if (ending === undefined) {
      this.#held.delete(id)
      this.#cycles.slotFreed()
      if (attempt.committed) this.#tellEnd(attempt, 'COMPLETED')
    } else {
      this.#ended.set(ending, attempt)
      this.#cycles.end(ending)
    }
    if (this.#running.size === 0) this.#whenIdle()
  }

  #onEnded(endings: readonly Ending[], states: ReadonlyMap<string, JobState>): void {
    this.#options.changes.changed([...states.values()])
    for (const ending of endings) this.#tell(ending, states.has(ending.id))
  }

  #tell(ending: Ending, stored: boolean): void {
    const attempt = this.#ended.get(ending) as Attempt
    this.#ended.delete(ending)
    if (this.#held.get(ending.id) === ending.fencingToken) this.#held.delete(ending.id)
    const { type, attempt: number } = attempt.job
    const event = { jobId: ending.id, type, attempt: number, status: ending.status }
    if (!stored) return this.#options.telemetry.emit('attempt:refused', event)
    this.#tellEnd(attempt, ending.status)
  }

  #tellEnd({ job, startedAt, error }: Attempt, status: Ending['status']): void {
    this.#options.telemetry.emit('attempt:end', {
      jobId: job.id,
      type: job.type,
      attempt: job.attempt,
      status,
      durationMs: performance.now() - startedAt,
      ...(error === undefined ? {} : { error }),
    })
  }

  #abortAll(reason: AbortReason): number {
    for (const attempt of this.#running.values()) attempt.abort(reason)
    return this.#running.size
  }

  async #onBeat(): Promise<void> {
    this.#beats += 1
    await this.#cycles.reconcile(() => this.#held, this.#beats % reconcileEvery === 0)
  }

  /** Resolves when no handler runs, or after the time. */
  async #idleWithin(ms: number): Promise<void> {
    if (this.#running.size === 0) return
    const idle = new Promise<void>((resolve) => (this.#whenIdle = resolve))
    const timer = new AbortController()
    await Promise.race([idle, wait(ms, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
  }
}

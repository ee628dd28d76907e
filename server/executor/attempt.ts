import {
  AttemptAborted,
  type AbortReason,
  isFireAndForget,
  type HandlerContext,
  type StartContext,
  type Transaction,
} from '../handler.ts'
import { parseDuration } from '../duration.ts'
import type { Changes } from '../jobs/changes.ts'
import { serializeOutput } from '../jobs/output.ts'
import type { RegisteredType } from '../jobs/registry.ts'
import { createReporter } from '../jobs/report.ts'
import type { Watcher } from '../jobs/watch.ts'
import type { ClaimedJob, Ending, Store } from '../store/port.ts'
import type { Logger } from '../telemetry.ts'
import { startTimer } from '../timer.ts'
import { completeInTransaction } from './completion.ts'
import { type Settled, toEnding } from './outcome.ts'
import { AttemptProgress } from './progress.ts'
import { abortableSleep } from './sleep.ts'

/** How long a handler may take to return after its signal before its slot is freed, in milliseconds. */
const abandonAfterMs = 1_000

export interface AttemptParts {
  readonly store: Pick<Store, 'reportProgress' | 'cycle' | 'transaction' | 'read'>
  readonly changes: Changes
  readonly watcher: Watcher
  readonly log: Logger
}

/** One run of a handler: begin, perform, settle. It ends in at most one {@link Ending}, whatever the handler does. */
export class Attempt {
  readonly job: ClaimedJob
  readonly startedAt: number = performance.now()
  /** What the handler threw, for the log. */
  error: unknown
  abandoned = false
  /** It has ended in its handler's own transaction, so there is nothing to store any more. */
  committed = false
  #committing = false
  #inTransaction = false
  /** Made with the first transaction of the handler, and aborted when the handler is given up: connections are few. */
  #cut: AbortController | undefined
  readonly #type: RegisteredType
  readonly #parts: AttemptParts
  /** Made when the handler first looks at its signal: most short handlers never do. */
  #controller: AbortController | undefined
  #reason: AbortReason | undefined
  readonly #progress: AttemptProgress
  #giveUp: () => void = () => {}
  #stopTimers: (() => void)[] = []

  constructor(job: ClaimedJob, type: RegisteredType, parts: AttemptParts) {
    this.job = job
    this.#type = type
    this.#parts = parts
    this.#progress = new AttemptProgress(parts, job)
  }

  /** Runs the handler. Resolves to what is to be stored; never rejects. */
  async run(): Promise<Ending | undefined> {
    const unwatch = this.#watch()
    this.#limitTime()
    const settled = await Promise.race([this.#perform(), this.#abandonment()])
    unwatch()
    this.#progress.close()
    for (const stop of this.#stopTimers) stop()
    this.error = settled.kind === 'threw' ? settled.error : undefined
    this.abandoned = settled.kind === 'abandoned'
    if (this.abandoned) this.#cut?.abort(new Error('the attempt was abandoned'))
    return this.#settle(settled)
  }

  /** Aborts the signal; the first reason stands. A handler that does not return soon is given up, except to stop. */
  abort(reason: AbortReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(new AttemptAborted(reason))
    if (reason !== 'stopping') this.#stopTimers.push(startTimer(abandonAfterMs, () => this.#giveUp()))
  }

  /** Stops waiting for the handler. */
  giveUp(): void {
    this.#giveUp()
  }

  async #perform(): Promise<Settled> {
    const { handler } = this.#type
    try {
      const value = isFireAndForget(handler)
        ? await handler.start(this.#startContext())
        : await handler.handle(this.#handlerContext())
      return { kind: 'returned', value }
    } catch (error) {
      return { kind: 'threw', error }
    }
  }

  #abandonment(): Promise<Settled> {
    return new Promise((resolve) => {
      this.#giveUp = () => resolve({ kind: 'abandoned' })
    })
  }

  #settle(settled: Settled): Ending | undefined {
    if (this.committed || (isFireAndForget(this.#type.handler) && settled.kind === 'returned')) return undefined
    const { id, fencingToken, attempt, maxAttempts } = this.job
    const output = (value: unknown): ReturnType<typeof serializeOutput> => serializeOutput(this.#type, value)
    const { retry: pacing } = this.#type
    return toEnding({ id, fencingToken, attempt, maxAttempts, pacing, aborted: this.#reason, output }, settled)
  }

  #watch(): () => void {
    return this.#parts.watcher.watch(
      this.job.id,
      (state) => {
        if (state?.status === 'PROCESSING' || (this.#committing && state?.status === 'COMPLETED')) return
        this.abort(state?.status === 'CANCELLED' ? 'cancelled' : 'lease-lost')
      },
      this.job.version,
    )
  }

  #limitTime(): void {
    const { handler } = this.#type
    const timeoutMs = 'timeout' in handler ? parseDuration(handler.timeout) : undefined
    if (timeoutMs !== undefined) this.#stopTimers.push(startTimer(timeoutMs, () => this.abort('timed-out')))
  }

  get #signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(new AttemptAborted(this.#reason))
    }
    return this.#controller.signal
  }

  #handlerContext(): HandlerContext {
    const signal = (): AbortSignal => this.#signal
    return {
      ...this.#shared(),
      get signal() {
        return signal()
      },
      progress: (percent) => this.#progress.report(percent),
      isCancelled: async () => (await this.#parts.store.read(this.job.id))?.status === 'CANCELLED',
      sleep: (duration) => abortableSleep(duration, this.#signal),
      transaction: (work) => this.#transaction(work as (client: Transaction) => unknown) as never,
    }
  }

  async #transaction(work: (client: Transaction) => unknown): Promise<unknown> {
    if (this.committed) throw new Error('the job has been completed already')
    // It would wait for the connection, or the row, that the first one holds.
    if (this.#inTransaction) throw new Error('a transaction of this attempt is open already')
    this.#inTransaction = true
    try {
      return await this.#complete(work)
    } finally {
      this.#inTransaction = false
    }
  }

  async #complete(work: (client: Transaction) => unknown): Promise<unknown> {
    this.#cut ??= new AbortController()
    const { result, state } = await completeInTransaction(this.#parts.store, {
      cut: this.#cut.signal,
      job: this.job,
      type: this.#type,
      work,
      mayEnd: () => {
        if (this.#reason !== undefined && this.#reason !== 'stopping') throw new AttemptAborted(this.#reason)
        this.#committing = true
      },
    }).catch((error: unknown) => {
      // From here on a COMPLETED job is another attempt's work again.
      this.#committing = false
      throw error
    })
    this.committed = true
    this.#parts.changes.changed([state])
    return result
  }

  #startContext(): StartContext {
    const { id, fencingToken, reportKey } = this.job
    const claim = { id, fencingToken, type: this.#type }
    const reporter = createReporter(this.#parts, id, () => Promise.resolve(claim))
    return { ...this.#shared(), reporter, reportToken: reportKey ?? '' }
  }

  #shared(): Omit<StartContext, 'reporter' | 'reportToken'> {
    const { id: jobId, type, tenant, attempt, fencingToken } = this.job
    // An input of `null` is stored like none, but where a type takes input there is one.
    const input = this.#type.validateInput === undefined ? undefined : (this.job.input ?? null)
    return { jobId, type, tenant, input, attempt, fencingToken, log: this.#parts.log }
  }
}

import { v7 as uuidv7 } from 'uuid'
import { AttemptAborted } from '../../server/handler.ts'
import { isTerminal, type Job, type JobFailure, type JobStatus } from '../../server/job.ts'
import { toFailure } from '../../server/jobs/failure.ts'
import { toPercent } from '../../server/jobs/percent.ts'

export type FakeJobListener = (state: Job | null) => void

/** One job of a fake server: what a scripted handler works with, and what a test moves by hand. */
export class FakeJob {
  readonly id: string = uuidv7()
  readonly type: string
  /** What was submitted with it; undefined where it was nothing. */
  readonly input: unknown
  /** The key that it was submitted with, without quotation marks. */
  readonly idempotencyKey: string | undefined
  /** What its handler threw, where that was no JobFailureError; clients read a generic sentence. */
  handlerError: unknown
  #state: Job
  #removed = false
  #onWatched = (): void => undefined
  readonly #listeners = new Set<FakeJobListener>()
  readonly #controller = new AbortController()

  constructor(type: string, submitted: { readonly input: unknown; readonly idempotencyKey?: string | undefined }) {
    this.type = type
    this.input = submitted.input
    this.idempotencyKey = submitted.idempotencyKey
    const now = new Date()
    this.#state = {
      id: this.id,
      tenant: '',
      type,
      status: 'PENDING',
      version: 1,
      percentComplete: null,
      failure: null,
      createdAt: now,
      lastUpdatedAt: now,
    }
  }

  /** All that a client may learn. */
  get state(): Job {
    return this.#state
  }

  get status(): JobStatus {
    return this.#state.status
  }

  /** Whether the server does not know it any more. */
  get removed(): boolean {
    return this.#removed
  }

  /** Aborted when the job is cancelled, or the server closed. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** PENDING becomes PROCESSING. @returns false when it is no longer PENDING. */
  start(): boolean {
    return this.status === 'PENDING' && this.#change({ status: 'PROCESSING' })
  }

  /**
   * Reports how far the work has come; starts a job that is PENDING.
   * @param percent 0 to 100; fractions are rounded down. Another value throws a TypeError.
   * @returns false when the job has ended.
   */
  progress(percent: number): boolean {
    const percentComplete = toPercent(percent)
    this.start()
    return this.#change({ percentComplete })
  }

  /** COMPLETED, with this output where there is one. @returns false when the job has ended already. */
  complete(output?: unknown): boolean {
    const plain: unknown = output === undefined ? undefined : JSON.parse(JSON.stringify(output))
    this.start()
    return this.#change({
      status: 'COMPLETED',
      percentComplete: 100,
      ...(plain === undefined ? {} : { output: plain }),
    })
  }

  /**
   * FAILED, in words that clients read.
   * @param failure.code what clients read as `failureCode`. Default: `handler-error`.
   * @returns false when the job has ended already.
   */
  fail(failure: { readonly title: string; readonly code?: string; readonly detail?: string | undefined }): boolean {
    this.start()
    return this.#change({ status: 'FAILED', failure: toFailure(failure) satisfies JobFailure })
  }

  /** CANCELLED, as by a client. @returns false when the job has ended already. */
  cancel(): boolean {
    const cancelled = this.#change({ status: 'CANCELLED' })
    if (cancelled) this.#controller.abort(new AttemptAborted('cancelled'))
    return cancelled
  }

  /** Forgets the job, as a server does when its retention is over: 404 from now on. */
  remove(): void {
    this.#removed = true
    this.stop()
    for (const listener of this.#listeners) listener(null)
  }

  /** Tells the handler to stop, as a server that shuts down. */
  stop(): void {
    this.#controller.abort(new AttemptAborted('stopping'))
  }

  /** Told of each change, with null when the job is removed. @returns what ends that. */
  watch(listener: FakeJobListener): () => void {
    this.#listeners.add(listener)
    this.#onWatched()
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves when a client watches the job, when it has ended or is told to stop, and after so many milliseconds. */
  watched(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      const done = (): void => {
        clearTimeout(timer)
        resolve()
      }
      this.#onWatched = done
      this.signal.addEventListener('abort', done)
      if (this.#listeners.size > 0) done()
    })
  }

  #change(change: Partial<Job>): boolean {
    if (this.#removed || isTerminal(this.status)) return false
    // Two changes of one millisecond must not look equal.
    const lastUpdatedAt = new Date(Math.max(Date.now(), this.#state.lastUpdatedAt.getTime() + 1))
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1, lastUpdatedAt }
    for (const listener of this.#listeners) listener(this.#state)
    return true
  }
}

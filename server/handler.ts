import { type IsoDuration, parseDuration } from './duration.ts'
import type { Logger } from './telemetry.ts'

function untilMs(when: number | IsoDuration | Date): number {
  const ms = when instanceof Date ? Math.max(0, when.getTime() - Date.now()) : parseMs(when)
  if (ms === undefined || !(ms >= 0)) {
    throw new TypeError('retryAfter: expected milliseconds, an ISO 8601 duration such as PT30S, or a Date')
  }
  return ms
}

function parseMs(when: number | IsoDuration): number | undefined {
  return typeof when === 'number' ? when : parseDuration(when)
}

/** Why the signal of an attempt was aborted. */
export type AbortReason = 'cancelled' | 'timed-out' | 'lease-lost' | 'stopping'

/** The `signal.reason` of an attempt: `reason` says what happened. */
export class AttemptAborted extends Error {
  override readonly name = 'AttemptAborted'
  readonly reason: AbortReason

  constructor(reason: AbortReason) {
    super(`the attempt was aborted: ${reason}`)
    this.reason = reason
  }
}

/**
 * Thrown by a handler to fail its job in words that a client may read. Whatever else a handler throws is logged, and the
 * client reads a generic sentence.
 */
export class JobFailureError extends Error {
  override readonly name = 'JobFailureError'
  readonly code: string
  readonly title: string
  readonly detail: string | undefined
  readonly retryable: boolean
  /** Milliseconds until another attempt may be made, where the handler knows better than the pace of its type. */
  readonly retryAfterMs: number | undefined

  /**
   * @param failure.title One sentence for people. A blank one is replaced by a generic sentence.
   * @param failure.code Stable and machine-readable. Default: `handler-error`.
   * @param failure.retryable Whether another attempt may succeed, within the type's budget. Default: false, and true with
   *   `retryAfter`.
   * @param failure.retryAfter When to try again instead of by the pace of the type: milliseconds, an ISO 8601 duration, or
   *   an instant by the clock of this process. It does not extend the budget. Throws a TypeError for what is none of these.
   */
  constructor(failure: {
    title: string
    code?: string
    detail?: string
    retryable?: boolean
    retryAfter?: number | IsoDuration | Date
    cause?: unknown
  }) {
    super(failure.title, { cause: failure.cause })
    this.title = failure.title
    this.code = failure.code ?? 'handler-error'
    this.detail = failure.detail
    this.retryable = failure.retryable ?? failure.retryAfter !== undefined
    this.retryAfterMs = failure.retryAfter === undefined ? undefined : untilMs(failure.retryAfter)
  }
}

/**
 * A connection inside a transaction: a `pg` client after BEGIN, or whatever else runs a statement of `$1`, `$2`, … with
 * its values in the transaction of a query builder (docs/transactions.md has adapters). What it is given is kept simple for
 * those: each `$n` stands in the text once, in order, and values are texts, numbers or null.
 */
export interface Transaction {
  query(text: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>
}

/** The attempt may not end in its transaction, which was rolled back: the job has ended, or another attempt has it. */
export class AttemptSupersededError extends Error {
  override readonly name = 'AttemptSupersededError'

  constructor() {
    super('the job has ended or was taken over: the transaction was rolled back')
  }
}

/** What every attempt is given. */
interface AttemptContext<Input> {
  readonly jobId: string
  readonly type: string
  readonly tenant: string
  /** The input as it was submitted, valid by the type's `inputSchema`; undefined where the type declares none. */
  readonly input: Input
  /** 1 for the first attempt. An attempt may follow one that died after its side effects: make them idempotent. */
  readonly attempt: number
  /** Grows with each claim of this job. Store it per job beside your own writes, and refuse smaller ones of that job. */
  readonly fencingToken: number
  readonly log: Logger
}

/** What a handler is given to work with. */
export interface HandlerContext<Input = unknown> extends AttemptContext<Input> {
  /** Aborted when the work should stop; `signal.reason` is an {@link AttemptAborted}. */
  readonly signal: AbortSignal
  /**
   * Reports how far the work has come, 0 to 100 (fractions are rounded down). Resolves to false when the report was
   * refused because the job has ended or another attempt owns it: stop working then. Reports are merged: at most one
   * write per job is under way and the newest value wins, so it is cheap to call often.
   */
  readonly progress: (percent: number) => Promise<boolean>
  /**
   * Lets the handler's own writes and the job's completion commit together. `work` is given a client of the pool (a `pg`
   * PoolClient) inside a transaction; when it returns, the job is COMPLETED in the same transaction, with what it
   * returned as the output, where the type declares one. The attempt has then ended: what the handler returns or reports
   * later changes nothing. Each holds a connection, so all but one of the pool's are used and others wait for their turn.
   *
   * Rejects, with everything rolled back, with what `work` throws; with an {@link AttemptSupersededError} when the job was
   * cancelled or another attempt owns it; with a {@link JobFailureError} when the output does not fit; with
   * `signal.reason` when the signal was aborted before; with an Error inside of another transaction of the attempt.
   */
  // The handler names the client's type, which nothing can infer.
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  readonly transaction: <Result, Client extends Transaction = Transaction>(
    work: (client: Client) => Promise<Result> | Result,
  ) => Promise<Result>
  /**
   * Whether the job is CANCELLED, as the database says. `signal` tells the same without a read, within a hint or a poll
   * interval; this is for the moment before something that cannot be undone.
   */
  readonly isCancelled: () => Promise<boolean>
  /**
   * Waits; rejects with `signal.reason` as soon as the signal is aborted.
   * @param duration Milliseconds, or an ISO 8601 duration such as `PT30S`.
   */
  readonly sleep: (duration: number | string) => Promise<void>
}

/** Reports on a fire-and-forget job. False means refused (the job has ended, usually cancelled): stop the work. */
export interface JobReporter {
  readonly jobId: string
  /** Renews `recovery.processingTimeout`, also with the same percentage. */
  readonly progress: (percent: number) => Promise<boolean>
  /** @param output Stored where the type declares an `outputSchema`, ignored elsewhere. */
  readonly complete: (output?: unknown) => Promise<boolean>
  readonly fail: (failure: { title: string; code?: string; detail?: string }) => Promise<boolean>
}

/** What a fire-and-forget handler is given. */
export interface StartContext<Input = unknown> extends AttemptContext<Input> {
  readonly reporter: JobReporter
  /**
   * Speaks for this start of the job over HTTP (`Authorization: Bearer …` of reportProgress, completeJob, failJob): hand
   * it to the worker, in whatever language that is.
   */
  readonly reportToken: string
}

/** A JSON Schema, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The budget of a type, and the pace of its retries. Whatever ends an attempt counts: an error, a time-out, a dead worker. */
export interface RetryOptions {
  /** [1] 1 to 1000, the first one included. */
  readonly maxAttempts?: number
  /** Before the first retry. [PT1S] */
  readonly initialDelay?: IsoDuration
  /** Each delay is so many times the one before. [2] 1 to 100. */
  readonly factor?: number
  /** No retry waits longer. [PT5M] */
  readonly maxDelay?: IsoDuration
  /** Which share of a delay is left to chance, so that jobs that failed together come back apart. [0.5] 0 to 1. */
  readonly jitter?: number
}

interface TypeOptions {
  /** The type of job, `[A-Za-z0-9._-]{1,100}`, unique among the handlers. */
  readonly type: string
  /** What the type takes as input. Default: the type takes no body. */
  readonly inputSchema?: JsonSchema
  /** What the handler gives out; it is then part of the job's status. Default: the job has no output. */
  readonly outputSchema?: JsonSchema
  /**
   * What a submit finds when a job does the same work now: `join` answers with that job, `reject` refuses with 409 and
   * its id, `false` makes another. Default: `join` where `coalesceInFlight` is set, else `false`.
   */
  readonly coalesce?: 'join' | 'reject' | false
  /** Which inputs ask for the same work: equal texts do. Default: equal inputs do, up to the order of properties. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly coalesceBy?: (input: any) => string
  /** Whether a submit without an `Idempotency-Key` is refused. Default: false. */
  readonly requireIdempotencyKey?: boolean
  /** How often a job may be tried, and when again. Default: once, so that a job whose worker died fails. */
  readonly retry?: RetryOptions
}

/** Runs a type of job to its end. */
export interface Handler<Input = unknown> extends TypeOptions {
  /** The longest that one attempt may take, as an ISO 8601 duration; then it fails as `timed-out`. Default: no limit. */
  readonly timeout?: string
  /** Resolves when the work is done. What it returns is the output, where the type declares one. */
  handle(context: HandlerContext<Input>): unknown
}

/** Starts a type of job whose end a {@link JobReporter} reports, from wherever the work is done. */
export interface FireAndForgetHandler<Input = unknown> extends TypeOptions {
  /** Resolves when the work has been started. A throw fails the job. */
  start(context: StartContext<Input>): Promise<void> | void
}

// A handler is stored beside others of other inputs; what it is called with has been validated by its own schema.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyHandler = Handler<any> | FireAndForgetHandler<any>

/** Gives a handler its types. `Input` is what `inputSchema` lets pass. */
export function defineHandler<Input = undefined>(handler: Handler<Input>): Handler<Input>
export function defineHandler<Input = undefined>(handler: FireAndForgetHandler<Input>): FireAndForgetHandler<Input>
export function defineHandler(handler: AnyHandler): AnyHandler {
  return handler
}

/** Whether the handler only starts the work. */
export function isFireAndForget(handler: AnyHandler): handler is FireAndForgetHandler {
  return 'start' in handler
}

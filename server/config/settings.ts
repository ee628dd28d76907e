import type { IsoDuration } from '../duration.ts'

/** How the server behaves. Every value has a default; durations are ISO 8601, of weeks or less. */
export interface Settings {
  /** How long the record of a job stays relevant after its last change; feeds `Expires` and bounds a stream. [PT1H] */
  readonly retention?: IsoDuration
  /** The `Retry-After` of a submit and of the status of an active job, in seconds. [5] */
  readonly retryAfterSeconds?: number
  /** Whether equal submits join the job that does the same work now. [false] */
  readonly coalesceInFlight?: boolean
  /** Whether a job that completed not long ago answers for a new submit. */
  readonly freshness?: {
    /** [false] */
    readonly enabled?: boolean
    /** For types without a window of their own. [none: not applied] */
    readonly defaultWindow?: IsoDuration
    /** By type. */
    readonly perType?: Readonly<Record<string, IsoDuration>>
  }
  readonly processing?: {
    /** Whether this process runs jobs; without it, it takes and shows them only, and other processes run them. [true] */
    readonly enabled?: boolean
    /** How many jobs run in this process at once; what comes on top waits in the table. [256] */
    readonly concurrencyLimit?: number
    /** How many jobs of a type may wait before submits are answered 503. [no limit] */
    readonly maxPending?: number
    /** How often this process looks for work when no hint comes. [PT1S] */
    readonly pollInterval?: IsoDuration
    /** How long after its last heartbeat a process counts as dead. [PT30S] */
    readonly lease?: IsoDuration
    /** How long `stop()` lets handlers finish. [PT10S] */
    readonly stopGrace?: IsoDuration
  }
  readonly sse?: {
    /** Between two comments that keep an idle stream open. [PT15S] */
    readonly heartbeat?: IsoDuration
    /** Streams that may be open in this process; more are answered 503. [10000] */
    readonly maxStreams?: number
    /** Streams that one caller may have open in this process; more are answered 429. [1000] */
    readonly maxStreamsPerCaller?: number
    /** How many events may wait for a client that does not read; then it is dropped. [64] */
    readonly maxPendingEvents?: number
    /** The worst latency of an event when no hint arrives. [PT1S] */
    readonly pollInterval?: IsoDuration
  }
  readonly purge?: {
    /** Whether this process deletes the records of jobs that ended long ago. [false: deleting is yours] */
    readonly enabled?: boolean
    /** Between two sweeps. [PT10M] */
    readonly interval?: IsoDuration
    /** Jobs in one statement. [1000] */
    readonly batchSize?: number
    /** How long after its last change a record is kept, no shorter than `retention`. [`retention`] */
    readonly after?: IsoDuration
  }
  readonly recovery?: {
    /** Without it the jobs of a dead process stay PROCESSING for ever. [true] */
    readonly enabled?: boolean
    /** Between two sweeps. [PT30S] */
    readonly scanInterval?: IsoDuration
    /** How long a fire-and-forget job may be silent. [PT15M] */
    readonly processingTimeout?: IsoDuration
    /** Jobs in one sweep. [100] */
    readonly batchSize?: number
  }
  readonly hints?: {
    /** Whether processes tell each other of changes by LISTEN and NOTIFY; without it they poll. [true] */
    readonly enabled?: boolean
  }
  readonly web?: {
    /** Whether there is a router; without it there is the engine alone, to be used in code. [true] */
    readonly enabled?: boolean
  }
  readonly database?: {
    /** The PostgreSQL schema that has the tables. [what the search path says] */
    readonly schema?: string
  }
  readonly http?: {
    /** The longest body, in bytes. [102400] */
    readonly maxBodyBytes?: number
    /** The longest body of submitJobs, in bytes; each input in it is bounded by `maxBodyBytes`. [1048576] */
    readonly maxBatchBytes?: number
    /** The longest that a request with `Prefer: wait=n` is kept waiting. A waiting request counts as a stream. [PT30S] */
    readonly maxWait?: IsoDuration
  }
  /** The URL that the router is reachable at, with the mount path. [taken from each request] */
  readonly publicUrl?: string
}

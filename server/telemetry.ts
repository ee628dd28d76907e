/** Where log lines go. pino fits, and so does any logger with these four methods. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** What happens in operation, by name. A subscriber that throws cannot hurt the work. */
export interface OperationalEvents {
  /** A submit was answered. */
  'job:submitted': { jobId: string; type: string; outcome: string }
  /** An attempt began. */
  'attempt:start': { jobId: string; type: string; attempt: number; workerId: string }
  /** An attempt ended and its end is stored. `error` is what the handler threw. */
  'attempt:end': { jobId: string; type: string; attempt: number; status: string; durationMs: number; error?: unknown }
  /** The end of an attempt was refused: the job was cancelled, or another attempt owns it. */
  'attempt:refused': { jobId: string; type: string; attempt: number; status: string }
  /** A handler did not return although its time was up; its slot was freed. */
  'attempt:abandoned': { jobId: string; type: string; attempt: number }
  /** The lease row of this process is gone; it aborted what it ran and registers anew. */
  'worker:lease-lost': { workerId: string; aborted: number }
  /** Jobs of dead workers, or silent fire-and-forget jobs, were put back or failed. */
  'recovery:found': { requeued: number; failed: number }
  /** Claims whose reply was lost were given back. */
  'recovery:released': { count: number }
  /** Jobs that ended long ago were deleted. */
  'jobs:purged': { count: number }
  /** A statement failed in the background. The work goes on and tries again. */
  'database:error': { during: string; error: unknown }
  /** Hints between processes are off for now; polling serves until they are back. */
  'hints:lost': { error: unknown }
  /** The server refuses LISTEN or NOTIFY; polling serves from now on. */
  'hints:unsupported': { error: unknown }
  /** Sessions are shared here, as by a pooler in transaction mode: no hints and no prepared statements from now on. */
  'pooler:found': { error: unknown }
  /** Hints between processes work. */
  'hints:connected': Record<string, never>
  /** A client that did not read was dropped; `jobs` is how many it watched over this stream, `jobId` the first of them. */
  'stream:dropped': { jobId: string; jobs: number; pending: number }
  /** A request ended in a fault of ours. */
  'request:failed': { method: string; path: string; status: number; error: unknown }
}

export type EventName = keyof OperationalEvents
export type Subscriber = <Name extends EventName>(name: Name, event: OperationalEvents[Name]) => void

/** Hands operational events to its subscribers. */
export class Telemetry {
  readonly #subscribers = new Set<Subscriber>()

  /** @returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  emit<Name extends EventName>(name: Name, event: OperationalEvents[Name]): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(name, event)
      } catch {
        // A subscriber's fault is its own; the work that emitted must go on.
      }
    }
  }
}

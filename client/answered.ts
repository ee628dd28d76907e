import { follow } from './abort.ts'
import { backoff } from './backoff.ts'
import { within } from './delay.ts'
import { HttpError, NetworkError } from './errors.ts'
import { pollDelay } from './retry-after.ts'

/** What is sent is answered within so many milliseconds, or given up. */
export async function answered<T>(
  parent: AbortSignal,
  ms: number,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, abort, release } = follow(parent)
  const late = (): Error => new NetworkError(`No answer within ${ms} ms`)
  try {
    return await within(send(signal), parent, { ms, late })
  } catch (error) {
    abort(error)
    throw error
  } finally {
    release()
  }
}

/** Milliseconds until the next try after the nth failure in a row: what the server asked for, else the back-off. */
export function pauseAfter(error: unknown, failures: number): number {
  const askedMs = error instanceof HttpError ? error.retryAfterMs : undefined
  return askedMs === undefined ? backoff(failures) : pollDelay(askedMs, 0)
}

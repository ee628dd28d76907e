import { parseDuration } from '../duration.ts'
import { startTimer } from '../timer.ts'

/**
 * Waits, or rejects with the signal's reason as soon as it is aborted.
 * @param duration milliseconds, or an ISO 8601 duration. Anything else rejects with a TypeError.
 */
export function abortableSleep(duration: number | string, signal: AbortSignal): Promise<void> {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration)
  if (ms === undefined || !(ms >= 0)) {
    return Promise.reject(
      new TypeError(`sleep: expected milliseconds or an ISO 8601 duration, found ${JSON.stringify(duration)}`),
    )
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel()
      reject(signal.reason as Error)
    }
    const cancel = startTimer(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

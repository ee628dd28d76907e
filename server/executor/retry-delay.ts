/** The first retry waits about this long, in milliseconds. */
const initialDelayMs = 1_000
const factor = 2
/** No retry waits longer than this, in milliseconds: five minutes. */
const maxDelayMs = 300_000

/**
 * How long to wait before the next attempt, in milliseconds: doubling, capped, and spread over the upper half of the
 * delay so that jobs that failed together do not come back together. Finite for any attempt number.
 * @param attempt the attempt that has just failed, from 1.
 * @param random from 0 to 1. Default: drawn.
 */
export function retryDelayMs(attempt: number, random: number = Math.random()): number {
  const full = Math.min(maxDelayMs, initialDelayMs * factor ** Math.min(attempt - 1, 60))
  return Math.round(full * (0.5 + random / 2))
}

/** How the retries of a type are paced. */
export interface RetryPacing {
  /** Before the first retry, in milliseconds. */
  readonly initialDelayMs: number
  /** By how much each delay is longer than the one before. */
  readonly factor: number
  /** No retry waits longer than this, in milliseconds. */
  readonly maxDelayMs: number
  /** Which share of a delay is left to chance, 0 to 1. */
  readonly jitter: number
}

/**
 * How long to wait before the next attempt, in milliseconds: growing, capped, and spread, so that jobs that failed together
 * do not come back together. Finite for any attempt number.
 * @param attempt the attempt that has just failed, from 1.
 * @param random from 0 to 1. Default: drawn.
 */
export function retryDelayMs(attempt: number, pacing: RetryPacing, random: number = Math.random()): number {
  const { initialDelayMs, factor, maxDelayMs, jitter } = pacing
  const full = Math.min(maxDelayMs, initialDelayMs * factor ** (attempt - 1))
  return Math.round(full * (1 - jitter + jitter * random))
}

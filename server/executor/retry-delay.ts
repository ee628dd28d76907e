import type { Retry } from '../jobs/retry-options.ts'

/** How the retries of a type are paced. */
export type RetryPacing = Omit<Retry, 'maxAttempts'>

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

const firstMs = 500
const floorMs = 100

/** The longest pause between two attempts, in milliseconds. */
export const longestPauseMs: number = 30_000

/**
 * Milliseconds to pause after the nth failure in a row (n from 1): anywhere below 0.5 s doubled up to 30 s, so that
 * clients that lost one server together do not come back together. Never below 0.1 s.
 */
export function backoff(failures: number, random: () => number = Math.random): number {
  return Math.max(floorMs, random() * Math.min(longestPauseMs, firstMs * 2 ** (failures - 1)))
}

import { describe, expect, it } from 'vitest'
import { retryDelayMs } from '../../../server/executor/retry-delay.ts'

describe('the delay before a retry', () => {
  it('doubles from one second', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 1))).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  it('is capped and finite for any attempt [K22]', () => {
    for (const attempt of [20, 64, 1_100, 1e9]) expect(retryDelayMs(attempt, 1)).toBe(300_000)
  })

  it('spreads what failed together over half of the delay [K22]', () => {
    const delays = Array.from({ length: 200 }, () => retryDelayMs(4))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(4_000)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(3_000)
  })
})

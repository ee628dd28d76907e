import { describe, expect, it } from 'vitest'
import { retryDelayMs } from '../../../server/executor/retry-delay.ts'

const pacing = { initialDelayMs: 1_000, factor: 2, maxDelayMs: 300_000, jitter: 0.5 }

describe('the delay before a retry', () => {
  it('doubles from one second', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, pacing, 1))).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  it('is capped and finite for any attempt [K22]', () => {
    for (const attempt of [20, 64, 1_100, 1e9]) expect(retryDelayMs(attempt, pacing, 1)).toBe(300_000)
  })

  it('spreads what failed together over half of the delay [K22]', () => {
    const delays = Array.from({ length: 200 }, () => retryDelayMs(4, pacing))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(4_000)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(3_000)
  })

  it('is of the pace of its type', () => {
    const flat = { initialDelayMs: 50, factor: 1, maxDelayMs: 1_000, jitter: 0 }
    expect([1, 2, 1_100].map((attempt) => retryDelayMs(attempt, flat))).toEqual([50, 50, 50])
    expect(retryDelayMs(1_100, { ...flat, factor: 100 })).toBe(1_000)
    expect(retryDelayMs(1, { ...flat, jitter: 1 }, 0)).toBe(0)
  })
})

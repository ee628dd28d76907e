import { describe, expect, it, vi } from 'vitest'
import { purgeAll, purgeLoop, type PurgeOptions } from '../../../server/executor/purge.ts'
import { Telemetry } from '../../../server/telemetry.ts'

/** A store that has so many jobs to purge, and what it was asked and what was told. */
function stock(jobs: number): PurgeOptions & { asked: number[]; told: unknown[] } {
  const asked: number[] = []
  const told: unknown[] = []
  const telemetry = new Telemetry()
  telemetry.subscribe((name, event) => void told.push([name, event]))
  let left = jobs
  const purge = async ({ olderThanMs, limit }: { olderThanMs: number; limit: number }): Promise<number> => {
    expect(olderThanMs).toBe(1_000)
    const count = Math.min(left, limit)
    left -= count
    asked.push(count)
    return count
  }
  return { store: { purge }, telemetry, afterMs: 1_000, batchSize: 10, asked, told }
}

describe('purging batch by batch', () => {
  it('goes on until a batch is not full, and tells how many it deleted', async () => {
    const options = stock(25)
    expect(await purgeAll(options)).toBe(25)
    expect(options.asked).toEqual([10, 10, 5])
    expect(options.told).toEqual([10, 10, 5].map((count) => ['jobs:purged', { count }]))
  })

  it('stops between two batches when its signal is aborted', async () => {
    const options = stock(25)
    const abort = new AbortController()
    const { purge } = options.store
    options.store.purge = (request) => purge(request).finally(() => abort.abort())
    expect(await purgeAll(options, abort.signal)).toBe(10)
    expect(await purgeAll(options, abort.signal)).toBe(0)
  })

  it('runs as a loop: at once again after a full batch, else after the interval, also after an error', async () => {
    vi.useFakeTimers()
    try {
      const options = stock(25)
      const { purge } = options.store
      let calls = 0
      options.store.purge = (request) => ((calls += 1) === 1 ? Promise.reject(new Error('away')) : purge(request))
      const loop = purgeLoop({ ...options, intervalMs: 60_000 })
      loop.start()
      await vi.advanceTimersByTimeAsync(0)
      expect(options.told).toEqual([['database:error', { during: 'purge', error: new Error('away') }]])
      await vi.advanceTimersByTimeAsync(2_000)
      expect(options.asked).toEqual([10, 10, 5])
      await vi.advanceTimersByTimeAsync(50_000)
      expect(options.asked).toHaveLength(3)
      await vi.advanceTimersByTimeAsync(20_000)
      expect(options.asked).toEqual([10, 10, 5, 0])
      await loop.stop()
    } finally {
      vi.useRealTimers()
    }
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JobState } from '../../server/job.ts'
import { Watcher } from '../../server/jobs/watch.ts'
import { Telemetry } from '../../server/telemetry.ts'

const state = (id: string, version: number, status: JobState['status'] = 'PROCESSING'): JobState => ({
  id,
  version,
  status,
  percentComplete: null,
  lastUpdatedAt: new Date(version),
  failure: null,
})

let rows: Map<string, JobState | null>
let reads: ReadonlyMap<string, number>[]
let failing: boolean
let watcher: Watcher
let telemetry: Telemetry

beforeEach(() => {
  vi.useFakeTimers()
  rows = new Map()
  reads = []
  failing = false
  telemetry = new Telemetry()
  const store = {
    readChanges: async (seen: ReadonlyMap<string, number>) => {
      reads.push(seen)
      if (failing) throw new Error('down')
      return new Map(
        [...seen].flatMap(([id, version]) => {
          const row = rows.get(id)
          return row !== undefined && (row === null || row.version > version) ? [[id, row] as const] : []
        }),
      )
    },
  }
  watcher = new Watcher({ store, telemetry, pollIntervalMs: 1_000 })
})
afterEach(() => {
  watcher.stop()
  vi.useRealTimers()
})

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `job-${n}`)

describe('the watcher of a process', () => {
  it('reads all watched jobs at once, each interval, and nothing when none is watched [G13]', async () => {
    const ends = ids(1_000).map((id) => watcher.watch(id, () => {}))
    await vi.advanceTimersByTimeAsync(3_000)
    expect(reads.map((seen) => seen.size)).toEqual([1_000, 1_000, 1_000])
    for (const end of ends) end()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(reads).toHaveLength(3)
    expect(watcher.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of changes of this process without reading', () => {
    const told = vi.fn()
    watcher.watch('a', told)
    watcher.tell([state('a', 2), state('b', 9)])
    expect(told.mock.calls).toEqual([[state('a', 2)]])
    expect(reads).toEqual([])
  })

  it('tells each watch of a version once, and never of an older one [A35 A91]', async () => {
    const told = vi.fn()
    watcher.watch('a', told)
    rows.set('a', state('a', 3))
    watcher.tell([state('a', 3)])
    watcher.tell([state('a', 2)])
    watcher.hint({ types: [], jobs: ['a'] })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('reads hinted jobs at once, those that are watched here only', async () => {
    const told = vi.fn()
    watcher.watch('a', told)
    rows.set('a', state('a', 2))
    watcher.hint({ types: [], jobs: ['a', 'elsewhere'] })
    await vi.advanceTimersByTimeAsync(0)
    expect([...(reads[0] ?? [])]).toEqual([['a', 0]])
    expect(told).toHaveBeenCalledOnce()
    watcher.hint({ types: [], jobs: ['elsewhere'] })
    await vi.advanceTimersByTimeAsync(0)
    expect(reads).toHaveLength(1)
  })

  it('shares one read among the hints that arrive while another is under way', async () => {
    for (const id of ids(50)) watcher.watch(id, () => {})
    for (const id of ids(50)) watcher.hint({ types: [], jobs: [id] })
    await vi.advanceTimersByTimeAsync(0)
    expect(reads.map((seen) => seen.size)).toEqual([1, 49])
  })

  it('finds what a lost hint would have told at the next interval [G13]', async () => {
    const told = vi.fn()
    watcher.watch('a', told)
    rows.set('a', state('a', 5, 'COMPLETED'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toHaveBeenCalledWith(state('a', 5, 'COMPLETED'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(reads).toHaveLength(1)
  })

  it('tells of a job that is gone', async () => {
    const told = vi.fn()
    watcher.watch('a', told)
    rows.set('a', null)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toHaveBeenCalledWith(null)
  })

  it('goes on after a read that failed, and reports it', async () => {
    const events: string[] = []
    telemetry.subscribe((name) => void events.push(name))
    const told = vi.fn()
    watcher.watch('a', told)
    failing = true
    await vi.advanceTimersByTimeAsync(1_000)
    failing = false
    rows.set('a', state('a', 2))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toHaveBeenCalledOnce()
    expect(events).toEqual(['database:error'])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HttpError, NetworkError } from '../../client/errors.ts'
import type { JobEvent, JobState } from '../../client/job-state.ts'
import { Feed } from '../../client/feed.ts'
import type { Delayed, Transport } from '../../client/transport.ts'
import { type Observation, Watch, type WatchTarget } from '../../client/watch.ts'
import { ending, job, jobId, progress, snapshot } from './fixtures.ts'

const started = 1_000_000

beforeEach(() => {
  vi.useFakeTimers({ now: started, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.999_999)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const http = (status: number, retryAfterMs?: number): HttpError =>
  new HttpError(`HTTP ${status}`, { status, ...(retryAfterMs !== undefined && { retryAfterMs }) })

const active: Delayed<JobState> = { value: { ...job('PROCESSING', 2), status: 'PROCESSING' }, retryAfterMs: undefined }
const completed: Delayed<JobState> = { value: { ...job('COMPLETED', 3), status: 'COMPLETED' }, retryAfterMs: undefined }

function body(...frames: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(frames.join('')))
      controller.close()
    },
  })
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const failing = (error: Error) => (): never => {
  throw error
}

/** A watch whose every request ends at once as told, and the seconds at which it made them. */
function watching(
  answers: { status: () => Delayed<JobState>; events: () => ReadableStream<Uint8Array> },
  target: Partial<WatchTarget> = {},
  load?: () => Promise<Feed>,
): { polls: number[]; streams: number[]; run: Promise<Observation[]>; abort: () => void } {
  const [polls, streams]: number[][] = [[], []]
  const begun = performance.now()
  const seconds = (): number => Math.round(performance.now() - begun) / 1000
  const transport = {
    poll: async () => (polls!.push(seconds()), { ...answers.status(), waited: false }),
    // A service that has streams of one job only, so that each of its answers counts.
    events: async (_ids: string[], many: boolean) => {
      if (many) throw http(404)
      streams!.push(seconds())
      return answers.events()
    },
  } as unknown as Transport
  const controller = new AbortController()
  const connections = { transport, silenceMs: 37_500, places: { free: Infinity } }
  const feed = Promise.resolve(new Feed(connections))
  const settings = { ...connections, retryAfterMs: 5_000, loadFeed: load ?? (() => feed) }
  const watch = new Watch(settings, { jobId, ...target }, controller.signal)
  const run = collect(watch.observe())
  run.catch(() => undefined)
  return { polls: polls!, streams: streams!, run, abort: () => controller.abort() }
}

const events = (observations: Observation[]): JobEvent['event'][] =>
  observations.flatMap(({ event }) => event?.event ?? [])

describe('polling', () => {
  it('asks at most once per cap interval, however long the server says [K76]', async () => {
    const { polls, abort } = watching({
      status: () => ({ ...active, retryAfterMs: 99_999_999_999_000 }),
      events: failing(http(404)),
    })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(polls).toHaveLength(12 + 1)
    abort()
  })

  it('keeps to the delay of the 202 first, then to that of each status [K80]', async () => {
    const { polls, abort } = watching(
      { status: () => ({ ...active, retryAfterMs: 1_000 }), events: failing(http(404)) },
      { firstPollMs: 3_000 },
    )
    await vi.advanceTimersByTimeAsync(6_000)
    expect(polls).toEqual([3.3, 4.4, 5.5])
    abort()
  })

  it('ends with the last error after ten failed polls in a row, with growing pauses between', async () => {
    const { polls, run } = watching({ status: failing(http(500)), events: failing(http(404)) })
    await vi.advanceTimersByTimeAsync(300_000)
    await expect(run).rejects.toMatchObject({ name: 'HttpError', status: 500 })
    expect(polls).toHaveLength(10)
    const pauses = polls.slice(1).map((at, index) => Math.round((at - polls[index]!) * 10) / 10)
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30])
  })

  it('goes on through failures for as long as there is a deadline', async () => {
    const { polls, run, abort } = watching(
      { status: failing(new NetworkError('down')), events: failing(new NetworkError('down')) },
      { hasDeadline: true },
    )
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(polls.length).toBeGreaterThan(100)
    abort()
    await expect(run).rejects.toMatchObject({ name: 'AbortError' })
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits as long as a 503 asks for', async () => {
    const answers = [failing(http(503, 20_000)), () => completed]
    const { polls, run } = watching({ status: () => answers.shift()!(), events: failing(http(404)) })
    await vi.advanceTimersByTimeAsync(25_000)
    expect(polls).toEqual([0, 22])
    expect(events(await run)).toEqual(['complete'])
  })

  it('drops a state that is older than what was seen [A35]', async () => {
    const stale: Delayed<JobState> = { value: { ...job('PENDING', 1), status: 'PENDING' }, retryAfterMs: 1_000 }
    const answers = [stale, completed]
    const { run } = watching({ status: () => answers.shift()!, events: () => body(progress(50, 2)) })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(events(await run)).toEqual(['progress', 'complete'])
  })
})

describe('streams', () => {
  it.each([404, 406])('are tried again every 30 s after a %d, while polling goes on [K86]', async (status) => {
    const { polls, streams, abort } = watching({ status: () => active, events: failing(http(status)) })
    await vi.advanceTimersByTimeAsync(100_000)
    expect(streams).toEqual([0, 30, 60, 90])
    expect(polls.length).toBeGreaterThanOrEqual(18)
    abort()
  })

  it('back off up to 30 s while they answer 500 [K86]', async () => {
    const { streams, abort } = watching({ status: () => active, events: failing(http(500)) })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(streams.map((at) => Math.round(at * 10) / 10)).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5])
    abort()
  })

  it('come back when a 503 says [K75]', async () => {
    const { streams, abort } = watching({ status: () => active, events: failing(http(503, 10_000)) })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(streams.map(Math.round)).toEqual([0, 11, 22])
    abort()
  })

  it('back off too when they open and end without news [K83]', async () => {
    const { polls, streams, abort } = watching({ status: () => active, events: () => body(snapshot('PROCESSING', 2)) })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(streams.length).toBeLessThanOrEqual(8)
    expect(polls.length).toBeGreaterThanOrEqual(streams.length)
    abort()
  })

  it('are over once the terminal event was seen; the status resource has the last word', async () => {
    const answers = [failing(http(500)), failing(http(500)), () => completed]
    const { streams, run } = watching({ status: () => answers.shift()!(), events: () => body(ending('complete', 3)) })
    await vi.advanceTimersByTimeAsync(10_000)
    const observations = await run
    expect(events(observations)).toEqual(['complete'])
    expect(observations.at(-1)?.final).toMatchObject({ status: 'COMPLETED' })
    expect(streams).toHaveLength(1)
  })

  it('whose code cannot be loaded are done without: polling serves', async () => {
    const answers = [active, completed]
    const unloadable = (): Promise<Feed> => Promise.reject(new TypeError('Failed to fetch the module'))
    const { polls, run } = watching({ status: () => answers.shift()!, events: failing(http(404)) }, {}, unloadable)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(events(await run)).toEqual(['status', 'complete'])
    expect(polls).toEqual([0, 5.5])
  })
})

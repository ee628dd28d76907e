import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { backoff } from '../../client/backoff.ts'
import { after, sleep, within } from '../../client/delay.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('after', () => {
  it.each([2 ** 31, 2 ** 31 - 1, 2 ** 31 + 1, 2 ** 33])('keeps a delay of %d ms to the millisecond [K33]', (ms) => {
    const callback = vi.fn<() => void>()
    after(ms, callback)
    vi.advanceTimersByTime(ms - 1)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is cancelled also in the middle of a long delay', () => {
    const callback = vi.fn<() => void>()
    const cancel = after(2 ** 32, callback)
    vi.advanceTimersByTime(2 ** 31 + 5)
    cancel()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(2 ** 32)
    expect(callback).not.toHaveBeenCalled()
  })
})

describe('sleep', () => {
  it('resolves in time and leaves no listener', async () => {
    const { signal } = new AbortController()
    const slept = sleep(1_000, signal)
    await vi.advanceTimersByTimeAsync(1_000)
    await slept
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('rejects with the reason of an abort and leaves neither timer nor listener [K91]', async () => {
    const controller = new AbortController()
    const slept = sleep(1_000, controller.signal)
    controller.abort('enough')
    await expect(slept).rejects.toBe('enough')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects at once on a signal that has aborted already', async () => {
    await expect(sleep(1_000, AbortSignal.abort('before'))).rejects.toBe('before')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('within', () => {
  const limit = { ms: 500, late: () => new Error('late') }
  const never = new Promise<never>(() => undefined)

  it('rejects when the time is over', async () => {
    const { signal } = new AbortController()
    const outcome = within(never, signal, limit).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(500)
    expect(await outcome).toEqual(new Error('late'))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('leaves neither timer nor listener behind what ends, or is aborted', async () => {
    const controller = new AbortController()
    await expect(within(Promise.resolve('done'), controller.signal, limit)).resolves.toBe('done')
    const aborted = within(never, controller.signal, limit)
    controller.abort('enough')
    await expect(aborted).rejects.toBe('enough')
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })
})

describe('backoff', () => {
  it('is anywhere below 0.5 s doubled up to 30 s, and never below 0.1 s', () => {
    const most = [1, 2, 3, 4, 5, 6, 7, 8, 2_000].map((failures) => backoff(failures, () => 1))
    expect(most).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    expect(backoff(5, () => 0.5)).toBe(4_000)
    expect(backoff(9, () => 0)).toBe(100)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTimer } from '../../server/timer.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const day = 86_400_000

describe('a timer', () => {
  it('waits for 60 days without firing early or warning [K33]', () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const fire = vi.fn()
    startTimer(60 * day, fire)
    vi.advanceTimersByTime(60 * day - 1)
    expect(fire).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fire).toHaveBeenCalledOnce()
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it('can be cancelled, also after its first leg', () => {
    const fire = vi.fn()
    const cancel = startTimer(60 * day, fire)
    vi.advanceTimersByTime(30 * day)
    cancel()
    vi.advanceTimersByTime(60 * day)
    expect(fire).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})

import { type IsoDuration, parseDuration } from '../duration.ts'
import type { NewJob } from '../store/port.ts'

export interface When {
  readonly runAt?: Date
  readonly delay?: number | IsoDuration
  readonly priority?: number
}

/** When a job is due, and how urgent it is. Throws a TypeError that names what is wrong. */
export function readWhen({ runAt, delay, priority = 1 }: When): Pick<NewJob, 'due' | 'priority'> {
  if (![0, 1, 2, 3].includes(priority))
    throw new TypeError(`priority: expected 0, 1, 2 or 3, found ${String(priority)}`)
  if (runAt !== undefined && delay !== undefined) throw new TypeError('expected runAt or delay, found both')
  return { priority, due: runAt === undefined ? readDelay(delay) : { at: readInstant(runAt) } }
}

function readInstant(runAt: Date): Date {
  if (runAt instanceof Date && !Number.isNaN(runAt.getTime())) return runAt
  throw new TypeError(`runAt: expected a Date, found ${String(runAt)}`)
}

function readDelay(delay: When['delay']): NewJob['due'] {
  if (delay === undefined) return null
  const inMs = typeof delay === 'number' ? delay : parseDuration(delay)
  if (inMs !== undefined && inMs >= 0 && inMs <= longestMs) return { inMs }
  throw new TypeError(
    `delay: expected milliseconds or an ISO 8601 duration, of 100 years at most, found ${String(delay)}`,
  )
}

const longestMs = 100 * 366 * 24 * 3_600_000

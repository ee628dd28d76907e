import { describe, expect, it } from 'vitest'
import { parseRetryAfter, pollDelay } from '../../client/retry-after.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const inMs = (ms: number): string => new Date(now + ms).toUTCString()
const parse = (headers: Record<string, string>): number | undefined => parseRetryAfter(new Headers(headers), () => now)

describe('Retry-After', () => {
  it.each([
    ['2', 2_000],
    ['0', 0],
    ['007', 7_000],
    ['99999999999', 99_999_999_999_000],
  ])('reads seconds, not milliseconds: %s [K76] [K77]', (value, ms) => {
    expect(parse({ 'Retry-After': value })).toBe(ms)
  })

  it('reads a date against the Date of the same response, whatever the local clock says [K78]', () => {
    const hourAhead = { 'Retry-After': inMs(3_603_000), Date: inMs(3_600_000) }
    expect(parse(hourAhead)).toBe(3_000)
    expect(parse({ 'Retry-After': inMs(3_000) })).toBe(3_000)
  })

  it.each([
    '',
    'abc',
    '-1',
    '1.5',
    '1e3',
    '10, 20',
    'Invalid Date',
    'Friday, 02-Jan-26 03:04:08 GMT',
    'Fri Jan  2 03:04:08 2026',
    'Thu, 02 Jan 2026 03:04:08 GMT',
    'Fri, 02 Jan 2026 03:04:08 UTC',
    'Fri, 2 Jan 2026 03:04:08 GMT',
    '2026-01-02T03:04:08Z',
  ])('takes %j for none [K78]', (value) => {
    expect(parse({ 'Retry-After': value })).toBeUndefined()
  })

  it('takes a date in the past, and a missing field, for none [K78]', () => {
    expect(parse({ 'Retry-After': inMs(-1_000) })).toBeUndefined()
    expect(parse({})).toBeUndefined()
  })
})

describe('the delay of a poll', () => {
  it('is what the server asked for and at most a tenth more [K77]', () => {
    expect(pollDelay(2_000, 5_000, () => 0)).toBe(2_000)
    expect(pollDelay(2_000, 5_000, () => 1)).toBe(2_200)
  })

  it('is the default where the server asked for none [K78]', () => {
    expect(pollDelay(undefined, 5_000, () => 0)).toBe(5_000)
  })

  it('has a floor, so that 0 makes no tight loop [K78]', () => {
    expect(pollDelay(0, 5_000, () => 0)).toBe(100)
  })

  it.each([99_999_999_999_000, Infinity])('has a cap far below what timers keep: %d [K76]', (ms) => {
    expect(pollDelay(ms, 5_000, () => 1)).toBe(300_000)
  })
})

import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../server/duration.ts'

describe('ISO 8601 durations', () => {
  it.each([
    ['PT0.5S', 500],
    ['PT10M', 600_000],
    ['PT1H30M', 5_400_000],
    ['P1D', 86_400_000],
    ['P2W', 1_209_600_000],
    ['PT0S', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    'P',
    'PT',
    '1h',
    'P1DT',
    'xPT1H',
    'PT1H5',
    'PT1HS',
    'P1D2H',
    'PT1,5H',
    '10',
    '-PT1S',
    'P1Y',
    'P1M',
    'PT1H ',
    5,
    null,
    undefined,
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { readConfig, type Settings } from '../../server/config.ts'
import { ConfigurationError } from '../../server/errors.ts'
import { type AnyHandler, defineHandler } from '../../server/handler.ts'

function mistakesOf(settings: unknown, handlers: readonly AnyHandler[] = []): readonly string[] {
  try {
    readConfig(handlers, settings as Settings)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes
    throw error
  }
}

const noop = defineHandler({ type: 'noop', handle: () => {} })

describe('the configuration', () => {
  it('has the defaults that are documented [S18]', () => {
    expect(readConfig([], {})).toMatchObject({
      retentionMs: 3_600_000,
      retryAfterSeconds: 5,
      coalesceInFlight: false,
      processing: { enabled: true, concurrencyLimit: 256, pollIntervalMs: 1_000, leaseMs: 30_000, heartbeatMs: 10_000 },
      sse: { heartbeatMs: 15_000, maxPendingEvents: 64, pollIntervalMs: 1_000 },
      recovery: { enabled: true, scanIntervalMs: 30_000, processingTimeoutMs: 900_000, batchSize: 100 },
      hints: { enabled: true },
      http: { maxBodyBytes: 102_400 },
    })
  })

  it('names every mistake at once, with what was expected and what came', () => {
    const mistakes = mistakesOf(
      {
        retention: '1h',
        retryAfterSeconds: 0,
        coalesceInFlight: 'yes',
        processing: { concurrencyLimit: 1.5, lease: 'P1Y', speed: 9 },
        sse: { heartbeat: '-PT1S', maxPendingEvents: 0 },
        recovery: { scanInterval: 'PT', batchSize: -1 },
        publicUrl: 'example.com',
        retentoin: 'PT1H',
      },
      [noop, noop, defineHandler({ type: 'a b', handle: () => {} })],
    )
    const about = (name: string): string => mistakes.find((mistake) => mistake.startsWith(name)) ?? 'missing'
    expect(about('retention')).toBe(
      'retention: expected an ISO 8601 duration such as PT30S, longer than zero, without years and months, found "1h"',
    )
    expect(about('retryAfterSeconds')).toBe('retryAfterSeconds: expected a whole number of at least 1, found 0')
    expect(about('coalesceInFlight')).toBe('coalesceInFlight: expected true or false, found "yes"')
    expect(about('processing.lease')).toContain('"P1Y"')
    expect(about('sse.heartbeat')).toContain('"-PT1S"')
    expect(about('publicUrl')).toContain('an absolute http or https URL, found "example.com"')
    expect(about('retentoin')).toBe('retentoin: there is no such option')
    expect(about('processing.speed')).toBe('processing.speed: there is no such option')
    expect(about('handler "noop"')).toBe('handler "noop": type: registered twice')
    expect(about('handler "a b"')).toContain('expected 1 to 100 of')
    expect(mistakes).toHaveLength(14)
  })

  it('refuses two handlers of one type [A10 A42]', () => {
    expect(mistakesOf({}, [noop, noop])).toEqual(['handler "noop": type: registered twice'])
  })

  it.each([
    ['a handler that does nothing', {}],
    ['a handler that both runs and starts', { handle: () => {}, start: () => {} }],
    ['a budget of no attempt', { handle: () => {}, retry: { maxAttempts: 0 } }],
    ['a time limit that is no duration', { handle: () => {}, timeout: '5 s' }],
    ['an input schema that is no schema', { handle: () => {}, inputSchema: { type: 'strange' } }],
  ])('refuses %s', (_name, rest) => {
    expect(mistakesOf({}, [{ type: 't', ...rest } as AnyHandler])).toHaveLength(1)
  })

  it('refuses a freshness window that is longer than the retention', () => {
    const freshness = { enabled: true, defaultWindow: 'PT2H', perType: { noop: 'PT3H' } }
    expect(mistakesOf({ freshness }, [noop])).toEqual([
      'freshness.defaultWindow: expected no longer than retention, found PT2H',
      'freshness.perType.noop: expected no longer than retention, found PT3H',
    ])
  })

  it('takes durations of days and weeks without overflowing a timer [K33]', () => {
    expect(readConfig([], { retention: 'P60D' }).retentionMs).toBe(5_184_000_000)
  })
})

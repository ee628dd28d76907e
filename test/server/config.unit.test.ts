import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.ts'
import { mergeSettings, readEnvironment, variableOf } from '../../server/config/environment.ts'
import { options } from '../../server/config/options.ts'
import type { Settings } from '../../server/config/settings.ts'
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
  it('has the defaults that are documented [A63 A64 A65 A66 A67 A68 S18]', () => {
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
    ['a budget beyond all bounds', { handle: () => {}, retry: { maxAttempts: 1001 } }],
    ['a delay that is no duration', { handle: () => {}, retry: { initialDelay: '5 s' } }],
    ['delays that shrink', { handle: () => {}, retry: { factor: 0.5 } }],
    ['more chance than there is', { handle: () => {}, retry: { jitter: 2 } }],
    ['a misspelt option of retries', { handle: () => {}, retry: { attempts: 3 } }],
    ['a time limit that is no duration', { handle: () => {}, timeout: '5 s' }],
    ['an input schema that is no schema', { handle: () => {}, inputSchema: { type: 'strange' } }],
  ])('refuses %s', (_name, rest) => {
    expect(mistakesOf({}, [{ type: 't', ...rest } as AnyHandler])).toHaveLength(1)
  })

  it('refuses a freshness window that is longer than the retention', () => {
    const freshness = { enabled: true, defaultWindow: 'PT2H', perType: { noop: 'PT3H' } }
    expect(mistakesOf({ freshness }, [noop])).toEqual([
      'freshness.defaultWindow: expected no longer than retention, found "PT2H"',
      'freshness.perType.noop: expected no longer than retention, found "PT3H"',
    ])
  })

  it('takes durations of days and weeks without overflowing a timer [K33]', () => {
    expect(readConfig([], { retention: 'P60D' }).retentionMs).toBe(5_184_000_000)
  })

  it('refuses a purge of what may still be read', () => {
    expect(mistakesOf({ retention: 'PT2H', purge: { after: 'PT1H' } })).toEqual([
      'purge.after: expected no shorter than retention, found "PT1H"',
    ])
  })
})

describe('the environment', () => {
  it('has a variable for each option [S18]', () => {
    expect(variableOf('processing.stopGrace')).toBe('ASYNC_JOBS_PROCESSING_STOP_GRACE')
    expect(new Set(Object.keys(options).map(variableOf)).size).toBe(Object.keys(options).length)
    const mistakes: string[] = []
    const settings = readEnvironment(
      {
        ASYNC_JOBS_RETENTION: 'PT6H',
        ASYNC_JOBS_COALESCE_IN_FLIGHT: 'true',
        ASYNC_JOBS_FRESHNESS_ENABLED: 'true',
        ASYNC_JOBS_FRESHNESS_PER_TYPE: 'accounts=PT30M, daily.report=P1D',
        ASYNC_JOBS_PROCESSING_CONCURRENCY_LIMIT: '12',
        PATH: '/bin',
      },
      mistakes,
    )
    expect(mistakes).toEqual([])
    expect(settings).toEqual({
      retention: 'PT6H',
      coalesceInFlight: true,
      freshness: { enabled: true, perType: { accounts: 'PT30M', 'daily.report': 'P1D' } },
      processing: { concurrencyLimit: 12 },
    })
  })

  it('goes over the settings of the application, one by one', () => {
    const base: Settings = { retention: 'PT2H', processing: { lease: 'PT10S', stopGrace: 'PT2S' } }
    expect(mergeSettings(base, { processing: { lease: 'PT20S' } })).toEqual({
      retention: 'PT2H',
      processing: { lease: 'PT20S', stopGrace: 'PT2S' },
    })
  })

  it('has all of its mistakes reported at once, each by option and variable', () => {
    const env = Object.fromEntries(Object.keys(options).map((name) => [variableOf(name), '-?-']))
    const mistakes: string[] = []
    const settings = readEnvironment({ ...env, ASYNC_JOBS_RETENTOIN: 'PT1H' }, mistakes)
    const label = (name: string): string => `${name} (${variableOf(name)})`
    expect(() => readConfig([], settings, { mistakes, label })).toThrow('async-jobs cannot start:')
    expect(mistakes[0]).toBe('ASYNC_JOBS_RETENTOIN: there is no such option')
    const wrong = Object.keys(options).filter((name) => name !== 'database.schema' && name !== 'freshness.perType')
    for (const name of wrong) {
      expect(mistakes.filter((mistake) => mistake.startsWith(`${name} (${variableOf(name)}): expected`))).toHaveLength(
        1,
      )
    }
    expect(mistakes.find((mistake) => mistake.includes('perType'))).toContain('expected an ISO 8601 duration')
  })
})

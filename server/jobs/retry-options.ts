import { parseDuration } from '../duration.ts'
import type { RetryOptions } from '../handler.ts'

/** The retries of a type, complete and checked. */
export interface Retry {
  readonly maxAttempts: number
  /** Before the first retry. */
  readonly initialDelayMs: number
  /** By how much each delay is longer than the one before. */
  readonly factor: number
  /** No retry waits longer than this. */
  readonly maxDelayMs: number
  /** Which share of a delay is left to chance, 0 to 1. */
  readonly jitter: number
}

interface Bounds {
  readonly least: number
  readonly most: number
  readonly fallback: number
  readonly whole?: boolean
}

/**
 * Reads the retry options of a type.
 * @param mistakes receives a sentence for each option that is wrong.
 */
export function readRetry(options: RetryOptions, label: string, mistakes: string[]): Retry {
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (!known.has(name)) mistakes.push(`${label}: retry.${name}: expected ${[...known].join(', ')}`)
  }
  const number = (name: string, { least, most, fallback, whole = false }: Bounds): number => {
    const found = given[name] ?? fallback
    const fits = typeof found === 'number' && found >= least && found <= most && (!whole || Number.isInteger(found))
    if (fits) return found
    const kind = whole ? 'a whole number' : 'a number'
    mistakes.push(`${label}: retry.${name}: expected ${kind} from ${least} to ${most}, found ${JSON.stringify(found)}`)
    return fallback
  }
  const duration = (name: string, fallback: string): number => {
    const found = given[name] ?? fallback
    const ms = parseDuration(found)
    if (ms !== undefined) return ms
    mistakes.push(
      `${label}: retry.${name}: expected an ISO 8601 duration such as PT30S, found ${JSON.stringify(found)}`,
    )
    return 0
  }
  return {
    maxAttempts: number('maxAttempts', { least: 1, most: 1000, fallback: 1, whole: true }),
    initialDelayMs: duration('initialDelay', 'PT1S'),
    factor: number('factor', { least: 1, most: 100, fallback: 2 }),
    maxDelayMs: duration('maxDelay', 'PT5M'),
    jitter: number('jitter', { least: 0, most: 1, fallback: 0.5 }),
  }
}

const known: ReadonlySet<string> = new Set(['maxAttempts', 'initialDelay', 'factor', 'maxDelay', 'jitter'])

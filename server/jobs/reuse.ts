import { ProblemError } from '../errors.ts'
import type { Completion, Store } from '../store/port.ts'
import { checkInput } from './input.ts'
import { canonicalJson, sha256 } from './json.ts'
import { findType, type RegisteredType } from './registry.ts'

/** How types answer repeated submits. */
export interface ReusePolicy {
  coalesce(type: RegisteredType): 'join' | 'reject' | false
  /** How long a completed job answers for a new submit, in milliseconds; null when it never does. */
  freshForMs(type: string): number | null
}

/** Which work is asked about. */
export interface FreshnessQuery {
  /** Default: the empty text. */
  readonly tenant?: string
  /** For a type with an input. */
  readonly input?: unknown
}

/** Which submits of a type ask for the same work, as hex. */
export function coalescingKeyOf({ handler }: RegisteredType, input: unknown): string {
  if (handler.coalesceBy !== undefined) return sha256(`by ${handler.coalesceBy(input)}`)
  return sha256(input === undefined ? '' : canonicalJson(input))
}

export interface FreshnessParts {
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly store: Pick<Store, 'lastCompleted'>
  readonly reuse: ReusePolicy
}

/** What an endpoint of the consumer's own may say about the age of its data. */
export interface Freshness {
  /**
   * When the work of a type completed last; undefined when it never did within what is kept.
   * Rejects for a type that uses neither freshness nor single-flight: nothing tells which of its jobs do the same work.
   */
  lastRefreshedAt(type: string, query?: FreshnessQuery): Promise<Date | undefined>
  /** Whether the work of a type completed within its freshness window. */
  isFresh(type: string, query?: FreshnessQuery): Promise<boolean>
}

/** Answers from the jobs that have completed. */
export function createFreshness({ types, store, reuse }: FreshnessParts): Freshness {
  const last = async (name: string, { tenant = '', input }: FreshnessQuery): Promise<Completion | undefined> => {
    const type = findType(types, name)
    if (reuse.freshForMs(name) === null && reuse.coalesce(type) === false) {
      throw new ProblemError('invalid-request', {
        detail: `the type "${name}" uses neither freshness nor single-flight`,
      })
    }
    const coalescingKey = coalescingKeyOf(type, checkInput(type, input))
    return store.lastCompleted({ tenant, type: name, coalescingKey })
  }
  return {
    lastRefreshedAt: async (name, query = {}) => (await last(name, query))?.at,
    isFresh: async (name, query = {}) => {
      const window = reuse.freshForMs(name)
      const completion = await last(name, query)
      return completion !== undefined && window !== null && completion.ageMs < window
    },
  }
}

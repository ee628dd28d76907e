import { ProblemError } from '../errors.ts'
import type { Store } from '../store/port.ts'

/** How long a count is trusted, in milliseconds. */
const trustedFor = 1_000

interface Count {
  readonly at: number
  readonly pending: Promise<number>
}

/**
 * Bounds the waiting jobs of a type, where a bound is configured. The count is read at most once a second per type, so
 * the bound may be exceeded by what one second submits, and submits pay nothing for it.
 */
export class Backlog {
  readonly #store: Pick<Store, 'countPending'>
  readonly #limit: number | undefined
  readonly #counts = new Map<string, Count>()

  constructor(store: Pick<Store, 'countPending'>, limit: number | undefined) {
    this.#store = store
    this.#limit = limit
  }

  /**
   * Rejects with `queue-full` when enough jobs of the type wait already.
   * @param ahead how many of the type are submitted together with this one, before it.
   */
  async admit(type: string, ahead = 0): Promise<void> {
    if (this.#limit === undefined) return
    const pending = await this.#count(type, this.#limit)
    if (pending + ahead >= this.#limit) throw this.#full(this.#limit)
  }

  /** The same inside a caller's transaction, which may hold the last connection of the pool. */
  async admitWithin(type: string, count: Store['countPending']): Promise<void> {
    if (this.#limit === undefined) return
    const last = this.#trusted(type)
    // What a transaction sees may never come to be, so nobody else relies on it.
    const pending = await (last ?? count(type, this.#limit))
    if (pending >= this.#limit) throw this.#full(this.#limit)
  }

  #full(limit: number): ProblemError {
    return new ProblemError('queue-full', { detail: `${limit} jobs wait already` })
  }

  #trusted(type: string): Promise<number> | undefined {
    const last = this.#counts.get(type)
    return last !== undefined && performance.now() - last.at < trustedFor ? last.pending : undefined
  }

  #count(type: string, limit: number): Promise<number> {
    const last = this.#trusted(type)
    if (last !== undefined) return last
    const pending = this.#store.countPending(type, limit)
    this.#counts.set(type, { at: performance.now(), pending })
    pending.catch(() => this.#counts.delete(type))
    return pending
  }
}

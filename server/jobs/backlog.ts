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

  /** Rejects with `queue-full` when enough jobs of the type wait already. */
  async admit(type: string): Promise<void> {
    if (this.#limit === undefined) return
    const pending = await this.#count(type, this.#limit)
    if (pending >= this.#limit) throw new ProblemError('queue-full', { detail: `${this.#limit} jobs wait already` })
  }

  #count(type: string, limit: number): Promise<number> {
    const now = performance.now()
    const last = this.#counts.get(type)
    if (last !== undefined && now - last.at < trustedFor) return last.pending
    const pending = this.#store.countPending(type, limit)
    this.#counts.set(type, { at: now, pending })
    pending.catch(() => this.#counts.delete(type))
    return pending
  }
}

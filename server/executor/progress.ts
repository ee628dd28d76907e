import type { Changes } from '../jobs/changes.ts'
import { toPercent } from '../jobs/percent.ts'
import type { Store } from '../store/port.ts'

/** Between two writes of one job, in milliseconds. What is reported meanwhile is merged, the newest value wins. */
const pace = 100

export interface ProgressParts {
  readonly store: Pick<Store, 'reportProgress'>
  readonly changes: Changes
}

/** The progress of one attempt: at most one write under way, at most one in each {@link pace}, the newest value last. */
export class AttemptProgress {
  readonly #parts: ProgressParts
  readonly #claim: { readonly id: string; readonly fencingToken: number }
  #newest: number | undefined
  #stored: number | undefined
  #writing: Promise<boolean> | undefined
  #lastWrite = -Infinity
  #timer: NodeJS.Timeout | undefined
  #accepted = true

  constructor(parts: ProgressParts, claim: { readonly id: string; readonly fencingToken: number }) {
    this.#parts = parts
    this.#claim = claim
  }

  /** Resolves to false when a write was refused; a report that is merged into a later write resolves at once. */
  async report(percent: unknown): Promise<boolean> {
    this.#newest = toPercent(percent)
    if (!this.#accepted || this.#newest === this.#stored) return this.#accepted
    const due = this.#lastWrite + pace - performance.now()
    if (due <= 0) return this.#write()
    this.#timer ??= setTimeout(() => void this.#write().catch(() => {}), due)
    return this.#accepted
  }

  /** Nothing is written after this. */
  close(): void {
    clearTimeout(this.#timer)
    this.#accepted = false
  }

  #write(): Promise<boolean> {
    this.#writing ??= this.#writeNewest().finally(() => (this.#writing = undefined))
    return this.#writing
  }

  async #writeNewest(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const percent = this.#newest
    if (percent === undefined || !this.#accepted) return this.#accepted
    this.#lastWrite = performance.now()
    const state = await this.#parts.store.reportProgress({ ...this.#claim, percent })
    if (state === undefined) {
      this.#accepted = false
      return false
    }
    this.#stored = percent
    this.#parts.changes.changed([state])
    return true
  }
}

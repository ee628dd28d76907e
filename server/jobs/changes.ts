import type { JobState } from '../job.ts'
import type { Hint } from '../store/port.ts'

/** What the parts of a process tell each other after a commit. */
export interface ChangeListener {
  /** Jobs have changed; their new states. */
  onChanged?(states: readonly JobState[]): void
  /** There is new work of these types. */
  onWork?(types: readonly string[]): void
}

/**
 * Carries every committed change of this process to whoever waits here, and hints to the other processes. What other
 * processes hint arrives through {@link Changes.receive}.
 */
export class Changes {
  readonly #announce: (hint: Hint) => void
  readonly #listeners = new Set<ChangeListener>()

  constructor(announce: (hint: Hint) => void) {
    this.#announce = announce
  }

  listen(listener: ChangeListener): void {
    this.#listeners.add(listener)
  }

  /** Call it after the commit. */
  changed(states: readonly JobState[]): void {
    if (states.length === 0) return
    for (const listener of this.#listeners) listener.onChanged?.(states)
    this.#announce({ types: [], jobs: states.map(({ id }) => id) })
  }

  /** Call it after the commit. */
  submitted(type: string): void {
    for (const listener of this.#listeners) listener.onWork?.([type])
    this.#announce({ types: [type], jobs: [] })
  }
}

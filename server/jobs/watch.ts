import { isTerminal, type JobState } from '../job.ts'
import type { Hint, Store } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'

/** Told of each newer state of a job, and of null when the job is gone. */
export type Watch = (state: JobState | null) => void

interface Watched {
  version: number
  readonly watches: Set<Watch>
}

export interface WatcherOptions {
  readonly store: Pick<Store, 'readChanges'>
  readonly telemetry: Telemetry
  /** Between two safety reads, in milliseconds: the worst latency of an event when no hint arrives. */
  readonly pollIntervalMs: number
}

/**
 * One per process, for all streams, waits and running handlers. Changes of this process arrive without a read; those of
 * others by hint and one batched read; and one batched read per interval, while anything is watched, finds whatever
 * hint was lost. The cost in the database does not grow with the number of watches.
 */
export class Watcher {
  readonly #options: WatcherOptions
  readonly #jobs = new Map<string, Watched>()
  /** Hinted ids that wait for the read under way, or null for all. */
  #hinted: Set<string> | null = new Set()
  #reading = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  /** How many jobs are watched. */
  get size(): number {
    return this.#jobs.size
  }

  /**
   * Watches a job. Subscribe first and read afterwards: a change may then be told twice, never missed.
   * @param version the version known already; only newer ones are told. Default: 0.
   * @returns a function that ends the watch.
   */
  watch(id: string, watch: Watch, version = 0): () => void {
    let watched = this.#jobs.get(id)
    if (watched === undefined) {
      watched = { version, watches: new Set() }
      this.#jobs.set(id, watched)
    }
    watched.watches.add(watch)
    this.#timer ??= setInterval(() => this.#look(null), this.#options.pollIntervalMs)
    return () => {
      watched.watches.delete(watch)
      if (watched.watches.size === 0 && this.#jobs.get(id) === watched) this.#jobs.delete(id)
      if (this.#jobs.size === 0) this.stop()
    }
  }

  /** Tells the watches of states that are committed. */
  tell(states: readonly JobState[]): void {
    if (this.#jobs.size === 0) return
    for (const state of states) this.#tellOne(state.id, state)
  }

  /** Looks at hinted jobs that are watched here. */
  hint({ jobs }: Hint): void {
    if (this.#jobs.size === 0) return
    if (jobs === null) return this.#look(null)
    const watched = jobs.filter((id) => this.#jobs.has(id))
    if (watched.length > 0) this.#look(watched)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tellOne(id: string, state: JobState | null): void {
    const watched = this.#jobs.get(id)
    if (watched === undefined || (state !== null && state.version <= watched.version)) return
    if (state !== null) watched.version = state.version
    // Nothing follows a terminal state, so nothing is read for it any more.
    if (state === null || isTerminal(state.status)) this.#jobs.delete(id)
    for (const watch of watched.watches) watch(state)
    if (this.#jobs.size === 0) this.stop()
  }

  /** Reads at once; what is hinted while a read is under way shares the next one. */
  #look(ids: readonly string[] | null): void {
    if (ids === null) this.#hinted = null
    else for (const id of ids) this.#hinted?.add(id)
    if (!this.#reading) void this.#read()
  }

  async #read(): Promise<void> {
    this.#reading = true
    try {
      while (this.#hinted === null || this.#hinted.size > 0) {
        const seen = this.#take()
        if (seen.size === 0) continue
        for (const [id, state] of await this.#options.store.readChanges(seen)) this.#tellOne(id, state)
      }
    } catch (error) {
      this.#hinted = new Set()
      this.#options.telemetry.emit('database:error', { during: 'watch', error })
    } finally {
      this.#reading = false
    }
  }

  #take(): Map<string, number> {
    const ids = this.#hinted ?? this.#jobs.keys()
    const seen = new Map<string, number>()
    for (const id of ids) {
      const watched = this.#jobs.get(id)
      if (watched !== undefined) seen.set(id, watched.version)
    }
    this.#hinted = new Set()
    return seen
  }
}

import { follow } from './abort.ts'
import { answered, pauseAfter } from './answered.ts'
import { longestPauseMs } from './backoff.ts'
import { sleep } from './delay.ts'
import { HttpError, isTransient } from './errors.ts'
import { readEvents, type StreamEvent } from './event-stream.ts'
import { isActive, type JobEvent } from './job-state.ts'
import type { Transport } from './transport.ts'

/** When to look again for a free place among the streams of this client. */
const placeCheckMs = 1_000
/** A stream that lasts so long was no accident. */
const steadyMs = 1_000
/**
 * What joins an open stream makes it open anew: not at once, so that jobs that join together share that, and later the
 * longer the list is that is then asked for.
 */
const joinMs = 20
const joinPaceMs = 2
/** How long the polls after a lost stream are spread, for each of its jobs. */
const spreadMs = 5

/** What a server, or what stands before it, answers that has no stream of many jobs, or none for so long a list. */
const missing = new Set([400, 404, 405, 414, 431, 501])

export interface ChannelSettings {
  readonly transport: Transport
  /** Milliseconds without a sign of life after which a stream or a request counts as dead. */
  readonly silenceMs: number
  /** How many more connections this client may keep open. Shared by all its streams and long polls. */
  readonly places: { free: number }
}

/** Told of the events of one job. */
export interface Listener {
  onEvent(event: JobEvent): void
  /**
   * Nothing comes for now: the stream could not be had or has ended, and is tried again; or the job is not there.
   * @param spread within how many milliseconds to look at the job instead; undefined where there was no stream at all.
   */
  onLost(failure: unknown, spread: number | undefined): void
  /** The caller may have no stream: nothing comes any more. */
  onRefused(error: unknown): void
}

interface Job {
  readonly listeners: Set<Listener>
  /** What whoever joins later is told first. */
  last?: JobEvent
}

export type Entry = readonly [jobId: string, listener: Listener]

/** One stream at a time, for as long as anybody listens; opened anew, with pauses, when it is lost. */
export class Channel {
  readonly #settings: ChannelSettings
  readonly #many: boolean
  readonly #jobs = new Map<string, Job>()
  /** Ends when nobody listens any more. */
  readonly #life = new AbortController()
  /** Aborts the present connection. */
  #reopen = (): void => undefined
  #joining = false
  /** 0 while there is none. */
  #openedAt = 0
  #lost = 0

  constructor(settings: ChannelSettings, many: boolean) {
    this.#settings = settings
    this.#many = many
  }

  /** How many jobs it is for. Nobody can join one that has ended. */
  get size(): number {
    return this.#life.signal.aborted ? Infinity : this.#jobs.size
  }

  has(jobId: string): boolean {
    return this.size < Infinity && this.#jobs.has(jobId)
  }

  add(jobId: string, listener: Listener): void {
    const job = this.#jobs.get(jobId)
    if (job) {
      job.listeners.add(listener)
      if (job.last) listener.onEvent(job.last)
      return
    }
    this.#jobs.set(jobId, { listeners: new Set([listener]) })
    if (this.#openedAt === 0 || this.#joining) return
    this.#joining = true
    const pace = joinMs + joinPaceMs * this.#jobs.size
    setTimeout(() => this.#joining && this.#reopen(), Math.max(0, this.#openedAt + pace - performance.now()))
  }

  remove(jobId: string, listener: Listener): void {
    const job = this.#jobs.get(jobId)
    if (!job?.listeners.delete(listener) || job.listeners.size > 0) return
    this.#jobs.delete(jobId)
    // Later, because closing is slow next to telling all who wait.
    if (this.#jobs.size === 0) setTimeout(() => this.#jobs.size === 0 && this.#life.abort())
  }

  /** Runs until nobody listens any more. Resolves to whom it had to leave, because the server has no such stream. */
  async run(): Promise<Entry[]> {
    const { signal } = this.#life
    // Whoever joins in this same turn shares the first connection.
    await Promise.resolve()
    while (!signal.aborted) {
      const pause = await this.#connect()
      if (pause === undefined) return this.#all()
      await sleep(pause, signal).catch(() => undefined)
    }
    return []
  }

  #all(): Entry[] {
    return [...this.#jobs].flatMap(([jobId, { listeners }]) => [...listeners].map((one): Entry => [jobId, one]))
  }

  /** Opens a stream and reads it to its end. @returns the milliseconds until the next one; undefined: there is none. */
  async #connect(): Promise<number | undefined> {
    const { places } = this.#settings
    if (places.free <= 0) return placeCheckMs
    const scope = follow(this.#life.signal)
    const began = performance.now()
    let told = false
    let failure: unknown
    let opened = false
    this.#reopen = () => scope.abort(undefined)
    this.#joining = false
    this.#openedAt = began
    places.free -= 1
    try {
      const body = await this.#request(scope.signal)
      opened = true
      const reading = { silenceMs: this.#settings.silenceMs, signal: scope.signal }
      for await (const event of readEvents(body, reading)) told = this.#tell(event) || told
    } catch (error) {
      failure = error
    } finally {
      places.free += 1
      scope.release()
      this.#openedAt = 0
    }
    if (scope.signal.aborted) return 0
    if (!opened && failure instanceof HttpError && this.#many && missing.has(failure.status)) return undefined
    // A good stream lived for a while and told something, or ended in order. One that breaks right after its snapshot is
    // a failure: a server that stops, or a proxy that cuts, would otherwise be asked again at once, for as long as it does.
    if (performance.now() - began > steadyMs && (told || !failure)) this.#lost = 0
    this.#lost += 1
    return this.#pause(opened, failure)
  }

  /** Tells everybody. @returns the milliseconds until the next stream. */
  #pause(opened: boolean, failure: unknown): number {
    const refused = failure instanceof HttpError && (failure.status === 401 || failure.status === 403)
    const spread = opened ? this.#jobs.size * spreadMs : undefined
    for (const [, listener] of this.#all()) {
      if (refused) listener.onRefused(failure)
      else listener.onLost(failure, spread)
    }
    return opened || isTransient(failure) ? pauseAfter(failure, this.#lost) : longestPauseMs
  }

  /** @returns whether it was news to anybody. */
  #tell(event: StreamEvent): boolean {
    const { jobId } = event.data
    const job = this.#jobs.get(jobId)
    if (!job) return false
    const { listeners } = job
    if (event.event === 'unknown') {
      for (const listener of listeners) listener.onLost(undefined, 0)
    } else {
      job.last = event
      for (const listener of listeners) listener.onEvent(event)
      if (isActive(event)) return true
    }
    // Nothing more comes of this job.
    for (const listener of listeners) this.remove(jobId, listener)
    return true
  }

  async #request(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { transport, silenceMs } = this.#settings
    const jobIds = [...this.#jobs.keys()]
    return answered(signal, silenceMs, (scope) => transport.events(jobIds, this.#many, scope))
  }
}

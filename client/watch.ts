import { backoff, longestPauseMs } from './backoff.ts'
import { follow } from './abort.ts'
import { sleep, within } from './delay.ts'
import { HttpError, NetworkError } from './errors.ts'
import { readEvents } from './event-stream.ts'
import { isActive, isTerminal, type JobEvent, type JobState, type TerminalJob, toEvent } from './job-state.ts'
import { pollDelay } from './retry-after.ts'
import type { Transport } from './transport.ts'

/** So many failed polls in a row end a watch that has no deadline: about a minute, with the pauses between them. */
const failedPollsLimit = 10

/** When to look again for a free place among the streams of this client. */
const placeCheckMs = 1_000

/** A stream that lasts so long was no accident. */
const steadyMs = 1_000

export interface WatchSettings {
  readonly transport: Transport
  /** Milliseconds without a sign of life after which a stream or a request counts as dead. */
  readonly silenceMs: number
  /** Milliseconds between polls where the server names none. */
  readonly retryAfterMs: number
  /** How many more streams this client may open. Shared by all its watches. */
  readonly places: { free: number }
}

export interface WatchTarget {
  readonly jobId: string
  /** Milliseconds until the first poll, where a submit said so. */
  readonly firstPollMs?: number | undefined
  /** The watch has a deadline, so it need not count failures. */
  readonly hasDeadline?: boolean
}

/** What a look at a job showed: news, if any, and its end, as only the status resource says it. */
export interface Observation {
  readonly event?: JobEvent | undefined
  readonly final?: TerminalJob
}

/** Statuses that may give way to a better answer; a 2xx is an error here when its body is not of the contract. */
const transientStatus = /^(?:2..|5..|408|425|429)$/

function isTransient(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof HttpError && transientStatus.test(String(error.status)))
}

/** Milliseconds until the next try after the nth failure in a row: what the server asked for, else the back-off. */
function pauseAfter(error: unknown, failures: number): number {
  const askedMs = error instanceof HttpError ? error.retryAfterMs : undefined
  return askedMs === undefined ? backoff(failures) : pollDelay(askedMs, 0)
}

/** Watches one job: by a stream when one can be had, else by polling, one connection at a time. */
export class Watch {
  /** Why the last request that failed did. */
  lastFailure: { readonly cause: unknown } | undefined
  readonly #settings: WatchSettings
  readonly #target: WatchTarget
  readonly #signal: AbortSignal
  #version = 0
  #streamAt = 0
  #pollAt: number
  #lostStreams = 0
  #failedPolls = 0

  constructor(settings: WatchSettings, target: WatchTarget, signal: AbortSignal) {
    this.#settings = settings
    this.#target = target
    this.#signal = signal
    this.#pollAt = target.firstPollMs === undefined ? 0 : performance.now() + pollDelay(target.firstPollMs, 0)
  }

  /**
   * Each newer state once, in order, up to the final one. The end of a stream says nothing about the job: what
   * follows it is a poll. Throws the reason of the signal, or a typed error that waiting cannot mend.
   */
  async *observe(): AsyncGenerator<Observation, void, void> {
    for (;;) {
      const now = performance.now()
      if (now >= this.#streamAt && this.#settings.places.free > 0) {
        yield* this.#stream()
      } else if (now >= this.#pollAt) {
        const observation = await this.#poll()
        yield observation
        if (observation.final) return
      } else {
        const streamMs = Math.max(this.#streamAt - now, this.#settings.places.free > 0 ? 0 : placeCheckMs)
        await sleep(Math.min(streamMs, this.#pollAt - now), this.#signal)
      }
    }
  }

  async *#stream(): AsyncGenerator<Observation, void, void> {
    const { places, silenceMs } = this.#settings
    const [openedAt, before] = [performance.now(), this.#version]
    let opened = false
    let failure: unknown
    places.free -= 1
    try {
      const body = await this.#request((transport, signal) =>
        transport.events(this.#target.jobId, this.#version, signal),
      )
      opened = true
      if (body) yield* this.#news(readEvents(body, { silenceMs, signal: this.#signal }))
    } catch (error) {
      this.#signal.throwIfAborted()
      this.lastFailure = { cause: (failure = error) }
    } finally {
      places.free += 1
    }
    // A good stream lived for a while and told something, or ended in order. One that breaks right after its snapshot is
    // a failure: a server that stops, or a proxy that cuts, would otherwise be asked again at once, for as long as it does.
    const good = performance.now() - openedAt > steadyMs && (this.#version > before || failure === undefined)
    if (good) this.#lostStreams = 0
    this.#lostStreams += 1
    if (opened) this.#pollAt = 0
    this.#streamAt = Math.max(this.#streamAt, performance.now() + this.#streamPause(opened, failure))
  }

  async *#news(events: AsyncIterable<JobEvent>): AsyncGenerator<Observation, void, void> {
    for await (const event of events) {
      if (!(event.data.version > this.#version)) continue
      this.#version = event.data.version
      this.#failedPolls = 0
      if (!isActive(event)) this.#streamAt = Infinity
      yield { event }
      if (!isActive(event)) return
    }
  }

  /** Milliseconds until the next stream. Throws what says that the caller may not have one. */
  #streamPause(opened: boolean, error: unknown): number {
    if (opened || isTransient(error)) return pauseAfter(error, this.#lostStreams)
    if (!(error instanceof HttpError) || error.status === 401 || error.status === 403) throw error
    return longestPauseMs
  }

  async #poll(): Promise<Observation> {
    try {
      const { value, retryAfterMs } = await this.#request((transport, signal) =>
        transport.status(this.#target.jobId, signal),
      )
      this.#failedPolls = 0
      this.#pollAt = performance.now() + pollDelay(retryAfterMs, this.#settings.retryAfterMs)
      return this.#observed(value)
    } catch (error) {
      this.#signal.throwIfAborted()
      this.lastFailure = { cause: error }
      this.#failedPolls += 1
      const givesUp = this.#failedPolls >= failedPollsLimit && !this.#target.hasDeadline
      if (givesUp || !isTransient(error)) throw error
      this.#pollAt = performance.now() + pauseAfter(error, this.#failedPolls)
      return {}
    }
  }

  #observed(state: JobState): Observation {
    if (state.version < this.#version) return {}
    const event = state.version > this.#version ? toEvent(state) : undefined
    this.#version = state.version
    return isTerminal(state) ? { event, final: state } : { event }
  }

  async #request<T>(send: (transport: Transport, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { transport, silenceMs: ms } = this.#settings
    const { signal, abort, release } = follow(this.#signal)
    const late = (): Error => new NetworkError(`No answer within ${ms} ms`)
    try {
      return await within(send(transport, signal), this.#signal, { ms, late })
    } catch (error) {
      abort(error)
      throw error
    } finally {
      release()
    }
  }
}

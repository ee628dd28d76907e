import { follow, onAbort } from './abort.ts'
import { answered, pauseAfter } from './answered.ts'
import type { Listener } from './channel.ts'
import { after } from './delay.ts'
import { isTransient } from './errors.ts'
import type { Feed } from './feed.ts'
import { isActive, isTerminal, type JobEvent, type JobState, type TerminalJob, toEvent } from './job-state.ts'
import { pollDelay } from './retry-after.ts'
import type { LongPoll, Transport } from './transport.ts'

/** So many failed polls in a row end a watch that has no deadline: about a minute, with the pauses between them. */
const failedPollsLimit = 10

/** When to look at a job of which nothing is known, if no stream tells of it. */
const firstPollMs = 1_000

/** How many events may wait for a consumer that is busy; then the oldest are left out. */
const longestInbox = 64

/** The longest that the server is asked to keep a poll waiting, in seconds; proxies cut what is silent for longer. */
const longestPollSeconds = 20

export interface WatchSettings {
  readonly transport: Transport
  /** The streams of the client; their code is loaded when the first wait begins. */
  readonly loadFeed: () => Promise<Feed>
  /** Milliseconds without a sign of life after which a stream or a request counts as dead. */
  readonly silenceMs: number
  /** Milliseconds between polls where the server names none. */
  readonly retryAfterMs: number
  /** How many more connections this client may keep open. Shared by all its streams and long polls. */
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

/** Watches one job: by the client's stream while that tells of it, else by polling. */
export class Watch {
  /** Why the last request that failed did. */
  lastFailure: { readonly cause: unknown } | undefined
  readonly #settings: WatchSettings
  readonly #target: WatchTarget
  readonly #signal: AbortSignal
  readonly #inbox: JobEvent[] = []
  #version = 0
  /** Nothing is known of the job: neither a submit nor a poll has been answered. */
  #unseen: boolean
  #pollAt: number
  /** The stream tells of the job, so nothing is polled. */
  #live = false
  #ended = false
  #refused: { readonly error: unknown } | undefined
  #failedPolls = 0
  #polling = false
  #wake = (): void => undefined

  constructor(settings: WatchSettings, target: WatchTarget, signal: AbortSignal) {
    this.#settings = settings
    this.#target = target
    this.#signal = signal
    this.#unseen = target.firstPollMs === undefined
    const ms = target.firstPollMs === undefined ? firstPollMs : pollDelay(target.firstPollMs, 0)
    this.#pollAt = performance.now() + ms
  }

  /**
   * Each newer state once, in order, up to the final one. What a stream says of the end is confirmed by a poll. Throws
   * the reason of the signal, or a typed error that waiting cannot mend.
   */
  async *observe(): AsyncGenerator<Observation, void, void> {
    const leave = this.#join()
    // Also while the consumer is busy with an event.
    const detach = onAbort(this.#signal, leave)
    try {
      for (;;) {
        const observation = await this.#look()
        if (observation) yield observation
        if (observation?.final) return
      }
    } finally {
      detach()
      leave()
    }
  }

  /** What comes next: what the stream told, or a poll when it is due, or a pause until then. */
  async #look(): Promise<Observation | undefined> {
    this.#signal.throwIfAborted()
    const event = this.#inbox.shift()
    if (event) return this.#news(event)
    if (this.#refused) throw this.#refused.error
    const due = this.#live ? Infinity : this.#pollAt - performance.now()
    return due > 0 ? this.#pause(due) : this.#poll()
  }

  /** Listens to the stream as soon as there is one. What cannot be loaded is a stream that cannot be had. */
  #join(): () => void {
    let left = false
    let leave = (): void => undefined
    const listener = this.#listener()
    const join = (feed: Feed): void => {
      if (!left) leave = feed.join(this.#target.jobId, listener)
    }
    this.#settings.loadFeed().then(join, (error: unknown) => listener.onLost(error, undefined))
    return () => {
      left = true
      leave()
    }
  }

  #listener(): Listener {
    return {
      onEvent: (event) => {
        this.#live = isActive(event)
        if (!this.#live) this.#pollAt = 0
        this.#inbox.push(event)
        if (this.#inbox.length > longestInbox) this.#inbox.shift()
        this.#wake()
      },
      onLost: (error, spread) => {
        this.#live = false
        if (spread !== undefined || this.#unseen) {
          this.#pollAt = Math.min(this.#pollAt, performance.now() + Math.random() * (spread ?? 0))
        }
        if (error) this.lastFailure = { cause: error }
        // A poll that is under way is as good as the next one.
        if (!this.#polling) this.#wake()
      },
      onRefused: (error) => {
        this.#refused = { error }
        this.#wake()
      },
    }
  }

  #news(event: JobEvent): Observation | undefined {
    if (event.data.version <= this.#version) return undefined
    this.#version = event.data.version
    this.#failedPolls = 0
    this.#ended ||= !isActive(event)
    return { event }
  }

  /** Until the time has come, something is told, or the watch is given up. */
  async #pause(ms: number): Promise<undefined> {
    await new Promise<void>((resolve) => {
      const cancel = ms < Infinity ? after(ms, resolve) : () => undefined
      const detach = onAbort(this.#signal, resolve)
      this.#wake = () => {
        cancel()
        detach()
        resolve()
      }
    })
    this.#wake()
    return undefined
  }

  async #poll(): Promise<Observation> {
    const { transport, silenceMs, retryAfterMs, places } = this.#settings
    const longPoll = this.#longPoll()
    const scope = follow(this.#signal)
    let interrupted = false
    this.#wake = () => {
      if (!longPoll) return
      interrupted = true
      scope.abort(undefined)
    }
    this.#polling = true
    if (longPoll) places.free -= 1
    const began = performance.now()
    try {
      const polled = await answered(scope.signal, silenceMs, (signal) =>
        transport.poll(this.#target.jobId, signal, longPoll),
      )
      this.#failedPolls = 0
      this.#unseen = false
      const waited = polled.waited && (polled.value !== undefined || performance.now() - began > 900)
      this.#pollAt = performance.now() + pollDelay(waited ? 0 : polled.retryAfterMs, retryAfterMs)
      return polled.value ? this.#observed(polled.value) : {}
    } catch (error) {
      this.#signal.throwIfAborted()
      if (interrupted) return {}
      this.lastFailure = { cause: error }
      this.#unseen = false
      this.#failedPolls += 1
      const givesUp = this.#failedPolls >= failedPollsLimit && !this.#target.hasDeadline
      if (givesUp || !isTransient(error)) throw error
      this.#pollAt = performance.now() + pauseAfter(error, this.#failedPolls)
      return {}
    } finally {
      this.#polling = false
      if (longPoll) places.free += 1
      this.#wake = () => undefined
      scope.release()
    }
  }

  /**
   * One that waits for news, where there is a connection to spare; while there is nothing to be newer than, one that
   * asks whether the server would wait.
   */
  #longPoll(): LongPoll | undefined {
    const seconds = Math.min(longestPollSeconds, Math.floor(this.#settings.silenceMs / 2000))
    const may = seconds > 0 && !this.#ended && this.#settings.places.free > 1
    return may ? { version: this.#version, seconds: this.#version && seconds } : undefined
  }

  #observed(state: JobState): Observation {
    if (state.version < this.#version) return {}
    const event = state.version > this.#version ? toEvent(state) : undefined
    this.#version = state.version
    return isTerminal(state) ? { event, final: state } : { event }
  }
}

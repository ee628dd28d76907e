import { ProblemError } from '../errors.ts'
import type { EventStream } from './event-stream.ts'

/** Timers of Node fire at once beyond this many milliseconds. */
const longestInterval = 2 ** 31 - 1
/** How long the clients of a server that stops may take the end of their streams, in milliseconds. */
const lastWordsMs = 1_000

export interface StreamsOptions {
  readonly heartbeatMs: number
  readonly maxLifeMs: number
  /** How many may be open in this process. */
  readonly maxStreams: number
  /** How many of them may be one caller's. */
  readonly maxStreamsPerCaller: number
}

/** The open streams of a process: one heartbeat timer for all, and a bound on the life of each. */
export class Streams {
  readonly #heartbeatMs: number
  readonly #maxLifeMs: number
  readonly #maxStreams: number
  readonly #maxPerCaller: number
  readonly #byCaller = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #reserved = 0
  readonly #open = new Map<EventStream, number>()
  #timer: NodeJS.Timeout | undefined
  #stopping = false

  /** @param maxLifeMs after this a stream is ended; its client opens another, or has lost interest. */
  constructor({ heartbeatMs, maxLifeMs, maxStreams, maxStreamsPerCaller }: StreamsOptions) {
    this.#heartbeatMs = Math.min(heartbeatMs, longestInterval)
    this.#maxLifeMs = maxLifeMs
    this.#maxStreams = maxStreams
    this.#maxPerCaller = maxStreamsPerCaller
  }

  get size(): number {
    return this.#open.size
  }

  /** Whether a stream should end with what it says first, because the server stops. */
  get stopping(): boolean {
    return this.#stopping
  }

  /**
   * Takes a place for a stream that is about to open.
   * @returns a function that gives it back, safe to repeat.
   * @throws ProblemError `too-many-streams` or `too-many-streams-of-caller`.
   */
  reserve(caller: string): () => void {
    const ofCaller = this.#byCaller.get(caller) ?? 0
    if (this.#reserved >= this.#maxStreams) throw new ProblemError('too-many-streams')
    if (ofCaller >= this.#maxPerCaller) throw new ProblemError('too-many-streams-of-caller')
    this.#reserved += 1
    this.#byCaller.set(caller, ofCaller + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#reserved -= 1
      const left = (this.#byCaller.get(caller) ?? 1) - 1
      if (left > 0) this.#byCaller.set(caller, left)
      else this.#byCaller.delete(caller)
    }
  }

  /**
   * Calls back when the server stops, for a request that waits without a stream.
   * @returns a function that takes this back.
   */
  whenEnding(callback: () => void): () => void {
    if (this.#stopping) callback()
    else this.#waiting.add(callback)
    return () => void this.#waiting.delete(callback)
  }

  /** Takes streams again after {@link Streams.endAll}. */
  start(): void {
    this.#stopping = false
  }

  /** @returns a function that takes the stream out again. */
  add(stream: EventStream): () => void {
    this.#open.set(stream, performance.now())
    this.#timer ??= setInterval(() => this.#beat(), this.#heartbeatMs)
    return () => {
      this.#open.delete(stream)
      if (this.#open.size === 0) this.#rest()
    }
  }

  /** Ends every stream, so that clients go elsewhere; one that does not take the end is cut. */
  endAll(): void {
    this.#stopping = true
    for (const leave of this.#waiting) leave()
    for (const stream of this.#open.keys()) stream.end()
    setTimeout(() => {
      for (const stream of this.#open.keys()) stream.drop()
    }, lastWordsMs).unref()
  }

  #beat(): void {
    const now = performance.now()
    for (const [stream, openedAt] of this.#open) {
      if (now - openedAt > this.#maxLifeMs) stream.end()
      stream.beat()
    }
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

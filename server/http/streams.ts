import type { EventStream } from './event-stream.ts'

/** The open streams of a process: one heartbeat timer for all, and a bound on the life of each. */
export class Streams {
  readonly #heartbeatMs: number
  readonly #maxLifeMs: number
  readonly #open = new Map<EventStream, number>()
  #timer: NodeJS.Timeout | undefined

  /** @param maxLifeMs after this a stream is ended; its client opens another, or has lost interest. */
  constructor({ heartbeatMs, maxLifeMs }: { heartbeatMs: number; maxLifeMs: number }) {
    this.#heartbeatMs = heartbeatMs
    this.#maxLifeMs = maxLifeMs
  }

  get size(): number {
    return this.#open.size
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

  /** Ends every stream, so that clients go elsewhere. */
  endAll(): void {
    for (const stream of this.#open.keys()) stream.end()
    this.#rest()
  }

  #beat(): void {
    const now = performance.now()
    for (const [stream, openedAt] of this.#open) {
      if (now - openedAt > this.#maxLifeMs) stream.end()
      else stream.beat()
    }
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

import type { Response } from 'express'
import type { JobEvent } from './job-event.ts'

/** What may wait for one client, in bytes; then it is dropped. */
const maxPendingBytes = 256 * 1024

export interface StreamLimits {
  /** How many events may wait for a client that does not read. */
  readonly maxPendingEvents: number
  /** The client was dropped because it did not read. */
  onDropped(pending: number): void
}

/**
 * Writes events to one client, never more than it reads: while its connection is full they wait here, progress merged,
 * and a client that lets too many wait is dropped.
 */
export class EventStream {
  readonly #res: Response
  readonly #limits: StreamLimits
  #pending: JobEvent[] = []
  #pendingBytes = 0
  #full = false
  #ending = false
  /** Heartbeats that found the connection full. */
  #missedBeats = 0

  constructor(res: Response, limits: StreamLimits) {
    this.#res = res
    this.#limits = limits
    res.on('drain', () => this.#drain())
  }

  send(event: JobEvent): void {
    if (this.#ending || this.#res.destroyed) return
    if (!this.#full) return this.#write(event.text)
    this.#merge(event)
    this.#pending.push(event)
    this.#pendingBytes += event.text.length
    if (this.#pending.length > this.#limits.maxPendingEvents || this.#pendingBytes > maxPendingBytes) this.drop()
  }

  /**
   * A comment, which keeps proxies from cutting an idle stream. A client that leaves no room for it twice is dropped,
   * and so is one that has not taken the end of its stream by then.
   */
  beat(): void {
    if (this.#res.destroyed) return
    if (!this.#full && !this.#ending) return this.#write(':\n\n')
    this.#missedBeats += 1
    if (this.#missedBeats >= 2) this.drop()
  }

  /** Ends the stream after what waits. */
  end(): void {
    if (this.#ending) return
    this.#ending = true
    if (!this.#full) this.#res.end()
  }

  /** Cuts the connection. */
  drop(): void {
    this.#limits.onDropped(this.#pending.length)
    this.#pending = []
    this.#pendingBytes = 0
    // A pipelined response has no connection of its own until those before it have ended.
    ;(this.#res.socket ?? this.#res.req.socket).destroy()
  }

  /** Takes out what an event makes needless: progress of its job that waits as the last thing said of it. */
  #merge({ name, jobId }: JobEvent): void {
    if (name !== 'progress') return
    const at = this.#pending.findLastIndex((event) => event.jobId === jobId)
    const last = this.#pending[at]
    if (last?.name !== 'progress') return
    this.#pending.splice(at, 1)
    this.#pendingBytes -= last.text.length
  }

  #write(text: string): void {
    this.#full = !this.#res.write(text)
  }

  #drain(): void {
    this.#full = false
    this.#missedBeats = 0
    const waiting = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    if (waiting.length > 0) this.#write(waiting.map((event) => event.text).join(''))
    // What was just written may fill the connection again; it is sent before the end all the same.
    if (this.#ending) this.#res.end()
  }
}

import { createParser } from 'eventsource-parser'
import { onAbort } from './abort.ts'
import { within } from './delay.ts'
import { NetworkError } from './errors.ts'
import type { JobEvent } from './job-state.ts'

/** Far above what an event of the contract can measure; what exceeds it is no such stream. */
const longestEventChars = 262_144

const eventName = /^(?:status|progress|complete|failed|cancelled|unknown)$/

/** What a stream says of a job; `unknown`, of a stream of many: there is none (any more). */
export type StreamEvent = JobEvent | { event: 'unknown'; data: { jobId: string } }

function isStreamEvent(message: { event: string; data: unknown }): message is StreamEvent {
  return typeof message.data === 'object' && message.data !== null
}

export interface ReadOptions {
  /** After this many milliseconds without a byte (comments count) the stream is dead. */
  readonly silenceMs: number
  readonly signal: AbortSignal
}

/**
 * The events in the bytes of a stream (WHATWG HTML section 9.2.6), until it ends; an event without its final blank
 * line is none. Events of other names are skipped. Throws when the stream breaks, falls silent, or is aborted; closes
 * the connection however it is left.
 *
 * The parser is fed chunk by chunk, rather than at the end of a chain of transform streams, because the silence
 * counts from the last byte and not from the last event.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { silenceMs, signal }: ReadOptions,
): AsyncGenerator<StreamEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parsed: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event = '', data: json }) => {
      if (!eventName.test(event)) return
      const message = { event, data: JSON.parse(json) as unknown }
      if (isStreamEvent(message)) parsed.push(message)
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
    maxBufferSize: longestEventChars,
  })
  const close = (): void => void reader.cancel().catch(() => undefined)
  // Also while the consumer is busy with an event. Later, because closing is slow next to telling all who wait.
  const detach = onAbort(signal, () => void setTimeout(close))
  const silence = { ms: silenceMs, late: () => new NetworkError(`The event stream was silent for ${silenceMs} ms`) }
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), signal, silence)
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* parsed.splice(0)
    }
  } finally {
    detach()
    if (!signal.aborted) close()
  }
}

import { endEvent, type JobEvent, toEvent, unknownEvent } from '../../server/http/job-event.ts'
import { isTerminal, type JobState } from '../../server/job.ts'
import type { FakeJob } from './fake-job.ts'

export interface FakeStreamOptions {
  /** Milliseconds between comments that show that the stream lives. */
  readonly heartbeatMs: number
  /** Breaks the stream with its reason. */
  readonly signal: AbortSignal
  /** Ends the stream. */
  readonly closing: AbortSignal
  /** Notes a stream that opens. @returns what notes that it has ended. */
  readonly onOpen: () => () => void
}

type Body = ReadableStream<Uint8Array>
type Tell = (id: string, state: JobState | null) => void

interface Sink {
  send(event: Pick<JobEvent, 'text'>): void
  end(): void
}

/** The events of one job until it ends; nothing is said of a job that is removed. */
export function streamOfJob(job: FakeJob, options: FakeStreamOptions): Body {
  return stream(new Map([[job.id, job]]), options, (sink) => {
    let before: JobState | undefined
    return (_id, state) => {
      if (state) sink.send(toEvent(state, before))
      before = state ?? undefined
      if (!state || isTerminal(state.status)) sink.end()
    }
  })
}

/** The events of many jobs until all have ended; an id of no job is told of as unknown. */
export function streamOfJobs(jobs: ReadonlyMap<string, FakeJob | undefined>, options: FakeStreamOptions): Body {
  return stream(jobs, options, (sink) => {
    const before = new Map<string, JobState | undefined>([...jobs.keys()].map((id) => [id, undefined]))
    return (id, state) => {
      if (!before.has(id)) return
      sink.send(state ? toEvent(state, before.get(id)) : unknownEvent(id))
      before.set(id, state ?? undefined)
      if (state && !isTerminal(state.status)) return
      before.delete(id)
      if (before.size > 0) return
      sink.send(endEvent(jobs.size))
      sink.end()
    }
  })
}

/** Begins with the present state of each job, and watches all of them for as long as the stream is read. */
function stream(
  jobs: ReadonlyMap<string, FakeJob | undefined>,
  { heartbeatMs, signal, closing, onOpen }: FakeStreamOptions,
  tellTo: (sink: Sink) => Tell,
): Body {
  const encoder = new TextEncoder()
  const cleanUp: (() => void)[] = [onOpen()]
  let open = true
  const leave = (finish: () => void): void => {
    if (!open) return
    open = false
    for (const undo of cleanUp) undo()
    finish()
  }
  const when = (source: AbortSignal, run: () => void): void => {
    source.addEventListener('abort', run)
    cleanUp.push(() => source.removeEventListener('abort', run))
    if (source.aborted) run()
  }
  return new ReadableStream({
    start: (controller) => {
      const write = (text: string): void => void (open && controller.enqueue(encoder.encode(text)))
      const end = (): void => leave(() => controller.close())
      const tell = tellTo({ send: ({ text }) => write(text), end })
      const beat = setInterval(() => write(':\n\n'), heartbeatMs)
      cleanUp.push(() => clearInterval(beat))
      when(signal, () => leave(() => controller.error(signal.reason)))
      when(closing, end)
      for (const [id, job] of jobs) {
        if (job && open) cleanUp.push(job.watch((state) => tell(id, state)))
        if (open) tell(id, job?.state ?? null)
      }
    },
    cancel: () => leave(() => undefined),
  })
}

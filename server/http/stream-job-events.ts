import { isTerminal, type JobState } from '../job.ts'
import type { Watcher } from '../jobs/watch.ts'
import type { EventStream } from './event-stream.ts'
import { toEvent } from './job-event.ts'
import { openStream, streamHeaders, type StreamParts } from './open-stream.ts'
import type { Operation } from './operation.ts'

export interface StreamJobEventsParts extends StreamParts {
  readonly watcher: Watcher
}

/** GET /jobs/{id}/events */
export function streamJobEvents(parts: StreamJobEventsParts): Operation<'streamJobEvents'> {
  return async ({ path, header, req }) => {
    const release = parts.streams.reserve(await parts.access.caller(req))
    const missed: (JobState | null)[] = []
    let deliver = (state: JobState | null): void => void missed.push(state)
    // Watch first, read afterwards: a change in between is then told twice, and the version discards the repeat.
    const unwatch = parts.watcher.watch(path.job.toLowerCase(), (state) => deliver(state))
    const letGo = (): void => {
      unwatch()
      release()
    }
    try {
      const job = await parts.access.job(req, 'watch', path.job)
      if (isTerminal(job.status) && header('Last-Event-ID')?.trim() === String(job.version)) {
        letGo()
        return { status: 204, headers: {} }
      }
      const open = (): void => {
        const stream = openStream(parts, req, { jobIds: [job.id], letGo })
        const tell = teller(stream)
        for (const state of [job, ...missed]) tell(state)
        deliver = tell
        if (parts.streams.stopping) stream.end()
      }
      const body = { open, discard: letGo }
      return { status: 200, contentType: 'text/event-stream', headers: streamHeaders, body }
    } catch (error) {
      letGo()
      throw error
    }
  }
}

/** @returns a function that tells the client of a state, if it is news; a terminal one, or none any more, is the end. */
function teller(stream: EventStream): (state: JobState | null) => void {
  let before: JobState | undefined
  return (state) => {
    if (state === null) return stream.end()
    if (before !== undefined && state.version <= before.version) return
    stream.send(toEvent(state, before))
    before = state
    if (isTerminal(state.status)) stream.end()
  }
}

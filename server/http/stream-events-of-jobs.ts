import { isTerminal, type JobState } from '../job.ts'
import type { EventStream } from './event-stream.ts'
import { endEvent, endId, toEvent, unknownEvent } from './job-event.ts'
import { openStream, streamHeaders } from './open-stream.ts'
import type { Operation } from './operation.ts'
import type { StreamJobEventsParts } from './stream-job-events.ts'

type News = readonly [jobId: string, state: JobState | null]

/** GET /job-events */
export function streamEventsOfJobs(parts: StreamJobEventsParts): Operation<'streamEventsOfJobs'> {
  return async ({ query, header, req }) => {
    if (header('Last-Event-ID') === endId) return { status: 204, headers: {} }
    const jobIds = [...new Set(query.job.map((id) => id.toLowerCase()))]
    const release = parts.streams.reserve(await parts.access.caller(req))
    const missed: News[] = []
    let deliver = (...news: News): void => void missed.push(news)
    // Watch first, read afterwards: a change in between is then told twice, and the version discards the repeat.
    const unwatch = jobIds.map((id) => parts.watcher.watch(id, (state) => deliver(id, state)))
    const letGo = (): void => {
      for (const end of unwatch) end()
      release()
    }
    try {
      const jobs = await parts.access.jobs(req, 'watch', jobIds)
      const open = (): void => {
        const stream = openStream(parts, req, { jobIds, letGo })
        const tell = teller(stream, jobIds)
        req.res?.cork()
        jobIds.forEach((id, index) => tell(id, jobs[index] ?? null))
        for (const news of missed) tell(...news)
        req.res?.uncork()
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

/**
 * @returns a function that tells the client of a state of a job, if it is news, and ends the stream when nothing more can
 * come. What the caller may not see is told of as unknown once, and its changes never.
 */
function teller(stream: EventStream, jobIds: readonly string[]): (...news: News) => void {
  const before = new Map<string, JobState | undefined>(jobIds.map((id) => [id, undefined]))
  return (id, state) => {
    if (!before.has(id)) return
    const last = before.get(id)
    if (state !== null && state.version <= (last?.version ?? 0)) return
    before.set(id, state ?? undefined)
    stream.send(state === null ? unknownEvent(id) : toEvent(state, last))
    if (state !== null && !isTerminal(state.status)) return
    before.delete(id)
    if (before.size > 0) return
    stream.send(endEvent(jobIds.length))
    stream.end()
  }
}

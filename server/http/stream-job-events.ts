import type { Response } from 'express'
import { isTerminal, type JobState } from '../job.ts'
import type { Watcher } from '../jobs/watch.ts'
import type { Telemetry } from '../telemetry.ts'
import type { Access } from './access.ts'
import { EventStream } from './event-stream.ts'
import { toEvent } from './job-event.ts'
import type { Operation } from './operation.ts'
import type { Streams } from './streams.ts'

export interface StreamJobEventsParts {
  readonly access: Access
  readonly watcher: Watcher
  readonly streams: Streams
  readonly telemetry: Telemetry
  readonly maxPendingEvents: number
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
        const stream = openStream(parts, req.res as Response, { jobId: job.id, letGo })
        const tell = teller(stream)
        for (const state of [job, ...missed]) tell(state)
        deliver = tell
        if (parts.streams.stopping) stream.end()
      }
      const headers = { 'Cache-Control': 'private, no-cache, no-transform', 'X-Accel-Buffering': 'no' as const }
      return { status: 200, contentType: 'text/event-stream', headers, body: { open, discard: letGo } }
    } catch (error) {
      letGo()
      throw error
    }
  }
}

/** A stream that holds its watch for as long as the connection lives. */
function openStream(
  parts: StreamJobEventsParts,
  res: Response,
  { jobId, letGo }: { jobId: string; letGo: () => void },
): EventStream {
  const stream = new EventStream(res, {
    maxPendingEvents: parts.maxPendingEvents,
    onDropped: (pending) => parts.telemetry.emit('stream:dropped', { jobId, pending }),
  })
  const remove = parts.streams.add(stream)
  const { socket } = res.req
  const close = (): void => {
    res.off('close', close)
    socket.off('close', close)
    letGo()
    remove()
  }
  // The response closes, not the request: that one has ended long ago. A pipelined response that has not had its turn
  // does not close with the connection, and either may have closed while the job was read.
  if (res.closed || res.destroyed || socket.destroyed) close()
  else {
    res.on('close', close)
    socket.on('close', close)
  }
  return stream
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

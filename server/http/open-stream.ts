import type { Request, Response } from 'express'
import type { Telemetry } from '../telemetry.ts'
import type { Access } from './access.ts'
import { EventStream } from './event-stream.ts'
import type { Streams } from './streams.ts'

/** What every operation that streams needs. */
export interface StreamParts {
  readonly access: Access
  readonly streams: Streams
  readonly telemetry: Telemetry
  readonly maxPendingEvents: number
}

/** Neither a cache nor a transforming or buffering proxy may hold events back. */
export const streamHeaders = { 'Cache-Control': 'private, no-cache, no-transform', 'X-Accel-Buffering': 'no' } as const

export interface OpenStreamOptions {
  readonly jobIds: readonly string[]
  /** Gives back what the stream holds, once its connection is gone. */
  readonly letGo: () => void
}

/** A stream that holds its watches for as long as the connection lives. */
export function openStream(parts: StreamParts, req: Request, { jobIds, letGo }: OpenStreamOptions): EventStream {
  const res = req.res as Response
  const [jobId = ''] = jobIds
  const stream = new EventStream(res, {
    // Of each job there may be a snapshot to tell, and its end.
    maxPendingEvents: parts.maxPendingEvents + 2 * (jobIds.length - 1),
    onDropped: (pending) => parts.telemetry.emit('stream:dropped', { jobId, jobs: jobIds.length, pending }),
  })
  const remove = parts.streams.add(stream)
  const { socket } = req
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

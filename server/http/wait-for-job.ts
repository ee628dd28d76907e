import type { Request } from 'express'
import { ProblemError } from '../errors.ts'
import type { Job, JobState } from '../job.ts'
import { awaitChange } from '../jobs/await-change.ts'
import type { Watcher } from '../jobs/watch.ts'
import type { Access } from './access.ts'
import { preferredWait } from './prefer.ts'
import type { Streams } from './streams.ts'

export interface WaitParts {
  readonly access: Access
  readonly watcher: Watcher
  readonly streams: Streams
  readonly maxWaitMs: number
}

/** A wait that the server is ready to make. */
export interface Wait {
  readonly headers: { readonly 'Preference-Applied'?: string }
  /** Reads the job when it is in this state, or the time is over, or the client or the server leaves. */
  read(until: (state: JobState) => boolean): Promise<Job>
}

export type BeginWait = (req: Request, prefer: string | undefined, id: string) => Promise<Wait | undefined>

/**
 * What `Prefer: wait=n` asks for. A waiting request takes the place of a stream; where there is none left nothing is
 * waited for, because a preference is no condition.
 */
export function beginWait({ access, watcher, streams, maxWaitMs }: WaitParts): BeginWait {
  return async (req, prefer, id) => {
    const seconds = preferredWait(prefer, Math.floor(maxWaitMs / 1000))
    if (seconds === undefined) return undefined
    const release = reserve(streams, await access.caller(req))
    if (release === undefined) return undefined
    const leave = new AbortController()
    const abort = (): void => leave.abort()
    const forget = streams.whenEnding(abort)
    // It may have closed already, and then says so no more.
    if (req.res?.closed === true || req.socket.destroyed) abort()
    else req.res?.once('close', abort)
    return {
      headers: { 'Preference-Applied': `wait=${seconds}` },
      read: (until) =>
        awaitChange(id.toLowerCase(), {
          watcher,
          read: () => access.job(req, 'read', id),
          until,
          timeoutMs: seconds * 1000,
          signal: leave.signal,
        }).finally(() => {
          req.res?.off('close', abort)
          forget()
          release()
        }),
    }
  }
}

function reserve(streams: Streams, caller: string): (() => void) | undefined {
  try {
    return streams.reserve(caller)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

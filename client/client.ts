import { checkAmount, checkBaseUrl, checkJobId } from './argument.ts'
import { Feed } from './feed.ts'
import { createHandle, createSubmittedHandle, type JobHandle, type SubmittedJob } from './job-handle.ts'
import { submit, type SubmitOptions } from './submission.ts'
import { createTransport } from './transport.ts'
import type { WatchSettings } from './watch.ts'

const defaultHeartbeatMs = 15_000
const defaultRetryAfterMs = 5_000

/** Browsers open six HTTP/1.1 connections to an origin; streams leave two of them to everything else. */
const browserStreams = 4

export interface ClientOptions {
  /**
   * Where the server's router is mounted, such as `https://example.com/api`; in a browser also relative to the page,
   * such as `/api`. No request of this client goes anywhere else, whatever an answer says.
   */
  readonly baseUrl: string
  /**
   * Sends a request instead of the global `fetch`: is given one `Request`, and answers or throws as `fetch` does.
   * For cookies on another origin: `(request) => fetch(request, { credentials: 'include' })`.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Header fields of every request, or a function that gives them anew for each one (for a token that expires). */
  readonly headers?:
    Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined
  /**
   * Milliseconds between two signs of life of the server's event streams (its `sse.heartbeat`). While waiting, 2.5
   * times as long without a byte makes a stream or a request count as dead.
   * @default 15_000
   */
  readonly heartbeatMs?: number | undefined
  /**
   * Milliseconds between two polls where the server names no `Retry-After`, or CORS hides it.
   * @default 5_000
   */
  readonly retryAfterMs?: number | undefined
  /**
   * How many event streams this client opens at once; further waits poll until a stream ends.
   * @default 4 where there is a page or a web worker around, else no limit
   */
  readonly maxStreams?: number | undefined
}

export interface Client {
  /**
   * Submits a job of a type (1 to 100 of `A-Z a-z 0-9 . _ -`). The request starts at once and is never sent again.
   * The handle's methods reject with an InvalidArgumentError, HttpError or NetworkError when the submit failed.
   */
  submit(type: string, options?: SubmitOptions): SubmittedJob
  /** The handle of a job that was submitted before, by its id; sends nothing by itself. */
  job(jobId: string): JobHandle
}

/** A client of the async-jobs service at `baseUrl`, for browsers and Node. Keep one; it holds no connection by itself. */
export function createClient(options: ClientOptions): Client {
  const { heartbeatMs, retryAfterMs, maxStreams } = options
  checkBaseUrl(options.baseUrl)
  checkAmount('heartbeatMs', heartbeatMs)
  checkAmount('retryAfterMs', retryAfterMs)
  checkAmount('maxStreams', maxStreams)
  const transport = createTransport(options)
  const silenceMs = 2.5 * (heartbeatMs ?? defaultHeartbeatMs)
  const places = { free: maxStreams ?? (typeof location === 'undefined' ? Infinity : browserStreams) }
  const settings: WatchSettings = {
    transport,
    silenceMs,
    places,
    feed: new Feed({ transport, silenceMs, places }),
    retryAfterMs: retryAfterMs ?? defaultRetryAfterMs,
  }
  return {
    submit: (type, options = {}) => createSubmittedHandle(settings, submit(transport, type, options)),
    job: (jobId) =>
      createHandle(settings, async () => {
        checkJobId(jobId)
        return { jobId }
      }),
  }
}

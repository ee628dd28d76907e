import type { paths } from '../generated/openapi.ts'
import { checkAmount, checkBaseUrl } from './argument.ts'
import type { Http } from './http.ts'
import {
  createKnownHandle,
  createSubmittedHandle,
  type JobHandle,
  type JobReference,
  type SubmittedJob,
} from './job-handle.ts'
import type { JobsOf, OutputIn, TypeOf } from './job-types.ts'
import { submit, type SubmitArguments, type SubmitOptions } from './submission.ts'
import { createTransport } from './transport.ts'

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
   * How often a submit is sent again when it got no answer or one that may pass; it then carries an idempotency key.
   * @default 0
   */
  readonly retries?: number | undefined
  /**
   * A client of openapi-fetch whose middleware is to see the requests, made with the same `baseUrl`. It is given `fetch`
   * and `headers` for each of them.
   * @default none: the same calls by less code
   */
  readonly openapiFetch?: Http | undefined
  /**
   * How many connections this client keeps open at once for streams, and for polls that wait. One stream serves up to 200
   * jobs, where the server has that operation.
   * @default 4 where there is a page or a web worker around, else no limit
   */
  readonly maxStreams?: number | undefined
}

export interface Client<Paths = paths> {
  /**
   * Submits a job of a type (1 to 100 of `A-Z a-z 0-9 . _ -`). The request starts at once, and is sent again only where
   * `retries` says so. The handle's methods reject with an InvalidArgumentError, HttpError or NetworkError when the submit
   * failed.
   */
  submit<Type extends TypeOf<JobsOf<Paths>>>(
    type: Type,
    ...options: SubmitArguments<JobsOf<Paths>[Type]>
  ): SubmittedJob<OutputIn<JobsOf<Paths>, Type>>
  /**
   * The handle of a job that was submitted before, by its id or by what a handle became as JSON; sends nothing by itself.
   * `client.job<'accounts'>(id)` types its output.
   */
  job<Type extends TypeOf<JobsOf<Paths>> = never>(job: JobReference): JobHandle<OutputIn<JobsOf<Paths>, Type>>
}

/**
 * A client of the async-jobs service at `baseUrl`, for browsers and Node. Keep one: all its waits share one stream, and it
 * holds no connection while nobody waits. `createClient<paths>()` takes the types of job, their inputs and outputs from the
 * `paths` that openapi-typescript made of your own document.
 */
export function createClient<Paths = paths>(options: ClientOptions): Client<Paths> {
  const { heartbeatMs, retryAfterMs, maxStreams, retries } = options
  checkBaseUrl(options.baseUrl)
  for (const [name, amount] of Object.entries({ heartbeatMs, retryAfterMs, maxStreams, retries }))
    checkAmount(name, amount)
  const transport = createTransport(options)
  const silenceMs = 2.5 * (heartbeatMs ?? defaultHeartbeatMs)
  const places = { free: maxStreams ?? (typeof location === 'undefined' ? Infinity : browserStreams) }
  const settings = {
    transport,
    silenceMs,
    places,
    loadFeed: loadOnce(async () => new (await import('./feed.ts')).Feed({ transport, silenceMs, places })),
    retryAfterMs: retryAfterMs ?? defaultRetryAfterMs,
    retries: retries ?? 0,
  }
  const client = {
    submit: (type: string, given: SubmitOptions = {}) => createSubmittedHandle(settings, submit(settings, type, given)),
    job: (job: JobReference) => createKnownHandle(settings, job),
  }
  // The types of the document are a promise of its author: at run time there is one client for all.
  return client as unknown as Client<Paths>
}

/** Loads at the first call, and again where that has failed. */
function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    }))
}

import type { components } from '../generated/openapi.ts'
import { follow, orAbort } from './abort.ts'
import { isJobId } from './argument.ts'
import { AsyncJobsError, HttpError, JobNotFoundError, NetworkError, type RequestLine } from './errors.ts'
import { createHttp, type Http } from './http.ts'
import {
  type AcceptedJob,
  type FailedJobProblem,
  fromFailedProblem,
  type Job,
  type JobState,
  type Problem,
} from './job-state.ts'
import { parseRetryAfter } from './retry-after.ts'

type Stream = ReadableStream<Uint8Array>
type HeaderFields = Record<string, string>

export interface TransportOptions {
  readonly baseUrl: string
  readonly openapiFetch?: Http | undefined
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>) | undefined
}

/** What a submit carries beside its type. */
export interface Submit {
  readonly input?: components['schemas']['JobInput']
  readonly idempotencyKey?: string | undefined
  readonly noCache?: boolean | undefined
}

/** An answer together with the delay that its `Retry-After` asks for. */
export interface Delayed<T> {
  readonly value: T
  readonly retryAfterMs: number | undefined
}

/** What a poll may ask for: to be answered when the job is no longer of this version (0: any), or after so many seconds. */
export interface LongPoll {
  readonly version: number
  readonly seconds: number
}

/** The answer to a poll: no value where nothing is new. */
export interface Polled extends Delayed<JobState | undefined> {
  /** The server has waited, or would have, so that it need not be left alone now. */
  readonly waited: boolean
}

/** The operations of the contract. Each rejects with a typed error, or with the reason of `signal`. */
export interface Transport {
  submit(type: string, submit: Submit, signal?: AbortSignal): Promise<Delayed<AcceptedJob>>
  status(jobId: string, signal?: AbortSignal): Promise<JobState>
  poll(jobId: string, signal: AbortSignal, longPoll?: LongPoll): Promise<Polled>
  cancel(jobId: string, signal?: AbortSignal): Promise<Job>
  /** The bytes of the event stream of many jobs, or of the first alone. `signal` counts until they begin. */
  events(jobIds: string[], many: boolean, signal: AbortSignal): Promise<Stream>
}

interface CallInit {
  readonly headers: HeaderFields
  readonly signal: AbortSignal
  readonly redirect: 'manual'
  readonly cache: 'no-store'
  readonly fetch: (request: Request) => Promise<Response>
}

interface Answer<T> {
  readonly data?: T | undefined
  readonly error?: unknown
  readonly response: Response
}

type Sent<T> = Answer<T> & { readonly request: RequestLine | undefined }

async function send<T>(
  options: TransportOptions,
  parent: AbortSignal | undefined,
  call: (init: CallInit) => Promise<Answer<T>>,
): Promise<Sent<T>> {
  const { signal, release } = follow(parent)
  let request: RequestLine | undefined
  let status: number | undefined
  const fetchOnce = async (sent: Request): Promise<Response> => {
    request = { method: sent.method, url: sent.url }
    const response = await (options.fetch ?? fetch)(sent)
    status = response.status
    return response
  }
  const run = async (): Promise<Answer<T>> => {
    const headers = (await (typeof options.headers === 'function' ? options.headers() : options.headers)) ?? {}
    signal.throwIfAborted()
    return call({ headers, signal, redirect: 'manual', cache: 'no-store', fetch: fetchOnce })
  }
  try {
    return { ...(await orAbort(run(), signal)), request }
  } catch (cause) {
    parent?.throwIfAborted()
    if (!request) throw new AsyncJobsError(`The request could not be built: ${String(cause)}`, { cause })
    if (status === undefined || !(cause instanceof SyntaxError)) {
      throw new NetworkError(`${request.method} ${request.url} got no answer`, { cause, request })
    }
    throw new HttpError(`HTTP ${status} with a body that is not JSON`, { status, cause, request })
  } finally {
    release()
  }
}

// Bodies are trusted to be of the contract once they have the member that this client cannot do without.
function has<T>(body: unknown, member: keyof T & string): body is T {
  return typeof body === 'object' && body !== null && member in body
}

/** The error of an answer that is not the one asked for. */
function unexpected({ error, response, request }: Sent<unknown>): HttpError {
  const { status, headers } = response
  const problem = has<Problem>(error, 'code') ? error : undefined
  const reason = problem ? `: ${problem.detail ?? problem.title} (${problem.code})` : ''
  const message = `${request?.method} ${request?.url} answered ${status}${reason}`
  const fields = { status, problem, request, retryAfterMs: parseRetryAfter(headers) }
  return new (problem?.code === 'job-not-found' ? JobNotFoundError : HttpError)(message, fields)
}

function stateOf(sent: Sent<unknown>): JobState {
  const { data, error, response } = sent
  if (response.ok && has<JobState>(data, 'version')) return data
  if (response.status !== 422 || !has<FailedJobProblem>(error, 'failureCode')) throw unexpected(sent)
  return fromFailedProblem(error)
}

function streamOf(sent: Sent<Stream | null>): Stream {
  const { data, response } = sent
  if (response.ok && data && /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '')) return data
  void data?.cancel().catch(() => undefined)
  throw unexpected(sent)
}

function withFields<Fields extends object>(init: CallInit, own: Fields | undefined): CallInit & { headers: Fields } {
  return { ...init, headers: { ...init.headers, ...own } as HeaderFields & Fields }
}

/** The contract's operations over fetch. URLs are made of `baseUrl` and ids, never taken from an answer. */
export function createTransport(options: TransportOptions): Transport {
  const http = options.openapiFetch ?? createHttp(options.baseUrl.replace(/\/+$/, ''))

  async function poll(job: string, signal?: AbortSignal, longPoll?: LongPoll): Promise<Polled> {
    const own = longPoll && {
      Prefer: `wait=${longPoll.seconds}`,
      'If-None-Match': longPoll.version ? `"${longPoll.version}"` : undefined,
    }
    const sent = await send(options, signal, (init) =>
      http.GET('/jobs/{job}/status', { ...withFields(init, own), params: { path: { job } } }),
    )
    const { headers, status } = sent.response
    const value = longPoll && status === 304 ? undefined : stateOf(sent)
    return { value, retryAfterMs: parseRetryAfter(headers), waited: headers.has('Preference-Applied') }
  }

  return {
    poll,
    // Without a version to be newer than, there is always a value.
    status: async (job, signal) => (await poll(job, signal)).value as JobState,

    async submit(job, { input: body, idempotencyKey, noCache }, signal) {
      const own = { 'Idempotency-Key': idempotencyKey, 'Cache-Control': noCache ? 'no-cache' : undefined }
      const sent = await send(options, signal, (init) =>
        http.POST('/jobs/{job}', { ...withFields(init, own), params: { path: { job } }, body }),
      )
      const value = sent.data
      if (!sent.response.ok || !has<AcceptedJob>(value, 'jobId') || !isJobId(value.jobId)) throw unexpected(sent)
      return { value, retryAfterMs: parseRetryAfter(sent.response.headers) }
    },

    async cancel(job, signal) {
      const sent = await send(options, signal, (init) =>
        http.DELETE('/jobs/{job}', { ...init, params: { path: { job } } }),
      )
      if (!sent.response.ok || !sent.data) throw unexpected(sent)
      return sent.data
    },

    async events(jobs, many, signal) {
      const sent = await send(options, signal, (init) => {
        const streaming = { ...withFields(init, { Accept: 'text/event-stream' }), parseAs: 'stream' } as const
        // As the document has it; openapi-fetch would repeat the parameter, and be too long for some proxies.
        const querySerializer = { array: { style: 'form', explode: false } } as const
        if (many) return http.GET('/job-events', { ...streaming, querySerializer, params: { query: { job: jobs } } })
        return http.GET('/jobs/{job}/events', { ...streaming, params: { path: { job: jobs[0] ?? '' } } })
      })
      return streamOf(sent)
    },
  }
}

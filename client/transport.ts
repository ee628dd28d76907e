import createFetchClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi.ts'
import { follow, orAbort } from './abort.ts'
import { isJobId } from './argument.ts'
import { AsyncJobsError, HttpError, JobNotFoundError, NetworkError, type RequestLine } from './errors.ts'
import {
  type AcceptedJob,
  type FailedJobProblem,
  fromFailedProblem,
  type Job,
  type JobState,
  type Problem,
} from './job-state.ts'
import { parseRetryAfter } from './retry-after.ts'

type HeaderFields = Record<string, string>

export interface TransportOptions {
  readonly baseUrl: string
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

/** The operations of the contract. Each rejects with a typed error, or with the reason of `signal`. */
export interface Transport {
  submit(type: string, submit: Submit, signal?: AbortSignal): Promise<Delayed<AcceptedJob>>
  status(jobId: string, signal?: AbortSignal): Promise<Delayed<JobState>>
  cancel(jobId: string, signal?: AbortSignal): Promise<Job>
  /** The bytes of the event stream; null when the job ended with `version` already. `signal` counts until then. */
  events(jobId: string, version: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>
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

/** Sends one request and never a second one for it. What it throws is typed, or the reason of `parent`. */
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
function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body
}

function isJob(body: unknown): body is JobState {
  return typeof body === 'object' && body !== null && 'version' in body
}

function isFailedJob(body: unknown): body is FailedJobProblem {
  return isProblem(body) && 'failureCode' in body
}

/** The error of an answer that is not the one asked for. */
function unexpected({ error, response, request }: Sent<unknown>): HttpError {
  const { status, headers } = response
  const problem = isProblem(error) ? error : undefined
  const reason = problem ? `: ${problem.detail ?? problem.title} (${problem.code})` : ''
  const message = `${request?.method} ${request?.url} answered ${status}${reason}`
  const fields = { status, problem, request, retryAfterMs: parseRetryAfter(headers) }
  return new (problem?.code === 'job-not-found' ? JobNotFoundError : HttpError)(message, fields)
}

/** The contract's operations over fetch. URLs are made of `baseUrl` and ids, never taken from an answer. */
export function createTransport(options: TransportOptions): Transport {
  const http = createFetchClient<paths>({ baseUrl: options.baseUrl.replace(/\/+$/, '') })
  return {
    async submit(job, { input: body, idempotencyKey, noCache }, signal) {
      const own = { 'Idempotency-Key': idempotencyKey, 'Cache-Control': noCache ? 'no-cache' : undefined }
      const sent = await send(options, signal, (init) =>
        http.POST('/jobs/{job}', { ...init, headers: { ...init.headers, ...own }, params: { path: { job } }, body }),
      )
      if (!sent.response.ok || !sent.data || !isJobId(sent.data.jobId)) throw unexpected(sent)
      return { value: sent.data, retryAfterMs: parseRetryAfter(sent.response.headers) }
    },

    async status(job, signal) {
      const sent = await send(options, signal, (init) =>
        http.GET('/jobs/{job}/status', { ...init, params: { path: { job } } }),
      )
      const { data, error, response } = sent
      const retryAfterMs = parseRetryAfter(response.headers)
      if (response.ok && isJob(data)) return { value: data, retryAfterMs }
      if (response.status !== 422 || !isFailedJob(error)) throw unexpected(sent)
      return { value: fromFailedProblem(error), retryAfterMs }
    },

    async cancel(job, signal) {
      const sent = await send(options, signal, (init) =>
        http.DELETE('/jobs/{job}', { ...init, params: { path: { job } } }),
      )
      if (!sent.response.ok || !sent.data) throw unexpected(sent)
      return sent.data
    },

    async events(job, version, signal) {
      const own = { Accept: 'text/event-stream', 'Last-Event-ID': version || undefined }
      const params = { path: { job } }
      const sent = await send(options, signal, (init) =>
        http.GET('/jobs/{job}/events', { ...init, headers: { ...init.headers, ...own }, params, parseAs: 'stream' }),
      )
      const { data, response } = sent
      if (response.status === 204) return null
      if (response.ok && data && /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '')) return data
      void data?.cancel().catch(() => undefined)
      throw unexpected(sent)
    },
  }
}

import { type ProblemDetails, ProblemError, problems } from '../../server/errors.ts'
import { instanceAt, problemBody, retryAfterSeconds as passingFaultSeconds } from '../../server/http/problem-body.ts'
import type { FakeJob } from './fake-job.ts'
import { type FakeOperations, fakeOperations } from './fake-operations.ts'
import { readRequest } from './fake-request.ts'
import { type FakeTypes, JobTable } from './job-table.ts'

export interface FakeServerOptions {
  /** What becomes of the jobs of each type. A submit of another type is refused as the server would. */
  readonly types: FakeTypes
  /** The path where the fake serves, such as `/api`, at whatever origin. Default: `/`. */
  readonly mountPath?: string | undefined
  /**
   * Milliseconds until a job starts that no client watches. One that is watched starts at once, so that the client sees
   * each step of its script. Default: 500.
   */
  readonly startAfterMs?: number | undefined
  /** Whole seconds that clients are asked to leave between polls. Default: 1. */
  readonly retryAfterSeconds?: number | undefined
  /** How long an ended job says that it can be read, in milliseconds (`Expires`). Default: 6 hours. */
  readonly retentionMs?: number | undefined
  /** Milliseconds between signs of life of an event stream. Default: 15,000. */
  readonly heartbeatMs?: number | undefined
  /** The longest that `Prefer: wait=n` is followed, in whole seconds. Default: 30. */
  readonly maxWaitSeconds?: number | undefined
  /**
   * Called with each request before it is answered. A Response is answered in place of the fake's own, and what it throws
   * is what the client's `fetch` throws: for faults, for answers that take their time, and for looking on.
   */
  readonly onRequest?:
    ((request: Request) => Response | undefined | void | Promise<Response | undefined | void>) | undefined
}

export interface FakeServer {
  /** Answers as the server would. For the `fetch` option of a client, or in the place of the global one. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** The jobs so far, in the order in which they were submitted. */
  readonly jobs: readonly FakeJob[]
  /** How many event streams are open: 0 once nothing waits any more. */
  readonly openStreams: number
  /** The job of an id. @throws RangeError where there is none. */
  job(id: string): FakeJob
  /** The newest job of a type (default: of any), as soon as there is one. */
  submitted(type?: string): Promise<FakeJob>
  /** Ends open streams and waits, and aborts the signals of all handlers: nothing of the fake runs any more. */
  close(): void
}

const sixHoursMs = 6 * 60 * 60 * 1000

/**
 * An async-jobs server in memory, for unit tests of a front end: jobs take the course that a test gives them, and each
 * answer is the one of openapi.yaml. Left out are the operations by which workers report.
 */
export function createFakeServer(options: FakeServerOptions): FakeServer {
  const { retryAfterSeconds = 1, retentionMs = sixHoursMs, heartbeatMs = 15_000, maxWaitSeconds = 30 } = options
  const mountPath = (options.mountPath ?? '').replace(/\/+$/, '')
  const closing = new AbortController()
  const jobs = new JobTable(options.types, options.startAfterMs ?? 500)
  const policy = {
    retryAfterSeconds: () => retryAfterSeconds,
    expiresAt: ({ lastUpdatedAt }: { readonly lastUpdatedAt: Date }) => new Date(lastUpdatedAt.getTime() + retentionMs),
  }
  let openStreams = 0
  const onOpen = () => {
    openStreams += 1
    return () => void (openStreams -= 1)
  }
  const operations = fakeOperations({ jobs, policy, heartbeatMs, maxWaitSeconds, closing: closing.signal, onOpen })
  const answer = async (request: Request): Promise<Response> => {
    const given = await options.onRequest?.(request.clone())
    return given ?? respond(operations, request, mountPath)
  }
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      return orAborted(answer(request), request.signal)
    },
    get jobs() {
      return jobs.all()
    },
    get openStreams() {
      return openStreams
    },
    job: (id) => {
      const job = jobs.find(id)
      if (job === undefined) throw new RangeError(`the fake server has no job ${id}`)
      return job
    },
    submitted: (type) => jobs.newest(type),
    close: () => {
      closing.abort()
      for (const job of jobs.all()) job.stop()
    },
  }
}

interface AnyReply {
  readonly status: number
  readonly contentType?: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

async function respond(operations: FakeOperations, request: Request, mountPath: string): Promise<Response> {
  const reply = await replyTo(operations, request, mountPath)
  const headers = new Headers(reply.contentType === undefined ? undefined : { 'Content-Type': reply.contentType })
  for (const [name, value] of Object.entries(reply.headers)) headers.set(name, String(value))
  const { status, body } = reply
  const streams = body instanceof ReadableStream
  if (streams && request.method === 'HEAD') await body.cancel()
  if (body === undefined || request.method === 'HEAD') return new Response(null, { status, headers })
  return new Response(streams ? (body as ReadableStream<Uint8Array>) : JSON.stringify(body), { status, headers })
}

async function replyTo(operations: FakeOperations, request: Request, mountPath: string): Promise<AnyReply> {
  try {
    const read = await readRequest(request, mountPath)
    const operation = operations[read.operationId as keyof FakeOperations]
    if (operation === undefined)
      throw new ProblemError('route-not-found', { detail: 'workers report to a real server' })
    return await operation(read)
  } catch (error) {
    if (error instanceof ProblemError) return problemReply(error, new URL(request.url).pathname)
    throw error
  }
}

function problemReply({ code, details }: ProblemError, path: string): AnyReply {
  const { status, retryable } = problems[code]
  const { headers }: ProblemDetails = details
  return {
    status,
    contentType: 'application/problem+json',
    headers: { 'Cache-Control': 'no-store', ...(retryable && { 'Retry-After': passingFaultSeconds }), ...headers },
    body: problemBody({ code, details }, instanceAt(path)),
  }
}

/** As `fetch` rejects, with the reason of the signal, whatever the answer then becomes. */
function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}

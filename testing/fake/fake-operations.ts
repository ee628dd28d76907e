import { ProblemError } from '../../server/errors.ts'
import { unquote } from '../../server/http/idempotency-key.ts'
import { endId } from '../../server/http/job-event.ts'
import { cachingOf, expiresOf, failedProblem, hintsOf } from '../../server/http/job-representation.ts'
import { jobView, matchesTag } from '../../server/http/job-view.ts'
import type { Policy } from '../../server/http/policy.ts'
import type { OperationId, Reply } from '../../server/http/reply.ts'
import { isTerminal, type Job } from '../../server/job.ts'
import { submitBatch } from './fake-batch.ts'
import type { FakeJob } from './fake-job.ts'
import type { FakeRequest } from './fake-request.ts'
import { type FakeStreamOptions, streamOfJob, streamOfJobs } from './fake-stream.ts'
import { beginWait } from './fake-wait.ts'
import type { JobTable } from './job-table.ts'

/** What the fake leaves out: workers report by these, never the front end that a fake is for. */
export const reportOperations = ['reportProgress', 'completeJob', 'failJob'] as const

type FakeOperationId = Exclude<OperationId, (typeof reportOperations)[number]>
type FakeReply<Id extends OperationId> = Reply<Id, ReadableStream<Uint8Array>>

/** An operation that is added to the document and is neither here nor among those left out does not compile. */
export type FakeOperations = {
  readonly [Id in FakeOperationId]: (request: FakeRequest) => FakeReply<Id> | Promise<FakeReply<Id>>
}

export interface FakeParts extends Omit<FakeStreamOptions, 'signal'> {
  readonly jobs: JobTable
  readonly policy: Policy
  readonly maxWaitSeconds: number
}

const streamHeaders = { 'Cache-Control': 'private, no-cache, no-transform', 'X-Accel-Buffering': 'no' } as const

export function fakeOperations(parts: FakeParts): FakeOperations {
  const cancel = (request: FakeRequest): FakeReply<'cancelJob'> => {
    const job = find(parts, request)
    if (job.cancel()) return { status: 202, contentType: 'application/json', headers: {}, body: jobView(job.state) }
    throw new ProblemError('job-already-ended', { jobId: job.id, jobStatus: job.status })
  }
  const streamOptions = ({ signal }: FakeRequest): FakeStreamOptions => ({ ...parts, signal })
  return {
    submitJob: (request) => submit(parts, request),
    submitJobs: (request) => {
      return { status: 200, contentType: 'application/json', headers: {}, body: submitBatch(parts.jobs, request) }
    },
    getJobStatus: (request) => status(parts, request),
    cancelJob: cancel,
    cancelJobByStatus: cancel,
    streamJobEvents: (request) => {
      const job = find(parts, request)
      const seen = request.header('Last-Event-ID')?.trim() === String(job.state.version)
      if (seen && isTerminal(job.status)) return { status: 204, headers: {} }
      const body = streamOfJob(job, streamOptions(request))
      return { status: 200, contentType: 'text/event-stream', headers: streamHeaders, body }
    },
    streamEventsOfJobs: (request) => {
      if (request.header('Last-Event-ID') === endId) return { status: 204, headers: {} }
      const jobs = new Map(request.jobs.map((id) => [id.toLowerCase(), parts.jobs.find(id)]))
      const body = streamOfJobs(jobs, streamOptions(request))
      return { status: 200, contentType: 'text/event-stream', headers: streamHeaders, body }
    },
  }
}

function find({ jobs }: FakeParts, request: FakeRequest): FakeJob {
  const job = jobs.find(request.job)
  if (job === undefined) throw new ProblemError('job-not-found')
  return job
}

async function submit(parts: FakeParts, request: FakeRequest): Promise<FakeReply<'submitJob'>> {
  const { base, body: input } = request
  const key = request.header('Idempotency-Key')
  const idempotencyKey = key === undefined ? undefined : unquote(key)
  const { job, outcome } = parts.jobs.submit(request.job, { input, idempotencyKey })
  const statusUrl = `${base}/jobs/${job.id}/status`
  const before = job.state
  const wait = beginWait(request, parts)
  await wait?.until(job, ({ status }) => isTerminal(status))
  if (wait && isTerminal(job.status)) return endedReply(job.state, statusUrl, { ...wait.headers, policy: parts.policy })
  const retryAfter = parts.policy.retryAfterSeconds({ type: job.type })
  return {
    status: 202,
    contentType: 'application/json',
    headers: {
      Location: statusUrl,
      ...wait?.headers,
      ...(!isTerminal(before.status) && { 'Retry-After': retryAfter }),
    },
    body: { jobId: job.id, statusUrl, eventsUrl: `${base}/jobs/${job.id}/events`, outcome },
  }
}

interface Ended {
  readonly policy: Policy
  readonly 'Preference-Applied': string
}

/** What the status resource would answer. */
function endedReply(job: Job, url: string, { policy, ...applied }: Ended): FakeReply<'submitJob'> {
  const located = { Location: url, 'Content-Location': url, ...applied }
  if (job.status === 'FAILED') {
    const body = failedProblem(job, { instance: new URL(url).pathname })
    return { status: 422, contentType: 'application/problem+json', headers: located, body }
  }
  const headers = { ...located, ...cachingOf(job), Expires: expiresOf(job, policy) }
  return { status: 200, contentType: 'application/json', headers, body: jobView(job) }
}

async function status(parts: FakeParts, request: FakeRequest): Promise<FakeReply<'getJobStatus'>> {
  const known = request.header('If-None-Match')
  const wait = beginWait(request, parts)
  // The end is always news; another version than the known one only to a client that knows one.
  await wait?.until(find(parts, request), (job) => {
    return isTerminal(job.status) || (known !== undefined && !matchesTag(known, cachingOf(job).ETag))
  })
  const job = find(parts, request).state
  const headers = { ...cachingOf(job), ...wait?.headers }
  if (job.status === 'FAILED') {
    const body = failedProblem(job, { instance: request.instance })
    const failed = { ...headers, Expires: expiresOf(job, parts.policy) }
    return { status: 422, contentType: 'application/problem+json', headers: failed, body }
  }
  const all = { ...headers, ...hintsOf(job, parts.policy) }
  if (matchesTag(known, headers.ETag)) return { status: 304, headers: all }
  return { status: 200, contentType: 'application/json', headers: all, body: jobView(job) }
}

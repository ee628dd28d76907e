import type { CancelledJob, FailedJob, JobFailure, Problem } from './job-state.ts'

/** The request that an error is about. No headers: errors end in logs, and headers carry credentials. */
export interface RequestLine {
  readonly method: string
  readonly url: string
}

interface Context {
  readonly cause?: unknown
  readonly request?: RequestLine | undefined
}

/** The base of all errors of this client. Thrown itself when a request could not be built or its headers be had. */
export class AsyncJobsError extends Error {
  override readonly name: string = 'AsyncJobsError'
  /** The request, where there was one. */
  declare readonly request?: RequestLine

  constructor(message: string, { request, ...options }: Context = {}) {
    super(message, options)
    if (request) this.request = request
  }

  /** Marks the errors of every copy of this library. */
  get isAsyncJobsError(): true {
    return true
  }
}

/** An argument is not of the form that the contract asks for. Nothing was sent. */
export class InvalidArgumentError extends AsyncJobsError {
  override readonly name = 'InvalidArgumentError'
  readonly field: string
  readonly expected: string
  readonly found: string

  constructor(field: string, expected: string, value: unknown) {
    const found = typeof value === 'string' ? JSON.stringify(value.slice(0, 120)) : String(value)
    super(`${field}: expected ${expected}, found ${found}`)
    this.field = field
    this.expected = expected
    this.found = found
  }
}

/** No answer: the connection could not be made, broke, or stayed silent for too long. `cause` is what was thrown. */
export class NetworkError extends AsyncJobsError {
  override readonly name = 'NetworkError'
}

interface HttpContext extends Context {
  readonly status: number
  readonly problem?: Problem | undefined
  readonly retryAfterMs?: number | undefined
}

/**
 * An answer that is not the one asked for: an error status, a redirect (never followed, because the headers of this
 * client are meant for `baseUrl` alone; browsers show its status as 0), or a 2xx with another kind of body.
 */
export class HttpError extends AsyncJobsError {
  override readonly name: string = 'HttpError'
  readonly status: number
  /** The problem (RFC 9457) of the answer, where it was one. */
  readonly problem: Problem | undefined
  /** When the server wants to be asked again, in milliseconds, where it said so. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status, problem, retryAfterMs, ...context }: HttpContext) {
    super(message, context)
    this.status = status
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** There is no such job, or none that the caller may know of. */
export class JobNotFoundError extends HttpError {
  override readonly name = 'JobNotFoundError'
}

/** The job ended as FAILED. */
export class JobFailedError extends AsyncJobsError {
  override readonly name = 'JobFailedError'
  readonly job: FailedJob
  readonly failure: JobFailure

  constructor(job: FailedJob) {
    super(`Job ${job.jobId} failed: ${job.failure.title} (${job.failure.code})`)
    this.job = job
    this.failure = job.failure
  }
}

/** The job ended as CANCELLED. */
export class JobCancelledError extends AsyncJobsError {
  override readonly name = 'JobCancelledError'
  readonly job: CancelledJob

  constructor(job: CancelledJob) {
    super(`Job ${job.jobId} was cancelled`)
    this.job = job
  }
}

/** `timeoutMs` passed before the job ended; the job goes on. `cause` is the last failed request of the wait, if any. */
export class WaitTimeoutError extends AsyncJobsError {
  override readonly name = 'WaitTimeoutError'
  readonly timeoutMs: number

  constructor(timeoutMs: number, context?: { readonly cause: unknown }) {
    super(`The job did not end within ${timeoutMs} ms`, context)
    this.timeoutMs = timeoutMs
  }
}

/** True for every error of this client. Like all guards here, also across two copies of the library. */
export function isAsyncJobsError(error: unknown): error is AsyncJobsError {
  return error instanceof Error && 'isAsyncJobsError' in error
}

export function isInvalidArgumentError(error: unknown): error is InvalidArgumentError {
  return isAsyncJobsError(error) && error.name === 'InvalidArgumentError'
}

export function isNetworkError(error: unknown): error is NetworkError {
  return isAsyncJobsError(error) && error.name === 'NetworkError'
}

/** True for an HttpError and for a JobNotFoundError, which is one. */
export function isHttpError(error: unknown): error is HttpError {
  return isAsyncJobsError(error) && 'status' in error
}

export function isJobNotFoundError(error: unknown): error is JobNotFoundError {
  return isAsyncJobsError(error) && error.name === 'JobNotFoundError'
}

export function isJobFailedError(error: unknown): error is JobFailedError {
  return isAsyncJobsError(error) && error.name === 'JobFailedError'
}

export function isJobCancelledError(error: unknown): error is JobCancelledError {
  return isAsyncJobsError(error) && error.name === 'JobCancelledError'
}

export function isWaitTimeoutError(error: unknown): error is WaitTimeoutError {
  return isAsyncJobsError(error) && error.name === 'WaitTimeoutError'
}

/** Statuses that may give way to a better answer; a 2xx is an error here when its body is not of the contract. */
const transientStatus = /^(?:2..|5..|408|425|429)$/

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof HttpError && transientStatus.test(String(error.status)))
}

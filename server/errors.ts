import type { components } from '../generated/openapi.ts'

/** What went wrong, stable across releases. */
export type ProblemCode = components['schemas']['ProblemCode']

interface ProblemKind {
  readonly title: string
  readonly status: number
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean
}

const kind = (status: number, title: string, retryable = false): ProblemKind => ({ title, status, retryable })

/** The one table of problems. A test keeps it and the document in step. */
export const problems: Readonly<Record<ProblemCode, ProblemKind>> = {
  'body-too-deep': kind(400, 'The body is nested too deeply'),
  'body-too-large': kind(413, 'The body is too large'),
  'database-unavailable': kind(503, 'The database cannot be reached', true),
  'idempotency-key-required': kind(400, 'This type of job requires an idempotency key'),
  'idempotency-key-reused': kind(422, 'The idempotency key stands for another request'),
  'internal-error': kind(500, 'Internal error'),
  'invalid-host': kind(400, 'The Host header is malformed'),
  'invalid-input': kind(400, 'The input does not fit the type'),
  'invalid-request': kind(400, 'The request is not valid'),
  'job-already-ended': kind(409, 'The job has ended already'),
  'job-failed': kind(422, 'The job failed'),
  'job-in-flight': kind(409, 'A job does this work now'),
  'job-not-found': kind(404, 'There is no such job'),
  'malformed-body': kind(400, 'The body is not valid JSON'),
  'malformed-url': kind(400, 'The URL is malformed'),
  'method-not-allowed': kind(405, 'The method is not allowed here'),
  'not-acceptable': kind(406, 'Nothing acceptable can be sent'),
  'not-authorized': kind(403, 'This is not for the caller to do'),
  'queue-full': kind(503, 'Too many jobs of this type are waiting', true),
  'report-refused': kind(409, 'The report is refused, the job has ended'),
  'report-token-required': kind(401, 'The report carries no token'),
  'route-not-found': kind(404, 'There is nothing here'),
  'too-many-streams': kind(503, 'Too many streams are open here', true),
  'too-many-streams-of-caller': kind(429, 'The caller has too many streams open', true),
  'unknown-type': kind(400, 'There is no such type of job'),
  'unsupported-media-type': kind(415, 'The media type is not supported'),
}

/** One fault of a request: where it is and what was expected. */
export type RequestError = components['schemas']['RequestError']

/** What a {@link ProblemError} tells beyond its code. All of it may reach a client. */
export interface ProblemDetails {
  readonly detail?: string
  readonly jobId?: string
  readonly jobStatus?: components['schemas']['JobStatus']
  readonly errors?: readonly RequestError[]
  /** Header fields that go with the problem, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The fault behind it; logged, never sent. */
  readonly cause?: unknown
}

/** A use case refuses, with a code of the table. HTTP answers it as a problem (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly details: ProblemDetails

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.detail ?? problems[code].title, { cause: details.cause })
    this.code = code
    this.details = details
  }
}

/** The configuration is wrong. The message names every mistake: what it is about, what was expected, what came. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`async-jobs cannot start:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

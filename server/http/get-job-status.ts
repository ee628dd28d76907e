import type { Request } from 'express'
import { problems } from '../errors.ts'
import { isTerminal, type Job } from '../job.ts'
import { genericTitle } from '../jobs/failure.ts'
import type { Access } from './access.ts'
import { entityTag, jobView } from './job-view.ts'
import type { Operation, Reply } from './operation.ts'
import type { Policy } from './policy.ts'
import { instanceOf, problemType } from './problem.ts'

export interface GetJobStatusParts {
  readonly access: Access
  readonly policy: Policy
}

/** GET /jobs/{id}/status */
export function getJobStatus({ access, policy }: GetJobStatusParts): Operation<'getJobStatus'> {
  return async ({ path, header, req }) => {
    const job = await access.job(req, 'read', path.job)
    if (job.status === 'FAILED') return failedReply(req, job, policy)
    const caching = { 'Cache-Control': 'private, no-cache', ETag: entityTag(job.version) }
    const headers = isTerminal(job.status)
      ? { ...caching, Expires: expires(job, policy) }
      : { ...caching, 'Retry-After': policy.retryAfterSeconds({ type: job.type, job }) }
    if (matches(header('If-None-Match'), caching.ETag)) return { status: 304, headers }
    return { status: 200, contentType: 'application/json', headers, body: jobView(job) }
  }
}

/** A failed job is a problem (RFC 9457) that carries the state; 422 is never answered by 304 (RFC 9110 section 13.2.1). */
function failedReply(req: Request, job: Job, policy: Policy): Reply<'getJobStatus'> {
  const { output: _output, status: jobStatus, type: jobType, ...state } = jobView(job)
  const { code, title, detail } = job.failure ?? { code: 'handler-error', title: genericTitle }
  return {
    status: 422,
    contentType: 'application/problem+json',
    headers: {
      'Cache-Control': 'private, no-cache',
      ETag: entityTag(job.version),
      Expires: expires(job, policy),
    },
    body: {
      type: problemType('job-failed'),
      title,
      status: problems['job-failed'].status,
      code: 'job-failed',
      ...(detail === undefined ? {} : { detail }),
      ...instanceOf(req),
      ...state,
      failureCode: code,
      jobType,
      jobStatus,
    },
  }
}

/** IMF-fixdate (RFC 9110 section 5.6.7). */
function expires(job: Job, policy: Policy): string {
  return policy.expiresAt(job).toUTCString()
}

/** Weak comparison of a list (RFC 9110 section 13.1.2). */
function matches(field: string | undefined, tag: string): boolean {
  const tags = new Set((field ?? '').split(',').map((text) => text.trim().replace(/^W\//, '')))
  return tags.has(tag) || tags.has('*')
}

import { problems } from '../errors.ts'
import { isTerminal, type Job } from '../job.ts'
import { genericTitle } from '../jobs/failure.ts'
import type { components } from '../../generated/openapi.ts'
import { entityTag, jobView } from './job-view.ts'
import type { Policy } from './policy.ts'
import { problemType } from './problem-body.ts'

/** The fields that every answer with the state of a job has. */
export function cachingOf({ version }: Job): { 'Cache-Control': string; ETag: string } {
  return { 'Cache-Control': 'private, no-cache', ETag: entityTag(version) }
}

/** When to ask again, or until when the answer stays: an active job has the one, a terminal job the other. */
export function hintsOf(job: Job, policy: Policy): { Expires: string } | { 'Retry-After': number } {
  return isTerminal(job.status)
    ? { Expires: expiresOf(job, policy) }
    : { 'Retry-After': policy.retryAfterSeconds({ type: job.type, job }) }
}

/** IMF-fixdate (RFC 9110 section 5.6.7). */
export function expiresOf(job: Job, policy: Policy): string {
  return policy.expiresAt(job).toUTCString()
}

/** A FAILED job as a problem (RFC 9457) that carries its state. */
export function failedProblem(job: Job, instance: { instance?: string }): components['schemas']['FailedJobProblem'] {
  const { output: _output, status: jobStatus, type: jobType, ...state } = jobView(job)
  const { code, title, detail } = job.failure ?? { code: 'handler-error', title: genericTitle }
  return {
    type: problemType('job-failed'),
    title,
    status: problems['job-failed'].status,
    code: 'job-failed',
    ...(detail === undefined ? {} : { detail }),
    ...instance,
    ...state,
    failureCode: code,
    jobType,
    jobStatus,
  }
}

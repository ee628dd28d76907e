import { isTerminal, type JobState } from '../job.ts'
import type { Access } from './access.ts'
import { cachingOf, expiresOf, failedProblem, hintsOf } from './job-representation.ts'
import { entityTag, jobView, matchesTag } from './job-view.ts'
import type { Operation } from './operation.ts'
import type { Policy } from './policy.ts'
import { instanceOf } from './problem.ts'
import type { BeginWait } from './wait-for-job.ts'

export interface GetJobStatusParts {
  readonly access: Access
  readonly policy: Policy
  readonly wait: BeginWait
}

/** GET /jobs/{id}/status */
export function getJobStatus({ access, policy, wait: beginWait }: GetJobStatusParts): Operation<'getJobStatus'> {
  return async ({ path, header, req }) => {
    const known = header('If-None-Match')
    const wait = await beginWait(req, header('Prefer'), path.job)
    const job = await (wait === undefined ? access.job(req, 'read', path.job) : wait.read(isNews(known)))
    const headers = { ...cachingOf(job), ...wait?.headers }
    if (job.status === 'FAILED') {
      // 422 is never answered by 304 (RFC 9110 section 13.2.1).
      const body = failedProblem(job, instanceOf(req))
      const failed = { ...headers, Expires: expiresOf(job, policy) }
      return { status: 422, contentType: 'application/problem+json', headers: failed, body }
    }
    const all = { ...headers, ...hintsOf(job, policy) }
    if (matchesTag(known, headers.ETag)) return { status: 304, headers: all }
    return { status: 200, contentType: 'application/json', headers: all, body: jobView(job) }
  }
}

/** The end of the job is always news; another version than the known one only to a client that knows one. */
function isNews(known: string | undefined): (state: JobState) => boolean {
  return (state) => isTerminal(state.status) || (known !== undefined && !matchesTag(known, entityTag(state.version)))
}

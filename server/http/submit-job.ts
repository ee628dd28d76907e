import { isTerminal, type Job } from '../job.ts'
import type { Submit } from '../jobs/submit.ts'
import type { Access } from './access.ts'
import { hasNoCache } from './cache-control.ts'
import { cachingOf, expiresOf, failedProblem } from './job-representation.ts'
import { unquote } from './idempotency-key.ts'
import { jobView } from './job-view.ts'
import type { Operation, Reply } from './operation.ts'
import type { Policy } from './policy.ts'
import { baseUrl, jobUrls } from './urls.ts'
import type { BeginWait, Wait } from './wait-for-job.ts'

export interface SubmitJobParts {
  readonly submit: Submit
  readonly access: Access
  readonly policy: Policy
  readonly publicUrl: string | undefined
  readonly wait: BeginWait
}

/** POST /jobs/{type} */
export function submitJob(parts: SubmitJobParts): Operation<'submitJob'> {
  const { submit, access, policy, publicUrl } = parts
  return async ({ path, header, body, req }) => {
    const base = baseUrl(req, publicUrl)
    const key = header('Idempotency-Key')
    const tenant = await access.submit(req, path.job)
    const { jobId, outcome, status } = await submit(path.job, {
      noCache: hasNoCache(header('Cache-Control')),
      ...(tenant === undefined ? {} : { tenant }),
      ...(body === undefined ? {} : { input: body }),
      ...(key === undefined ? {} : { idempotencyKey: unquote(key) }),
    })
    const urls = jobUrls(base, jobId)
    const wait = await parts.wait(req, header('Prefer'), jobId).catch(() => undefined)
    const ended = wait && (await readEnded(wait))
    if (ended) return endedReply(ended, urls.statusUrl, { policy, wait })
    return {
      status: 202,
      contentType: 'application/json',
      headers: {
        Location: urls.statusUrl,
        ...wait?.headers,
        ...(isTerminal(status) ? {} : { 'Retry-After': policy.retryAfterSeconds({ type: path.job }) }),
      },
      body: { jobId, ...urls, outcome },
    }
  }
}

/** The job, if it ends in time. Whatever goes wrong here, the job is accepted: a 202 says so and where to look. */
async function readEnded(wait: Wait): Promise<Job | undefined> {
  const job = await wait.read(({ status }) => isTerminal(status)).catch(() => undefined)
  return job !== undefined && isTerminal(job.status) ? job : undefined
}

/** What the status resource would answer. */
function endedReply(job: Job, url: string, { policy, wait }: { policy: Policy; wait: Wait }): Reply<'submitJob'> {
  const located = { Location: url, 'Content-Location': url, ...wait.headers }
  if (job.status === 'FAILED') {
    const body = failedProblem(job, { instance: new URL(url).pathname })
    return { status: 422, contentType: 'application/problem+json', headers: located, body }
  }
  const headers = { ...located, ...cachingOf(job), Expires: expiresOf(job, policy) }
  return { status: 200, contentType: 'application/json', headers, body: jobView(job) }
}

import { isTerminal } from '../job.ts'
import type { Submit } from '../jobs/submit.ts'
import type { Access } from './access.ts'
import type { Operation } from './operation.ts'
import type { Policy } from './policy.ts'
import { baseUrl, jobUrls } from './urls.ts'

export interface SubmitJobParts {
  readonly submit: Submit
  readonly access: Access
  readonly policy: Policy
  readonly publicUrl: string | undefined
}

/** POST /jobs/{type} */
export function submitJob({ submit, access, policy, publicUrl }: SubmitJobParts): Operation<'submitJob'> {
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
    return {
      status: 202,
      contentType: 'application/json',
      headers: {
        Location: urls.statusUrl,
        ...(isTerminal(status) ? {} : { 'Retry-After': policy.retryAfterSeconds({ type: path.job }) }),
      },
      body: { jobId, ...urls, outcome },
    }
  }
}

/** `no-cache` as a directive of its own, anywhere in the field (RFC 9111 section 5.2.1.4). */
function hasNoCache(field: string | undefined): boolean {
  return (field ?? '').split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}

/** The quoted form of draft-ietf-httpapi-idempotency-key-header and the bare form are one key. */
function unquote(key: string): string {
  return key.length > 2 && key.startsWith('"') && key.endsWith('"') ? key.slice(1, -1) : key
}

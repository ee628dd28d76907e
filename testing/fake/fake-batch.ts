import { ProblemError } from '../../server/errors.ts'
import { problemBody } from '../../server/http/problem-body.ts'
import type { Reply } from '../../server/http/reply.ts'
import { misfit } from '../contract/schemas.ts'
import type { FakeRequest } from './fake-request.ts'
import type { JobTable } from './job-table.ts'

type Answer = Extract<Reply<'submitJobs'>, { readonly contentType: 'application/json' }>['body']

/** A job of a batch that fits the document. */
interface Item {
  readonly type: string
  readonly input?: unknown
  readonly idempotencyKey?: string
}

/** Submits each job of a batch, and answers it in its place. */
export function submitBatch(jobs: JobTable, { base, body }: FakeRequest): Answer {
  const fault = misfit(body ?? {}, '#/components/schemas/JobBatch')
  if (fault !== undefined) {
    throw new ProblemError('invalid-request', { errors: [{ in: 'body', pointer: '#', detail: fault }] })
  }
  return { results: (body as { readonly jobs: readonly Item[] }).jobs.map((one) => submitOne(jobs, base, one)) }
}

function submitOne(jobs: JobTable, base: string, item: Item): Answer['results'][number] {
  const { type, input, idempotencyKey } = item
  try {
    const { job, outcome } = jobs.submit(type, { input, idempotencyKey })
    const url = `${base}/jobs/${job.id}`
    return { status: 202, job: { jobId: job.id, statusUrl: `${url}/status`, eventsUrl: `${url}/events`, outcome } }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const problem = problemBody(error, {})
    return { status: problem.status, problem }
  }
}

import type { components } from '../../generated/openapi.ts'
import { ProblemError, type RequestError } from '../errors.ts'
import type { ManyAnswer, ManySubmit, SubmitMany } from '../jobs/submit-many.ts'
import type { Telemetry } from '../telemetry.ts'
import type { Access } from './access.ts'
import { hasNoCache } from './cache-control.ts'
import type { Operation, OperationRequest } from './operation.ts'
import { problemBody } from './problem-body.ts'
import { baseUrl, jobUrls } from './urls.ts'

type Batch = components['schemas']['JobBatch']
type Item = Batch['jobs'][number]
/** A job, or the problem that stands in its place. */
type Answered = Exclude<ManyAnswer, { readonly error: unknown }> | { readonly error: ProblemError }
type Result = components['schemas']['BatchResult']

export interface SubmitJobsParts {
  readonly submit: SubmitMany
  readonly access: Access
  readonly telemetry: Telemetry
  readonly publicUrl: string | undefined
  /** The longest input of one job, in bytes: what a submit of its own would take. */
  readonly maxInputBytes: number
}

/** POST /job-batches */
export function submitJobs(parts: SubmitJobsParts): Operation<'submitJobs'> {
  return async (request) => {
    const { jobs } = request.body as Batch
    const base = baseUrl(request.req, parts.publicUrl)
    const results = await submitAllowed(parts, jobs, request)
    // A database that is away is no matter of one job: the whole batch may come again.
    const [first] = results
    if (first !== undefined && 'error' in first && results.every(isFaultOfOurs)) throw first.error
    const body = results.map((result, index): Result => {
      if ('jobId' in result) {
        const { jobId, outcome } = result
        return { status: 202, job: { jobId, ...jobUrls(base, jobId), outcome } }
      }
      const problem = problemBody(located(result.error, index), {})
      if (problem.code === 'internal-error') tell(parts, request, result.error)
      return { status: problem.status, problem }
    })
    return { status: 200, contentType: 'application/json', headers: {}, body: { results: body } }
  }
}

/** Asks once for each type whether the caller may submit it, and submits the jobs of those that are allowed. */
async function submitAllowed(
  { submit, access, maxInputBytes }: SubmitJobsParts,
  jobs: readonly Item[],
  { req, header }: OperationRequest<'submitJobs'>,
): Promise<Answered[]> {
  const tenant = await access.tenant(req)
  const refused = new Map<string, ProblemError>()
  for (const type of new Set(jobs.map((job) => job.type))) {
    if (!(await access.maySubmit(req, type))) refused.set(type, new ProblemError('not-authorized'))
  }
  const faults = jobs.map((job) => refused.get(job.type) ?? tooLarge(job, maxInputBytes))
  const noCache = hasNoCache(header('Cache-Control'))
  const requests = jobs.map((job) => ({ ...toRequest(job), noCache, ...(tenant === undefined ? {} : { tenant }) }))
  const answers = await submit(requests.filter((_request, index) => faults[index] === undefined))
  const next = answers[Symbol.iterator]()
  return faults.map((error) => (error === undefined ? asAnswered(next.next().value as ManyAnswer) : { error }))
}

function asAnswered(answer: ManyAnswer): Answered {
  if (!('error' in answer)) return answer
  const { error } = answer
  return { error: error instanceof ProblemError ? error : new ProblemError('internal-error', { cause: error }) }
}

function toRequest(job: Item): ManySubmit {
  const { type, idempotencyKey } = job
  return {
    type,
    ...('input' in job ? { input: job.input } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  }
}

function tooLarge({ input }: Item, maxBytes: number): ProblemError | undefined {
  if (input === undefined || Buffer.byteLength(JSON.stringify(input)) <= maxBytes) return undefined
  return new ProblemError('body-too-large', { detail: `an input has at most ${maxBytes} bytes` })
}

const isFaultOfOurs = (result: Answered): boolean =>
  'error' in result && ['database-unavailable', 'internal-error'].includes(result.error.code)

/** Faults of an input are told by their place in the batch. */
function located({ code, details }: ProblemError, index: number): ProblemError {
  const errors = details.errors?.map((error): RequestError => {
    return error.pointer === undefined ? error : { ...error, pointer: `#/jobs/${index}/input${error.pointer.slice(1)}` }
  })
  return new ProblemError(code, { ...details, ...(errors === undefined ? {} : { errors }) })
}

function tell({ telemetry }: SubmitJobsParts, { req }: OperationRequest<'submitJobs'>, error: ProblemError): void {
  telemetry.emit('request:failed', { method: req.method, path: req.path, status: 500, error: error.cause })
}

import { ProblemError } from '../../server/errors.ts'
import { genericTitle } from '../../server/jobs/failure.ts'
import { FakeJob } from './fake-job.ts'

/**
 * Plays the part of a type's handler: what it returns is the job's output, a JobFailureError fails the job in its words,
 * and anything else that it throws fails it as the server would.
 */
export type FakeHandler = (job: FakeJob) => unknown

/** A handler for each type; a job of a type that is `manual` waits for what the test does with it. */
export type FakeTypes = Readonly<Record<string, FakeHandler | 'manual'>>

export interface FakeSubmission {
  readonly job: FakeJob
  readonly outcome: 'created' | 'idempotent'
}

/** The jobs of one fake server. */
export class JobTable {
  readonly #types: FakeTypes
  readonly #jobs = new Map<string, FakeJob>()
  readonly #startAfterMs: number
  #waiting: (() => void)[] = []

  constructor(types: FakeTypes, startAfterMs: number) {
    this.#types = types
    this.#startAfterMs = startAfterMs
  }

  /** In the order in which they were submitted. */
  all(): FakeJob[] {
    return [...this.#jobs.values()].filter(({ removed }) => !removed)
  }

  find(id: string): FakeJob | undefined {
    const job = this.#jobs.get(id.toLowerCase())
    return job?.removed === true ? undefined : job
  }

  /** The newest job of a type, or of any, once there is one. */
  async newest(type: string | undefined): Promise<FakeJob> {
    for (;;) {
      const job = this.all().findLast((one) => type === undefined || one.type === type)
      if (job) return job
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** @throws ProblemError `unknown-type` or `idempotency-key-reused`. */
  submit(
    type: string,
    submitted: { readonly input: unknown; readonly idempotencyKey: string | undefined },
  ): FakeSubmission {
    const handler = Object.hasOwn(this.#types, type) ? this.#types[type] : undefined
    if (handler === undefined)
      throw new ProblemError('unknown-type', { detail: `no handler of the fake is called ${type}` })
    const { idempotencyKey: key, input } = submitted
    const known = key === undefined ? undefined : this.all().find(({ idempotencyKey }) => idempotencyKey === key)
    if (known) {
      const same = known.type === type && canonical(known.input) === canonical(input)
      if (!same) throw new ProblemError('idempotency-key-reused', { jobId: known.id })
      return { job: known, outcome: 'idempotent' }
    }
    const job = new FakeJob(type, submitted)
    this.#jobs.set(job.id, job)
    for (const wake of this.#waiting.splice(0)) wake()
    if (handler !== 'manual') void this.#run(job, handler)
    return { job, outcome: 'created' }
  }

  async #run(job: FakeJob, handler: FakeHandler): Promise<void> {
    await job.watched(this.#startAfterMs)
    if (!job.start()) return
    try {
      job.complete(await handler(job))
    } catch (error) {
      if (isJobFailure(error)) job.fail(error)
      else if (job.fail({ title: genericTitle })) job.handlerError = error
    }
  }
}

/** By its name, so that the class of `async-jobs/server` counts as well. */
function isJobFailure(error: unknown): error is { title: string; code: string; detail: string | undefined } {
  return error instanceof Error && error.name === 'JobFailureError'
}

/** Equal texts for equal JSON, in whatever order its properties are. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

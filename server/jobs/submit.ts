import { ProblemError } from '../errors.ts'
import type { IsoDuration } from '../duration.ts'
import type { Transaction } from '../handler.ts'
import type { KeyMismatch, NewJob, Store, Submission } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import type { Backlog } from './backlog.ts'
import type { Changes } from './changes.ts'
import { checkInput } from './input.ts'
import { canonicalJson, sha256 } from './json.ts'
import { findType, type RegisteredType } from './registry.ts'
import { readWhen } from './when.ts'
import { coalescingKeyOf, type ReusePolicy } from './reuse.ts'

/** What a submit may carry. */
export interface SubmitRequest {
  /** Whose job it is: keys, reuse and every look-up stay within one tenant. Default: the empty text. */
  readonly tenant?: string
  /** As the type's `inputSchema` asks; leave it out for a type without input. */
  readonly input?: unknown
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string
  /**
   * Submits in this transaction: the job is there when it commits, and never was when it rolls back. A duplicate leaves the
   * transaction usable. A `pg` client (8.21 or newer) tells of the commit, and the job starts at once; otherwise it starts
   * within a poll interval, and {@link AsyncJobs.wake} after the commit saves that.
   * In REPEATABLE READ and SERIALIZABLE an error with the code 40001 may ask for the transaction to begin anew.
   */
  readonly tx?: Transaction
  /**
   * When the job is due, instead of now: an instant, or milliseconds or an ISO 8601 duration from now, by the database's
   * clock. It starts within a poll interval after that. What stands for the job already keeps its own time.
   */
  readonly runAt?: Date
  readonly delay?: number | IsoDuration
  /** Which of the waiting jobs of a type are taken first: 0 is the most urgent, 3 the least. Default: 1. */
  readonly priority?: 0 | 1 | 2 | 3
  /** Runs the work anew although a fresh result exists. Default: false. */
  readonly noCache?: boolean
}

export interface SubmitParts {
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly store: Pick<Store, 'submit' | 'submitWithin' | 'submitMany' | 'countPendingWithin' | 'whenEnded'>
  readonly changes: Changes
  readonly telemetry: Telemetry
  readonly reuse: ReusePolicy
  readonly backlog: Backlog
  /** Makes ids; they should grow with time, as UUIDv7 do. */
  readonly newId: () => string
}

export type Submit = (type: string, request?: SubmitRequest) => Promise<Submission>

/** Makes sure that the work of a type is done: by a new job, or by one that stands for it already. */
export function submitJob(parts: SubmitParts): Submit {
  return async (type, request = {}) => {
    const job = toJob(parts, type, request)
    if (request.tx !== undefined) return submitWithin(parts, job, request.tx)
    await parts.backlog.admit(type)
    const answer = accept(job, await parts.store.submit(job))
    if (answer.outcome === 'created') parts.changes.submitted(type)
    parts.telemetry.emit('job:submitted', { jobId: answer.jobId, type, outcome: answer.outcome })
    return answer
  }
}

/** What is sent to the store. Throws the problem of a request that is not to be sent. */
export function toJob(parts: SubmitParts, type: string, request: SubmitRequest): NewJob {
  const registered = findType(parts.types, type)
  checkKey(registered, request.idempotencyKey)
  return newJob(parts, registered, request)
}

/** What is not committed yet, and may never be, is nothing to tell of; executors are woken when the transaction ends. */
async function submitWithin(
  { store, backlog, changes }: SubmitParts,
  job: NewJob,
  tx: Transaction,
): Promise<Submission> {
  if (typeof (tx as Partial<Transaction>).query !== 'function')
    throw new TypeError('tx: expected a client with query()')
  if (store.submitWithin === undefined) throw new TypeError('tx: this store takes part in no transaction')
  const { type } = job
  const count = store.countPendingWithin?.bind(store)
  if (count === undefined) await backlog.admit(type)
  else await backlog.admitWithin(type, (name, limit) => count(tx, name, limit))
  const answer = accept(job, await store.submitWithin(tx, job))
  if (answer.outcome === 'created') store.whenEnded?.(tx, () => changes.submitted(type))
  return answer
}

/** Throws the problem that stands in the place of a job. */
export function accept(job: NewJob, answer: Submission | KeyMismatch): Submission {
  if (answer.outcome === 'mismatch') throw keyReused(answer, job.type)
  if (answer.outcome === 'in-flight' && job.rejects) {
    throw new ProblemError('job-in-flight', { jobId: answer.jobId, jobStatus: answer.status })
  }
  return answer
}

function checkKey({ name, handler }: RegisteredType, key: string | undefined): void {
  if (key === undefined && handler.requireIdempotencyKey === true) {
    throw new ProblemError('idempotency-key-required', { detail: `the type ${JSON.stringify(name)} requires one` })
  }
  if (key !== undefined && !/^[\x21-\x7E]{1,255}$/.test(key)) {
    throw new ProblemError('invalid-request', { detail: 'an idempotency key has 1 to 255 visible ASCII characters' })
  }
}

function newJob({ reuse, newId }: SubmitParts, type: RegisteredType, request: SubmitRequest): NewJob {
  const input = checkInput(type, request.input)
  const freshForMs = reuse.freshForMs(type.name)
  const coalesce = reuse.coalesce(type)
  return {
    id: newId(),
    tenant: request.tenant ?? '',
    type: type.name,
    input: input === undefined ? null : JSON.stringify(input),
    inputHash: sha256(input === undefined ? '' : canonicalJson(input)),
    idempotencyKey: request.idempotencyKey ?? null,
    coalescingKey: coalesce !== false || freshForMs !== null ? coalescingKeyOf(type, input) : null,
    singleFlight: coalesce !== false,
    rejects: coalesce === 'reject',
    freshForMs: request.noCache === true ? null : freshForMs,
    ...readWhen(request),
    maxAttempts: type.retry.maxAttempts,
  }
}

function keyReused(answer: KeyMismatch, type: string): ProblemError {
  const detail =
    answer.type === type
      ? `the key was used with another input of the type ${JSON.stringify(type)}`
      : `the key was used for the type ${JSON.stringify(answer.type)}, not for ${JSON.stringify(type)}`
  return new ProblemError('idempotency-key-reused', { detail, jobId: answer.jobId })
}

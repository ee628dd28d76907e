import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { ProblemError } from '../errors.ts'
import type { Changes } from './changes.ts'
import type { RegisteredType } from './registry.ts'
import { canonicalJson, findJsonFault } from './json.ts'
import type { KeyMismatch, NewJob, Store, Submission } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import type { Backlog } from './backlog.ts'

/** What a submit may carry. */
export interface SubmitRequest {
  readonly tenant?: string
  /** As the type's `inputSchema` asks; leave it out for a type without input. */
  readonly input?: unknown
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string
  /** Runs the work anew although a fresh result exists. Default: false. */
  readonly noCache?: boolean
}

/** How one type answers repeated submits. */
export interface ReusePolicy {
  readonly singleFlight: boolean
  /** How long a completed job answers for a new submit, in milliseconds; null when it never does. */
  freshForMs(type: string): number | null
}

export interface SubmitParts {
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly store: Pick<Store, 'submit'>
  readonly changes: Changes
  readonly telemetry: Telemetry
  readonly reuse: ReusePolicy
  readonly backlog: Backlog
}

export type Submit = (type: string, request?: SubmitRequest) => Promise<Submission>

/** Makes sure that the work of a type is done: by a new job, or by one that stands for it already. */
export function submitJob(parts: SubmitParts): Submit {
  return async (type, request = {}) => {
    const registered = parts.types.get(type)
    if (registered === undefined) {
      throw new ProblemError('unknown-type', {
        detail: `no handler is registered for the type ${JSON.stringify(type)}`,
      })
    }
    checkKey(request.idempotencyKey)
    const job = newJob(parts, registered, request)
    await parts.backlog.admit(type)
    const answer = await parts.store.submit(job)
    if (answer.outcome === 'mismatch') throw keyReused(answer, type)
    if (answer.outcome === 'created') parts.changes.submitted(type)
    parts.telemetry.emit('job:submitted', { jobId: answer.jobId, type, outcome: answer.outcome })
    return answer
  }
}

function checkKey(key: string | undefined): void {
  if (key !== undefined && !/^[\x21-\x7E]{1,255}$/.test(key)) {
    throw new ProblemError('invalid-request', { detail: 'an idempotency key has 1 to 255 visible ASCII characters' })
  }
}

function newJob({ reuse }: SubmitParts, type: RegisteredType, request: SubmitRequest): NewJob {
  const input = checkInput(type, request.input)
  const canonical = input === undefined ? '' : canonicalJson(input)
  const freshForMs = reuse.freshForMs(type.name)
  return {
    id: uuidv7(),
    tenant: request.tenant ?? '',
    type: type.name,
    input: input === undefined ? null : JSON.stringify(input),
    inputHash: sha256(canonical),
    idempotencyKey: request.idempotencyKey ?? null,
    coalescingKey: reuse.singleFlight || freshForMs !== null ? sha256(canonical) : null,
    singleFlight: reuse.singleFlight,
    freshForMs: request.noCache === true ? null : freshForMs,
    maxAttempts: type.maxAttempts,
  }
}

function checkInput(type: RegisteredType, input: unknown): unknown {
  if (type.validateInput === undefined) {
    if (input === undefined) return undefined
    throw new ProblemError('invalid-input', { detail: `the type ${JSON.stringify(type.name)} takes no input` })
  }
  if (input === undefined) {
    throw new ProblemError('invalid-input', { detail: `the type ${JSON.stringify(type.name)} requires an input` })
  }
  const fault = findJsonFault(input)
  if (fault !== undefined) throw new ProblemError(fault.code, { detail: fault.detail })
  const errors = type.validateInput(input)
  if (errors.length > 0) {
    throw new ProblemError('invalid-input', {
      errors: errors.map(({ pointer, detail }) => ({ in: 'body', pointer: `#${pointer}`, detail })),
    })
  }
  return input
}

function keyReused(answer: KeyMismatch, type: string): ProblemError {
  const detail =
    answer.type === type
      ? `the key was used with another input of the type ${JSON.stringify(type)}`
      : `the key was used for the type ${JSON.stringify(answer.type)}, not for ${JSON.stringify(type)}`
  return new ProblemError('idempotency-key-reused', { detail, jobId: answer.jobId })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

import { follow, orAbort } from './abort.ts'
import { answered, pauseAfter } from './answered.ts'
import { checkAmount, checkIdempotencyKey, checkType } from './argument.ts'
import { sleep } from './delay.ts'
import { isTransient } from './errors.ts'
import type { AcceptedJob } from './job-state.ts'
import type { JobType } from './job-types.ts'
import type { Delayed, Submit, Transport } from './transport.ts'

export interface SubmitOptions<Input = Submit['input']> {
  /** The input of the job, sent as JSON; leave it out for a type that takes none. */
  readonly input?: Input
  /**
   * 1 to 255 visible ASCII characters: submits with the same key are answered with the same job. Give one when you
   * may submit again after an error, because a submit that got no answer may have been accepted.
   * @default none; with `retries` a random one
   */
  readonly idempotencyKey?: string | undefined
  /**
   * How often the submit is sent again, with the same key, when it got no answer or one that may pass (408, 425, 429,
   * 5xx), after the time that `Retry-After` says or up to 0.5 s doubling to 30 s.
   * @default that of the client
   */
  readonly retries?: number | undefined
  /** Have the work done anew although a fresh result exists. */
  readonly noCache?: boolean | undefined
  /** Gives the submit up, with the signal's reason. It does not cancel a job that was accepted already. */
  readonly signal?: AbortSignal | undefined
}

/** The options of a submit, which only a type that must have an input demands. */
export type SubmitArguments<Type> = Type extends JobType
  ? Type['inputRequired'] extends true
    ? [options: SubmitOptions<Type['input']> & { readonly input: Type['input'] }]
    : [options?: SubmitOptions<Type['input']>]
  : never

/** How submits are sent. */
export interface SubmitSettings {
  readonly transport: Transport
  /** Milliseconds after which a request that is sent again counts as lost. */
  readonly silenceMs: number
  readonly retries: number
}

/**
 * The answer to a submit, for one who wants it until `signal` aborts (without one: whatever happens). The request ends
 * when nobody wants its answer any more.
 */
export type Submission = {
  (signal?: AbortSignal): Promise<Delayed<AcceptedJob>>
  /** Once it is known. */
  jobId?: string
}

/** 128 random bits; `crypto.randomUUID` is missing from pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

/** Submits at once, and again only with a key. */
export function submit(settings: SubmitSettings, type: string, options: SubmitOptions): Submission {
  const { signal, abort, release } = follow(options.signal)
  const accepted = send(settings, type, { ...options, signal })
    .then((answer) => {
      submission.jobId = answer.value.jobId
      return answer
    })
    .finally(release)
  let wanted = 0
  const submission: Submission = async (until) => {
    wanted += 1
    if (!until) return accepted
    try {
      return await orAbort(accepted, until)
    } finally {
      wanted -= 1
      if (wanted === 0) abort(until.reason)
    }
  }
  return submission
}

async function send(
  settings: SubmitSettings,
  type: string,
  options: SubmitOptions & { readonly signal: AbortSignal },
): Promise<Delayed<AcceptedJob>> {
  const { transport, silenceMs } = settings
  const { retries = settings.retries, signal } = options
  checkType(type)
  checkIdempotencyKey(options.idempotencyKey)
  checkAmount('retries', retries)
  if (retries === 0) return transport.submit(type, options, signal)
  const keyed = { ...options, idempotencyKey: options.idempotencyKey ?? newKey() }
  for (let failures = 1; ; failures += 1) {
    try {
      return await answered(signal, silenceMs, (scope) => transport.submit(type, keyed, scope))
    } catch (error) {
      if (signal.aborted || failures > retries || !isTransient(error)) throw error
      await sleep(pauseAfter(error, failures), signal)
    }
  }
}

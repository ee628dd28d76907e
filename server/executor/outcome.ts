import { type AbortReason, JobFailureError } from '../handler.ts'
import type { JobFailure } from '../job.ts'
import { genericTitle, toFailure } from '../jobs/failure.ts'
import type { Ending } from '../store/port.ts'
import { retryDelayMs, type RetryPacing } from './retry-delay.ts'

/** How a handler came to its end. */
export type Settled =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It did not return in time after its signal. */
  | { readonly kind: 'abandoned' }

/** What an ending needs to know of its attempt. */
export interface EndedAttempt {
  readonly id: string
  readonly fencingToken: number
  readonly attempt: number
  readonly maxAttempts: number
  readonly pacing: RetryPacing
  /** Why the attempt was aborted, if it was. */
  readonly aborted: AbortReason | undefined
  /** JSON text of a returned value, or the sentence why it cannot be one; null where the type has no output. */
  readonly output: (value: unknown) => { readonly text: string | null } | { readonly fault: string }
}

/** Turns the end of a handler into what is to be stored, or undefined where nothing is to be stored any more. */
export function toEnding(attempt: EndedAttempt, settled: Settled): Ending | undefined {
  switch (attempt.aborted) {
    case 'cancelled':
    case 'lease-lost':
      return undefined
    case 'stopping':
      // A handler that returns early because of its signal has not done its work: the job is given back.
      return settled.kind === 'abandoned' ? undefined : { ...base(attempt), status: 'PENDING', unspent: true }
    case 'timed-out':
      return fail(attempt, { code: 'timed-out', title: 'The job took longer than its type allows' }, {})
    case undefined:
      return settled.kind === 'returned' ? complete(attempt, settled.value) : failed(attempt, settled)
  }
}

function complete(attempt: EndedAttempt, value: unknown): Ending {
  const output = attempt.output(value)
  if ('text' in output) return { ...base(attempt), status: 'COMPLETED', output: output.text }
  return fail(
    attempt,
    { code: 'invalid-output', title: 'The output does not fit the type', detail: output.fault },
    false,
  )
}

function failed(attempt: EndedAttempt, settled: Settled): Ending {
  const error = settled.kind === 'threw' ? settled.error : undefined
  if (error instanceof JobFailureError) {
    return fail(attempt, toFailure(error), error.retryable && { afterMs: error.retryAfterMs })
  }
  return fail(attempt, { code: 'handler-error', title: genericTitle }, !isMarkedFinal(error) && {})
}

/** Any error may say so of itself, such as one that an application throws elsewhere too. Handlers throw anything at all. */
function isMarkedFinal(error: unknown): boolean {
  try {
    return (error as { retryable?: unknown } | null | undefined)?.retryable === false
  } catch {
    return false
  }
}

/** @param again false: not at all; else within the budget, after that time or at the pace of the type. */
function fail(
  attempt: EndedAttempt,
  failure: JobFailure,
  again: false | { readonly afterMs?: number | undefined },
): Ending {
  if (again === false || attempt.attempt >= attempt.maxAttempts) return { ...base(attempt), status: 'FAILED', failure }
  const delayMs = again.afterMs ?? retryDelayMs(attempt.attempt, attempt.pacing)
  return { ...base(attempt), status: 'PENDING', delayMs }
}

function base({ id, fencingToken }: EndedAttempt): Ending {
  return { id, fencingToken, status: 'COMPLETED', failure: null, output: null, delayMs: null, unspent: false }
}

import { follow, orAbort } from './abort.ts'
import { checkIdempotencyKey, checkType } from './argument.ts'
import type { AcceptedJob } from './job-state.ts'
import type { Delayed, Submit, Transport } from './transport.ts'

export interface SubmitOptions extends Submit {
  /** The input of the job, sent as JSON; leave it out for a type that takes none. */
  readonly input?: Submit['input']
  /**
   * 1 to 255 visible ASCII characters: submits with the same key are answered with the same job. Give one when you
   * may submit again after an error, because a submit that got no answer may have been accepted.
   */
  readonly idempotencyKey?: string | undefined
  /** Have the work done anew although a fresh result exists. */
  readonly noCache?: boolean | undefined
  /** Gives the submit up, with the signal's reason. It does not cancel a job that was accepted already. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The answer to a submit, for one who wants it until `signal` aborts (without one: whatever happens). The request ends
 * when nobody wants its answer any more.
 */
export type Submission = (signal?: AbortSignal) => Promise<Delayed<AcceptedJob>>

/** Submits at once, and only once. */
export function submit(transport: Transport, type: string, options: SubmitOptions): Submission {
  const { signal, abort, release } = follow(options.signal)
  const send = async (): Promise<Delayed<AcceptedJob>> => {
    try {
      checkType(type)
      checkIdempotencyKey(options.idempotencyKey)
      return await transport.submit(type, options, signal)
    } finally {
      release()
    }
  }
  const accepted = send()
  let wanted = 0
  return async (until) => {
    wanted += 1
    if (!until) return accepted
    try {
      return await orAbort(accepted, until)
    } finally {
      wanted -= 1
      if (wanted === 0) abort(until.reason)
    }
  }
}

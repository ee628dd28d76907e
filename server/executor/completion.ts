import { AttemptSupersededError, JobFailureError, type Transaction } from '../handler.ts'
import type { JobState } from '../job.ts'
import { serializeOutput } from '../jobs/output.ts'
import type { RegisteredType } from '../jobs/registry.ts'
import type { ClaimedJob, Store } from '../store/port.ts'

export interface CompletionWork {
  readonly job: ClaimedJob
  readonly type: RegisteredType
  readonly work: (client: Transaction) => unknown
  /** Called before and after whatever takes time; throws when the attempt must not end well any more. */
  readonly mayEnd: () => void
  /** Aborted when the handler has been given up. */
  readonly cut: AbortSignal
}

/**
 * Runs a handler's own writes and completes its job in one transaction. The write that completes names the token of the
 * claim and keeps the row locked until the commit, so nothing can come between the two.
 */
export async function completeInTransaction(
  store: Pick<Store, 'transaction'>,
  { job, type, work, mayEnd, cut }: CompletionWork,
): Promise<{ result: unknown; state: JobState }> {
  if (store.transaction === undefined) throw new TypeError('transaction: this store gives none')
  mayEnd()
  return store.transaction(async (client, end) => {
    // It may have waited long for its turn.
    mayEnd()
    const result = await work(client)
    mayEnd()
    const output = serializeOutput(type, result)
    if ('fault' in output) {
      throw new JobFailureError({
        code: 'invalid-output',
        title: 'The output does not fit the type',
        detail: output.fault,
      })
    }
    const { id, fencingToken } = job
    const ended = { failure: null, output: output.text, delayMs: null, unspent: false }
    const state = await end({ id, fencingToken, status: 'COMPLETED', ...ended })
    if (state === undefined) throw new AttemptSupersededError()
    return { result, state }
  }, cut)
}

import { follow, orAbort } from './abort.ts'
import { checkAmount } from './argument.ts'
import { after } from './delay.ts'
import { JobCancelledError, JobFailedError, WaitTimeoutError } from './errors.ts'
import { type ActiveEvent, type CompletedJob, isActive, type JobEvent, type TerminalJob } from './job-state.ts'
import type { Watch } from './watch.ts'

/** How far a job is. */
export type JobProgress = Pick<ActiveEvent['data'], 'status' | 'percentComplete' | 'version' | 'lastUpdatedAt'>

export interface EventOptions {
  /** Ends the iteration with the signal's reason. The job goes on. */
  readonly signal?: AbortSignal | undefined
}

export interface WaitOptions {
  /**
   * Called for each newer state of the active job, in order; states that were overwritten meanwhile are left out. The
   * next one waits for what it returns; what it throws ends the wait with that error.
   */
  readonly onProgress?: ((progress: JobProgress) => void | Promise<void>) | undefined
  /** Ends the wait with the signal's reason. The job goes on. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds until the wait ends with a WaitTimeoutError; it counts everything from the call on, also a submit
   * that is still under way. The job goes on.
   * @default no deadline: a wait then ends after ten failed polls in a row with the last one's error
   */
  readonly timeoutMs?: number | undefined
}

/** Begins a watch; rejects when the job could not be submitted. */
export type OpenWatch = (signal: AbortSignal, hasDeadline: boolean) => Promise<Watch>

function settle(job: TerminalJob): CompletedJob {
  if (job.status === 'FAILED') throw new JobFailedError(job)
  if (job.status === 'CANCELLED') throw new JobCancelledError(job)
  return job
}

export async function waitForCompletion(open: OpenWatch, options: WaitOptions): Promise<CompletedJob> {
  const { onProgress, timeoutMs } = options
  checkAmount('timeoutMs', timeoutMs)
  const scope = follow(options.signal)
  let watch: Watch | undefined
  const late = (): void => scope.abort(new WaitTimeoutError(timeoutMs ?? 0, watch?.lastFailure))
  const disarm = timeoutMs === undefined ? undefined : after(timeoutMs, late)
  const run = async (): Promise<CompletedJob> => {
    watch = await open(scope.signal, timeoutMs !== undefined)
    for await (const { event, final } of watch.observe()) {
      if (final) return settle(final)
      if (!onProgress || !event || !isActive(event)) continue
      const { status, percentComplete, version, lastUpdatedAt } = event.data
      await onProgress({ status, percentComplete, version, lastUpdatedAt })
    }
    throw new TypeError('No final state')
  }
  try {
    return await orAbort(run(), scope.signal)
  } finally {
    disarm?.()
    scope.release()
  }
}

export async function* iterateEvents(open: OpenWatch, options: EventOptions): AsyncGenerator<JobEvent, void, void> {
  const scope = follow(options.signal)
  try {
    const watch = await open(scope.signal, false)
    for await (const { event } of watch.observe()) {
      if (!event) continue
      yield event
      if (!isActive(event)) return
    }
  } finally {
    scope.release()
  }
}

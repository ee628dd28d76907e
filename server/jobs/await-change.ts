import type { Job, JobState } from '../job.ts'
import { startTimer } from '../timer.ts'
import type { Watcher } from './watch.ts'

export interface AwaitOptions {
  readonly watcher: Watcher
  /** Reads the job, and rejects when there is none. */
  readonly read: () => Promise<Job>
  /** Whether this is the state that is waited for. */
  readonly until: (state: JobState) => boolean
  readonly timeoutMs: number
  /** Ends the waiting early. */
  readonly signal: AbortSignal
}

/**
 * Reads a job as soon as it is in the state that is waited for, or when the time is over. The watcher of the process
 * does the waiting: it costs no read of its own but one before and one after.
 */
export async function awaitChange(id: string, options: AwaitOptions): Promise<Job> {
  const { watcher, read, until, timeoutMs, signal } = options
  let wake = (): void => {}
  const woken = new Promise<void>((resolve) => (wake = resolve))
  // Watch first, read afterwards, so that no change is missed in between.
  const unwatch = watcher.watch(id, (state) => {
    if (state === null || until(state)) wake()
  })
  const cancel = startTimer(timeoutMs, wake)
  signal.addEventListener('abort', wake, { once: true })
  try {
    const job = await read()
    if (until(job) || signal.aborted) return job
    await woken
    return await read()
  } finally {
    cancel()
    unwatch()
    signal.removeEventListener('abort', wake)
  }
}

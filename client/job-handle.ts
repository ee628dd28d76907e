import { checkJobId } from './argument.ts'
import { AsyncJobsError } from './errors.ts'
import type { AcceptedJob, CompletedJob, Job, JobEvent, JobState } from './job-state.ts'
import type { Submission } from './submission.ts'
import { type EventOptions, iterateEvents, type OpenWatch, waitForCompletion, type WaitOptions } from './wait.ts'
import { Watch, type WatchSettings, type WatchTarget } from './watch.ts'

export interface RequestOptions {
  /** Gives the request up, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * One job. Every method rejects with an InvalidArgumentError when the job's id is not of the form of one, and with a
 * JobNotFoundError, HttpError or NetworkError when requests fail for good; 401 and 403 do at once.
 */
export interface JobHandle<Output = unknown> {
  /**
   * Waits until the job is COMPLETED and resolves to its state. Follows the event stream, and polls by `Retry-After`
   * where a stream cannot be had, breaks or falls silent. Rejects with a JobFailedError, JobCancelledError,
   * WaitTimeoutError, or the reason of `signal`.
   */
  waitForCompletion(options?: WaitOptions): Promise<CompletedJob<Output>>
  /**
   * The events of the job: the current state, each newer one, and the event that says how it ended, which is the last
   * one. Leave the loop, or abort `signal`, to close the connection. Where there is no stream, polled states are
   * given as events.
   */
  events(options?: EventOptions): AsyncGenerator<JobEvent, void, void>
  /** The state of the job, read once; also of a FAILED one. */
  status(options?: RequestOptions): Promise<JobState>
  /** Cancels the job and resolves to its state. A job that has ended rejects: HttpError 409, `job-already-ended`. */
  cancel(options?: RequestOptions): Promise<Job>
  /**
   * What `JSON.stringify` makes of the handle, for `client.job()` to continue with after a reload. Throws an
   * AsyncJobsError while the submit has no answer yet: await the handle first.
   */
  toJSON(): { jobId: string }
}

/** A job that was submitted before: its id, or a handle of it that was JSON meanwhile. */
export type JobReference = string | { readonly jobId: string }

/**
 * The job of a submit. Await it for the answer (202) alone, or call any method without awaiting first. As with any
 * promise, a failed submit that nothing asks about is reported as an unhandled rejection.
 */
export interface SubmittedJob<Output = unknown> extends JobHandle<Output>, PromiseLike<AcceptedJob> {}

/** The job that a handle is for, once it is known. */
export type Locate = (signal?: AbortSignal) => Promise<WatchTarget>

type Actions = Omit<JobHandle, 'toJSON'>

function createActions(settings: WatchSettings, locate: Locate): Actions {
  const { transport } = settings
  const open: OpenWatch = async (signal, hasDeadline) => {
    // Meanwhile the submit is answered.
    settings.loadFeed().catch(() => undefined)
    return new Watch(settings, { ...(await locate(signal)), hasDeadline }, signal)
  }
  return {
    waitForCompletion: (options = {}) => waitForCompletion(open, options),
    events: (options = {}) => iterateEvents(open, options),
    status: async ({ signal } = {}) => transport.status((await locate(signal)).jobId, signal),
    cancel: async ({ signal } = {}) => transport.cancel((await locate(signal)).jobId, signal),
  }
}

export function createKnownHandle(settings: WatchSettings, job: JobReference): JobHandle {
  const jobId = typeof job === 'string' ? job : job?.jobId
  const toJSON = (): { jobId: string } => {
    checkJobId(jobId)
    // As the server writes it, in events too.
    return { jobId: jobId.toLowerCase() }
  }
  return { ...createActions(settings, async () => toJSON()), toJSON }
}

export function createSubmittedHandle(settings: WatchSettings, submission: Submission): SubmittedJob {
  const locate: Locate = async (signal) => {
    const { value, retryAfterMs } = await submission(signal)
    return { jobId: value.jobId, firstPollMs: retryAfterMs }
  }
  const accepted = async (): Promise<AcceptedJob> => (await submission()).value
  return {
    ...createActions(settings, locate),
    // A handle is awaited for the answer and chained for the rest, which only a thenable can be.
    // oxlint-disable-next-line unicorn/no-thenable
    then: (onFulfilled, onRejected) => accepted().then(onFulfilled, onRejected),
    toJSON: () => {
      const { jobId } = submission
      if (!jobId) throw new AsyncJobsError('Not accepted yet: await the handle first')
      return { jobId }
    },
  }
}

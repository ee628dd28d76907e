import type { components } from '../generated/openapi.ts'

type Schemas = components['schemas']

export type AcceptedJob = Schemas['AcceptedJob']
export type Job = Schemas['Job']
export type JobStatus = Schemas['JobStatus']
export type Problem = Schemas['Problem']
export type FailedJobProblem = Schemas['FailedJobProblem']

/** Why a job failed. */
export interface JobFailure {
  /** The stable code of the reason: one of the service, or the handler's own. */
  readonly code: FailedJobProblem['failureCode']
  /** One sentence for people. */
  readonly title: string
  /** More about this one failure, where the handler gave it. */
  readonly detail?: string
}

type JobIn<Status extends JobStatus> = Job & { status: Status }
export type ActiveJob = JobIn<'PENDING' | 'PROCESSING'>
/** `output` is known where the document of the client names it. */
export type CompletedJob<Output = unknown> = JobIn<'COMPLETED'> &
  (unknown extends Output ? unknown : { output: Output })
export type CancelledJob = JobIn<'CANCELLED'>

type Shared = 'jobId' | 'version' | 'createdAt' | 'lastUpdatedAt' | 'percentComplete'

/** A FAILED job, which the status resource answers as a problem. */
export interface FailedJob extends Pick<FailedJobProblem, Shared> {
  type: FailedJobProblem['jobType']
  status: 'FAILED'
  failure: JobFailure
}

export type TerminalJob = CompletedJob | CancelledJob | FailedJob

/** What the status resource says about a job; `status` tells the members apart. */
export type JobState = ActiveJob | TerminalJob

/** One event of a job; `event` tells the members apart. `complete`, `failed` and `cancelled` are the last one. */
export type JobEvent =
  | { event: 'status'; data: Schemas['StatusEvent'] }
  | { event: 'progress'; data: Schemas['ProgressEvent'] }
  | { event: 'complete'; data: Schemas['CompleteEvent'] }
  | { event: 'failed'; data: Schemas['FailedEvent'] }
  | { event: 'cancelled'; data: Schemas['CancelledEvent'] }

export type ActiveEvent = Extract<JobEvent, { event: 'status' | 'progress' }>

export function isActive(event: JobEvent): event is ActiveEvent {
  return event.event === 'status' || event.event === 'progress'
}

export function isTerminal(state: JobState): state is TerminalJob {
  return state.status !== 'PENDING' && state.status !== 'PROCESSING'
}

export function fromFailedProblem(problem: FailedJobProblem): FailedJob {
  const { jobId, jobType: type, version, createdAt, lastUpdatedAt, percentComplete } = problem
  const { failureCode: code, title, detail } = problem
  const failure = { code, title, ...(detail !== undefined && { detail }) }
  return { jobId, type, status: 'FAILED', version, createdAt, lastUpdatedAt, percentComplete, failure }
}

/** The event that a stream would have sent for a state that was polled. */
export function toEvent(state: JobState): JobEvent {
  const { jobId, status, version, lastUpdatedAt, percentComplete } = state
  const data = { jobId, version, lastUpdatedAt }
  if (status === 'FAILED') {
    const { code: failureCode, ...text } = state.failure
    return { event: 'failed', data: { ...data, ...text, failureCode } }
  }
  if (status === 'COMPLETED') return { event: 'complete', data }
  if (status === 'CANCELLED') return { event: 'cancelled', data }
  return { event: 'status', data: { ...data, status, percentComplete } }
}

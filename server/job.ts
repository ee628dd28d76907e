import type { components } from '../generated/openapi.ts'

/**
 * PENDING: accepted, waiting for its turn. PROCESSING: running. COMPLETED: ended well. FAILED: ended with an error.
 * CANCELLED: cancelled. The last three are terminal: nothing but an explicit redrive leaves them.
 */
export type JobStatus = components['schemas']['JobStatus']

/** How a submit was answered: by a new job, or by one that stands for the work already. */
export type SubmitOutcome = components['schemas']['SubmitOutcome']

/** Why a job failed, in words that may reach a client. */
export interface JobFailure {
  /** Stable and machine-readable, such as `handler-error` or a handler's own. */
  readonly code: string
  readonly title: string
  readonly detail?: string
}

/** What a client can see change. `version` grows by one at each change and decides which of two states is newer. */
export interface JobState {
  readonly id: string
  readonly status: JobStatus
  readonly version: number
  /** 0 to 100, or null while nothing has been reported. */
  readonly percentComplete: number | null
  /** The database's clock, strictly growing in milliseconds. */
  readonly lastUpdatedAt: Date
  /** Set exactly when the status is FAILED. */
  readonly failure: JobFailure | null
}

/** The read model of a job. */
export interface Job extends JobState {
  readonly tenant: string
  readonly type: string
  readonly createdAt: Date
  /** What the handler gave out, where its type declares an output. */
  readonly output?: unknown
}

/** What may follow what. The CHECK constraints and the conditional statements of the store repeat it. */
const transitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  PENDING: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
}

/** Whether a job may go from one status to the other. */
export function canBecome(from: JobStatus, to: JobStatus): boolean {
  return transitions[from].includes(to)
}

/** Whether a job of this status has ended. */
export function isTerminal(status: JobStatus): boolean {
  return transitions[status].length === 0
}

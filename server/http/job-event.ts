import type { components } from '../../generated/openapi.ts'
import type { JobState } from '../job.ts'
import { genericTitle } from '../jobs/failure.ts'

type Schemas = components['schemas']

/** The data of each event, by its name. */
export interface JobEventData {
  status: Schemas['StatusEvent']
  progress: Schemas['ProgressEvent']
  complete: Schemas['CompleteEvent']
  failed: Schemas['FailedEvent']
  cancelled: Schemas['CancelledEvent']
}

/** One event, framed. */
export interface JobEvent {
  readonly name: keyof JobEventData | 'unknown' | 'end'
  readonly jobId: string
  /** As it is on the wire. */
  readonly text: string
}

/** One text serves all streams of a job: with many of them, writing it anew for each is what a change would cost. */
const framed = new WeakMap<JobState, JobEvent>()

/**
 * Derives the event that tells of a state.
 * @param before the state that the client was told of last; a change of nothing but the percentage is `progress`.
 */
export function toEvent(state: JobState, before: JobState | undefined): JobEvent {
  const name = nameOf(state, before)
  const known = framed.get(state)
  if (known?.name === name) return known
  const event = frame(name, dataOf(state))
  framed.set(state, event)
  return event
}

function nameOf(state: JobState, before: JobState | undefined): keyof JobEventData {
  if (state.status === 'COMPLETED') return 'complete'
  if (state.status === 'CANCELLED') return 'cancelled'
  if (state.status === 'FAILED') return 'failed'
  return before?.status === state.status ? 'progress' : 'status'
}

function dataOf(state: JobState): JobEventData[keyof JobEventData] {
  const { id: jobId, status, version, percentComplete } = state
  const told = { jobId, version, lastUpdatedAt: state.lastUpdatedAt.toISOString() }
  if (status === 'COMPLETED' || status === 'CANCELLED') return told
  if (status !== 'FAILED') return { ...told, status, percentComplete }
  const { code: failureCode, title, detail } = state.failure ?? { code: 'handler-error', title: genericTitle }
  return { ...told, title, failureCode, ...(detail === undefined ? {} : { detail }) }
}

/** JSON has no line break outside its escapes, so the data is one line and no field can forge an event. */
function frame(name: keyof JobEventData, data: JobEventData[keyof JobEventData]): JobEvent {
  return { name, jobId: data.jobId, text: `event: ${name}\nid: ${data.version}\ndata: ${JSON.stringify(data)}\n\n` }
}

/** Of a stream of many jobs: nothing is known of this one, and nothing follows for it. */
export function unknownEvent(jobId: string): JobEvent {
  const data: Schemas['UnknownJobEvent'] = { jobId }
  return { name: 'unknown', jobId, text: `event: unknown\ndata: ${JSON.stringify(data)}\n\n` }
}

/** The `id` of the last event of a stream of many jobs. */
export const endId = 'end'

/** The last event of a stream of many jobs. */
export function endEvent(jobs: number): JobEvent {
  const data: Schemas['EndEvent'] = { jobs }
  return { name: 'end', jobId: '', text: `event: end\nid: ${endId}\ndata: ${JSON.stringify(data)}\n\n` }
}

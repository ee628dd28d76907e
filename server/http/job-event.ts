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

/** One event, framed: its name and its text on the wire. */
export interface JobEvent {
  readonly name: keyof JobEventData
  readonly text: string
}

/**
 * Derives the event that tells of a state.
 * @param before the state that the client was told of last; a change of nothing but the percentage is `progress`.
 */
export function toEvent(state: JobState, before: JobState | undefined): JobEvent {
  const told = { jobId: state.id, version: state.version, lastUpdatedAt: state.lastUpdatedAt.toISOString() }
  switch (state.status) {
    case 'COMPLETED':
      return frame('complete', told)
    case 'CANCELLED':
      return frame('cancelled', told)
    case 'FAILED': {
      const { code: failureCode, title, detail } = state.failure ?? { code: 'handler-error', title: genericTitle }
      return frame('failed', { ...told, title, failureCode, ...(detail === undefined ? {} : { detail }) })
    }
    default: {
      const data = { ...told, status: state.status, percentComplete: state.percentComplete }
      return frame(before?.status === state.status ? 'progress' : 'status', data)
    }
  }
}

/** JSON has no line break outside its escapes, so the data is one line and no field can forge an event. */
function frame<Name extends keyof JobEventData>(name: Name, data: JobEventData[Name]): JobEvent {
  return { name, text: `event: ${name}\nid: ${data.version}\ndata: ${JSON.stringify(data)}\n\n` }
}

import { validate as isUuid } from 'uuid'
import { ProblemError } from '../errors.ts'
import type { Job } from '../job.ts'
import type { Store } from '../store/port.ts'
import type { Changes } from './changes.ts'

export interface CancelParts {
  readonly store: Pick<Store, 'cancel' | 'read'>
  readonly changes: Changes
}

export type Cancel = (id: string) => Promise<Job>

/** Marks an active job CANCELLED. Rejects with `job-already-ended` or `job-not-found`. */
export function cancelJob({ store, changes }: CancelParts): Cancel {
  return async (id) => {
    const cancelled = isUuid(id) ? await store.cancel(id) : undefined
    if (cancelled !== undefined) {
      changes.changed([cancelled])
      return cancelled
    }
    const job = isUuid(id) ? await store.read(id.toLowerCase()) : undefined
    if (job === undefined) throw new ProblemError('job-not-found')
    throw new ProblemError('job-already-ended', { jobId: id, jobStatus: job.status })
  }
}

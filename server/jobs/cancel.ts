import { validate as isUuid } from 'uuid'
import { ProblemError } from '../errors.ts'
import type { Job } from '../job.ts'
import type { Store } from '../store/port.ts'
import type { Changes } from './changes.ts'
import type { ReadJob, TenantScope } from './status.ts'

export interface CancelParts {
  readonly store: Pick<Store, 'cancel'>
  readonly read: ReadJob
  readonly changes: Changes
}

export type Cancel = (id: string, scope?: TenantScope) => Promise<Job>

/** Marks an active job CANCELLED. Rejects with `job-already-ended` or `job-not-found`. */
export function cancelJob({ store, read, changes }: CancelParts): Cancel {
  return async (id, scope = {}) => {
    const cancelled = isUuid(id) ? await store.cancel(scope.tenant ?? null, id) : undefined
    if (cancelled !== undefined) {
      changes.changed([cancelled])
      return cancelled
    }
    const job = await read(id, scope)
    throw new ProblemError('job-already-ended', { jobId: job.id, jobStatus: job.status })
  }
}

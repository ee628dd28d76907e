import type { Job, JobFailure, JobState, JobStatus } from '../job.ts'

/** What a statement returns of a job that changed. */
export interface StateRow {
  id: string
  status: JobStatus
  version: number
  percent_complete: number | null
  last_updated_at: Date
  failure: JobFailure | null
}

export interface JobRow extends StateRow {
  tenant: string
  type: string
  created_at: Date
  output: unknown
}

/** The columns of a {@link StateRow}, of the alias `j`. */
export const stateColumns = 'j.id, j.status, j.version, j.percent_complete, j.last_updated_at, j.failure'

/** The columns of a {@link JobRow} but its output, of the alias `j`. */
export const jobColumns: string = `${stateColumns}, j.tenant, j.type, j.created_at`

/**
 * Counts a visible change. Time grows by at least a millisecond, because JavaScript dates end there and two changes in
 * one millisecond must not look equal.
 */
export const changed = `version = j.version + 1,
    last_updated_at = greatest(date_trunc('milliseconds', {clock}), j.last_updated_at + interval '1 millisecond')`

export function toState(row: StateRow): JobState {
  return {
    id: row.id,
    status: row.status,
    version: row.version,
    percentComplete: row.percent_complete,
    lastUpdatedAt: row.last_updated_at,
    failure: row.failure,
  }
}

export function toJob(row: JobRow): Job {
  const job = { ...toState(row), tenant: row.tenant, type: row.type, createdAt: row.created_at }
  return row.output === null || row.output === undefined ? job : { ...job, output: row.output }
}

export function statesById(rows: readonly StateRow[]): Map<string, JobState> {
  return new Map(rows.map((row) => [row.id, toState(row)]))
}

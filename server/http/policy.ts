import type { Job } from '../job.ts'

/** The hints that clients are given: when to poll, and how long a record is kept. */
export interface Policy {
  /** Whole seconds until the next poll: of a job that was just submitted (then only its type is known), or is active. */
  retryAfterSeconds(job: { readonly type: string; readonly job?: Job }): number
  /** Until when the status of a job that has ended stays readable. */
  expiresAt(job: Job): Date
}

/** The policy of the configuration. */
export function defaultPolicy(settings: { retryAfterSeconds: number; retentionMs: number }): Policy {
  return {
    retryAfterSeconds: () => settings.retryAfterSeconds,
    expiresAt: (job) => new Date(job.lastUpdatedAt.getTime() + settings.retentionMs),
  }
}

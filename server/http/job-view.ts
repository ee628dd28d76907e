import type { components } from '../../generated/openapi.ts'
import type { Job } from '../job.ts'

/** What a client may see of a job: an allow-list, so that a new column does not leak. */
export function jobView(job: Job): components['schemas']['Job'] {
  return {
    jobId: job.id,
    type: job.type,
    status: job.status,
    version: job.version,
    createdAt: job.createdAt.toISOString(),
    lastUpdatedAt: job.lastUpdatedAt.toISOString(),
    percentComplete: job.percentComplete,
    ...(job.output === undefined ? {} : { output: job.output }),
  }
}

/** Strong, because equal versions are equal representations. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/** Whether an `If-None-Match` names the tag: weak comparison of a list (RFC 9110 section 13.1.2). */
export function matchesTag(field: string | undefined, tag: string): boolean {
  const tags = new Set((field ?? '').split(',').map((text) => text.trim().replace(/^W\//, '')))
  return tags.has(tag) || tags.has('*')
}

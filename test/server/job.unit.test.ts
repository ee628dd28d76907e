import { describe, expect, it } from 'vitest'
import { canBecome, isTerminal, type JobStatus } from '../../server/job.ts'

const statuses: JobStatus[] = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED']

describe('the states of a job [A40 S15]', () => {
  it('allow exactly the transitions of the state machine', () => {
    const allowed = statuses.flatMap((from) =>
      statuses.filter((to) => canBecome(from, to)).map((to) => `${from} -> ${to}`),
    )
    expect(allowed).toEqual([
      'PENDING -> PROCESSING',
      'PENDING -> CANCELLED',
      'PROCESSING -> PENDING',
      'PROCESSING -> COMPLETED',
      'PROCESSING -> FAILED',
      'PROCESSING -> CANCELLED',
    ])
  })

  it('end in three of them', () => {
    expect(statuses.filter(isTerminal)).toEqual(['COMPLETED', 'FAILED', 'CANCELLED'])
  })
})

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as library from '../../client/index.ts'
import type { FailedJob, JobState } from '../../client/index.ts'
import { fromFailedProblem, toEvent } from '../../client/job-state.ts'
import { failedProblem, job } from './fixtures.ts'

// @ts-expect-error -- the query makes the loader evaluate the module once more
const copy = (await import('../../client/errors.ts?second-copy')) as typeof library

function oneOfEach(of: typeof library): Record<string, Error> {
  const request = { method: 'GET', url: 'http://x/' }
  const failed: FailedJob = fromFailedProblem(failedProblem(3))
  return {
    isInvalidArgumentError: new of.InvalidArgumentError('type', 'a name', ''),
    isNetworkError: new of.NetworkError('No answer', { cause: new TypeError('refused'), request }),
    isHttpError: new of.HttpError('HTTP 500', { status: 500 }),
    isJobNotFoundError: new of.JobNotFoundError('HTTP 404', { status: 404 }),
    isJobFailedError: new of.JobFailedError(failed),
    isJobCancelledError: new of.JobCancelledError({ ...job('CANCELLED', 3), status: 'CANCELLED' }),
    isWaitTimeoutError: new of.WaitTimeoutError(5),
  }
}

const guards = Object.entries(library).filter(([name]) => name.startsWith('is')) as [string, (e: unknown) => boolean][]

describe('errors', () => {
  it.each(Object.entries(oneOfEach(copy)))('are told apart by guards across two copies: %s', (name, error) => {
    expect(error).not.toBeInstanceOf(library.AsyncJobsError)
    const holding = guards.filter(([, guard]) => guard(error)).map(([guard]) => guard)
    const alsoHttp = name === 'isJobNotFoundError' ? ['isHttpError'] : []
    expect(holding.sort()).toEqual(['isAsyncJobsError', ...alsoHttp, name].sort())
  })

  it('are what they are called', () => {
    for (const [guard, error] of Object.entries(oneOfEach(library))) {
      expect(error).toBeInstanceOf(library.AsyncJobsError)
      expect(`is${error.name}`).toBe(guard)
    }
  })

  it('are none of what only looks alike', () => {
    const strangers = [
      undefined,
      null,
      'x',
      { name: 'HttpError' },
      Object.assign(new Error('x'), { name: 'HttpError' }),
    ]
    for (const [, guard] of guards) expect(strangers.filter((stranger) => guard(stranger))).toEqual([])
  })

  it('name the field, what was expected and what was found [K82]', () => {
    const error = new library.InvalidArgumentError('jobId', 'a UUID', '../x')
    expect(error).toMatchObject({ field: 'jobId', expected: 'a UUID', found: '"../x"' })
    expect(error.message).toBe('jobId: expected a UUID, found "../x"')
    expect(new library.InvalidArgumentError('jobId', 'a UUID', undefined).found).toBe('undefined')
  })

  it('keep cause and request, and have no empty ones', () => {
    const cause = new TypeError('refused')
    const request = { method: 'GET', url: 'http://x/' }
    expect(new library.NetworkError('No answer', { cause, request })).toMatchObject({ cause, request })
    expect(inspect(new library.AsyncJobsError('plain'))).not.toMatch(/cause|request/)
  })
})

describe('a polled state', () => {
  const cases: [JobState, string][] = [
    [{ ...job('PENDING', 1), status: 'PENDING' }, 'status'],
    [{ ...job('PROCESSING', 2), status: 'PROCESSING' }, 'status'],
    [{ ...job('COMPLETED', 3), status: 'COMPLETED' }, 'complete'],
    [{ ...job('CANCELLED', 3), status: 'CANCELLED' }, 'cancelled'],
    [fromFailedProblem({ ...failedProblem(3), detail: 'More' }), 'failed'],
  ]

  it.each(cases)('is the event that a stream would have sent: $status', (state, event) => {
    const { version, lastUpdatedAt } = state
    expect(toEvent(state)).toMatchObject({ event, data: { version, lastUpdatedAt } })
  })

  it('keeps why a job failed', () => {
    const failed = fromFailedProblem({ ...failedProblem(3), detail: 'More' })
    expect(failed.failure).toEqual({ code: 'handler-error', title: 'It broke', detail: 'More' })
    expect(toEvent(failed).data).toMatchObject({ failureCode: 'handler-error', title: 'It broke', detail: 'More' })
    expect(fromFailedProblem(failedProblem(3)).failure).not.toHaveProperty('detail')
  })
})

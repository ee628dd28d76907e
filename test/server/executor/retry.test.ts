import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError, type RetryOptions } from '../../../server/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

interface Outcome {
  readonly ended: Record<string, unknown>
  /** When each attempt began, in milliseconds after the first. */
  readonly at: readonly number[]
}

/** Runs one job whose every attempt but those that `fail` lets pass throws what it gives. */
async function run(retry: RetryOptions, fail: (attempt: number) => unknown): Promise<Outcome> {
  const began: number[] = []
  const handler = defineHandler({
    type: 'tries',
    retry,
    handle: ({ attempt }) => {
      began.push(performance.now())
      const error = fail(attempt)
      if (error !== undefined) throw error
    },
  })
  return withApp(database, { handlers: [handler] }, async (app) => {
    const ended = await app.ended(await app.submit('tries'))
    return { ended, at: began.map((time) => time - began[0]!) }
  })
}

const quick: RetryOptions = { maxAttempts: 3, initialDelay: 'PT0.2S', jitter: 0 }

describe('a job that fails', () => {
  it('is tried again at the pace of its type, up to its budget [S2 S3]', async () => {
    const { ended, at } = await run(quick, () => new Error('no'))
    expect(ended).toMatchObject({ jobStatus: 'FAILED', failureCode: 'handler-error' })
    expect(at).toHaveLength(3)
    expect(at[1]).toBeGreaterThan(190)
    expect(at[2]! - at[1]!).toBeGreaterThan(390)
  })

  it('is COMPLETED when an attempt succeeds', async () => {
    const { ended, at } = await run(quick, (attempt) => (attempt < 3 ? new Error('no') : undefined))
    expect([ended['status'], at.length]).toEqual(['COMPLETED', 3])
  })

  it.each([
    ['a failure in words for the client', new JobFailureError({ title: 'The file is empty' })],
    ['any error that says so', Object.assign(new Error('gone'), { retryable: false })],
  ])('is not tried again after %s [C27]', async (_what, error) => {
    const { ended, at } = await run(quick, () => error)
    expect([ended['jobStatus'], at.length]).toEqual(['FAILED', 1])
  })

  it.each([
    ['milliseconds', 100],
    ['a duration', 'PT0.1S'],
    ['an instant', new Date(Date.now() + 100)],
  ])('is tried again when the handler says, in %s', async (_form, retryAfter) => {
    const slow: RetryOptions = { maxAttempts: 2, initialDelay: 'PT1M' }
    const busy = new JobFailureError({ title: 'The bank is busy', retryAfter })
    const { ended, at } = await run(slow, (attempt) => (attempt === 1 ? busy : undefined))
    expect(ended).toMatchObject({ status: 'COMPLETED' })
    expect(at[1]).toBeLessThan(5_000)
  })

  it('is tried again also after what cannot even be asked whether it is final [K14]', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
        has: () => true,
      },
    )
    const { at } = await run(quick, (attempt) => (attempt === 1 ? hostile : undefined))
    expect(at).toHaveLength(2)
  })

  it('may ask for no more than its budget', async () => {
    const { ended } = await run(quick, () => new JobFailureError({ title: 'Busy', code: 'busy', retryAfter: 10 }))
    expect(ended).toMatchObject({ jobStatus: 'FAILED', failureCode: 'busy' })
  })

  it.each([-1, NaN, 'soon', new Date(NaN)])('refuses %s as a time to try again', (retryAfter) => {
    expect(() => new JobFailureError({ title: 'Busy', retryAfter })).toThrow(TypeError)
  })
})

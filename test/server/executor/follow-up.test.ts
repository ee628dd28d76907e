import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, type Transaction } from '../../../server/index.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** Runs a job that submits another one in its transaction: how it ended, and the id of the other. */
async function runFirst(
  then: () => void,
  body: (app: TestApp, status: string, next: string) => Promise<void>,
): Promise<void> {
  let app: TestApp | undefined
  let next = ''
  const handlers = [
    defineHandler({ type: 'next', handle: () => {} }),
    defineHandler({
      type: 'first',
      handle: ({ transaction }) =>
        transaction(async (tx: Transaction) => {
          next = (await app!.asyncJobs.submit('next', { tx })).jobId
          then()
        }),
    }),
  ]
  await withApp(database, { handlers }, async (started) => {
    app = started
    const jobId = await started.submit('first')
    await started.ended(jobId)
    await body(started, (await started.asyncJobs.status(jobId)).status, next)
  })
}

const undo = (): never => {
  throw new Error('undo')
}

describe('a job that is submitted in the transaction of a handler', () => {
  it('is there when that completes its job [A93 G3]', async () => {
    await runFirst(
      () => {},
      async (app, status, next) => {
        expect(status).toBe('COMPLETED')
        expect(await app.ended(next)).toMatchObject({ status: 'COMPLETED' })
      },
    )
  })

  it('never was when that is rolled back [A93 G3]', async () => {
    await runFirst(undo, async (app, status, next) => {
      expect(status).toBe('FAILED')
      await expect(app.asyncJobs.status(next)).rejects.toMatchObject({ code: 'job-not-found' })
    })
  })
})

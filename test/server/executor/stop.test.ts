import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AbortReason, AttemptAborted, createAsyncJobs, defineHandler } from '../../../server/index.ts'
import { quick, silent } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

describe('stopping', () => {
  it('lets handlers finish within the grace and stores their end', async () => {
    const started = gate()
    const go = gate()
    const handlers = [
      defineHandler({
        type: 'finishes',
        handle: async () => {
          started.open()
          await go.promise
        },
      }),
    ]
    await withApp(database, { handlers }, async (app) => {
      const id = await app.submit('finishes')
      await started.promise
      const stopped = app.asyncJobs.stop({ graceMs: 5_000 })
      go.open()
      await stopped
      expect(await app.asyncJobs.status(id)).toMatchObject({ status: 'COMPLETED' })
    })
  })

  it('gives back what obeys its signal, without spending the attempt, for another process to run', async () => {
    const reason = gate<AbortReason | undefined>()
    const started = gate()
    const obeys = defineHandler({
      type: 'obeys',
      handle: async ({ sleep, signal }) => {
        started.open()
        await sleep('PT1H').finally(() => reason.open((signal.reason as AttemptAborted).reason))
      },
    })
    const id = await withApp(database, { handlers: [obeys] }, async (app) => {
      const jobId = await app.submit('obeys')
      await started.promise
      await app.asyncJobs.stop({ graceMs: 50 })
      expect(await app.asyncJobs.status(jobId)).toMatchObject({ status: 'PENDING' })
      return jobId
    })
    expect(await reason.promise).toBe('stopping')
    const attempt = gate<number>()
    const finishes = defineHandler({ type: 'obeys', handle: (context) => attempt.open(context.attempt) })
    await withApp(database, { handlers: [finishes] }, (app) => app.ended(id))
    expect(await attempt.promise).toBe(1)
  })

  it('leaves what ignores its signal to the end of its lease, and does not wait for it', async () => {
    const started = gate()
    const ignores = defineHandler({
      type: 'ignores',
      retry: { maxAttempts: 2 },
      handle: () => {
        started.open()
        return new Promise(() => {})
      },
    })
    const id = await withApp(database, { handlers: [ignores] }, async (app) => {
      const jobId = await app.submit('ignores')
      await started.promise
      const from = performance.now()
      await app.asyncJobs.stop({ graceMs: 100 })
      expect(performance.now() - from).toBeLessThan(1_100)
      expect(await app.asyncJobs.status(jobId)).toMatchObject({ status: 'PROCESSING' })
      return jobId
    })
    const attempt = gate<number>()
    const finishes = defineHandler({ type: 'ignores', handle: (context) => attempt.open(context.attempt) })
    await withApp(database, { handlers: [finishes] }, (app) => app.ended(id))
    expect(await attempt.promise).toBe(2)
  })

  it('may be repeated, and may come before the start', async () => {
    const asyncJobs = createAsyncJobs({ pool: database.pool(), ...quick, logger: silent })
    await asyncJobs.stop()
    await asyncJobs.start()
    await asyncJobs.stop()
    await expect(asyncJobs.stop()).resolves.toBeUndefined()
  })

  it('leaves no worker row behind when nothing runs', async () => {
    const before = await database.query('SELECT id FROM async_job_workers')
    await withApp(database, { handlers: [defineHandler({ type: 'idle', handle: () => {} })] }, async () => {})
    const after = await database.query('SELECT id FROM async_job_workers')
    expect(after.rows.length).toBeLessThanOrEqual(before.rows.length)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

it('a handler can ask the database whether its job is cancelled, before any signal has come, and cannot undo it [A88]', async () => {
  const [begun, cancelled] = [gate(), gate()]
  const seen = gate<readonly boolean[]>()
  const handler = defineHandler({
    type: 'asks',
    handle: async ({ isCancelled, signal }) => {
      const before = await isCancelled()
      begun.open()
      await cancelled.promise
      seen.open([before, await isCancelled(), signal.aborted])
    },
  })
  // Nothing tells this process of what another has done, for a long time.
  const deaf = { hints: { enabled: false }, sse: { pollInterval: 'PT1H' } }
  await withApp(database, { handlers: [handler], ...deaf }, async (worker) => {
    await withApp(database, { handlers: [handler], ...deaf, processing: { enabled: false } }, async (front) => {
      const { jobId } = await worker.asyncJobs.submit('asks')
      await begun.promise
      await front.asyncJobs.cancel(jobId)
      cancelled.open()
      expect(await seen.promise).toEqual([false, true, false])
      await worker.seen('attempt:refused', (event) => event.jobId === jobId)
      expect((await front.asyncJobs.status(jobId)).status).toBe('CANCELLED')
    })
  })
})

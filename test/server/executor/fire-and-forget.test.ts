import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnyHandler, defineHandler, type JobReporter, type StartContext } from '../../../server/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** A type that only starts something; the test reports in its place. */
function started(type: string): {
  handler: AnyHandler
  context: Promise<StartContext>
  reporter: Promise<JobReporter>
} {
  const context = gate<StartContext>()
  return {
    handler: defineHandler<unknown>({ type, start: (given) => context.open(given) }),
    context: context.promise,
    reporter: context.promise.then(({ reporter }) => reporter),
  }
}

describe('a job that is only started [A43]', () => {
  it('stays PROCESSING until its reporter completes it [A43 A85]', async () => {
    const { handler, reporter } = started('ordered')
    await withApp(database, { handlers: [handler] }, async (app) => {
      const id = await app.submit('ordered')
      const report = await reporter
      expect(await report.progress(30)).toBe(true)
      expect(await app.asyncJobs.status(id)).toMatchObject({ status: 'PROCESSING', percentComplete: 30 })
      expect(await report.complete()).toBe(true)
      expect(await app.ended(id)).toMatchObject({ status: 'COMPLETED' })
    })
  })

  it('fails in the words of its reporter', async () => {
    const { handler, reporter } = started('refused')
    await withApp(database, { handlers: [handler] }, async (app) => {
      const id = await app.submit('refused')
      expect(await (await reporter).fail({ title: 'The bank said no', code: 'refused' })).toBe(true)
      expect(await app.ended(id)).toMatchObject({ title: 'The bank said no', failureCode: 'refused' })
    })
  })

  it('refuses every report once the job has ended, so that the worker stops [A44 A81]', async () => {
    const { handler, reporter } = started('cancelled')
    await withApp(database, { handlers: [handler] }, async (app) => {
      const id = await app.submit('cancelled')
      const report = await reporter
      await app.fetch(`/jobs/${id}`, { method: 'DELETE' })
      expect(await report.progress(50)).toBe(false)
      expect(await report.complete()).toBe(false)
      expect(await report.fail({ title: 'late' })).toBe(false)
      expect(await app.asyncJobs.status(id)).toMatchObject({ status: 'CANCELLED' })
    })
  })

  it('may be reported on from another process that has its token', async () => {
    const { handler, context } = started('remote')
    await withApp(database, { handlers: [handler] }, async (app) => {
      const id = await app.submit('remote')
      const { reportToken } = await context
      await withApp(database, { handlers: [handler] }, async (other) => {
        expect(await other.asyncJobs.reporter(id, '01890000-0000-7000-8000-000000000000').complete()).toBe(false)
        expect(await other.asyncJobs.reporter(id, reportToken).complete()).toBe(true)
      })
      expect(await app.ended(id)).toMatchObject({ status: 'COMPLETED' })
    })
  })

  it('fails when nothing is heard of it for the processing timeout, which any progress renews [A45]', async () => {
    const { handler, reporter } = started('silent')
    const recovery = { scanInterval: 'PT0.05S', processingTimeout: 'PT0.4S' }
    await withApp(database, { handlers: [handler], recovery }, async (app) => {
      const id = await app.submit('silent')
      const report = await reporter
      for (let n = 0; n < 6; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, 120))
        expect(await report.progress(10)).toBe(true)
      }
      expect(await app.ended(id)).toMatchObject({ failureCode: 'processing-timeout' })
      expect(await report.complete()).toBe(false)
    })
  })

  it('fails when it cannot be started', async () => {
    const handler = defineHandler({
      type: 'broken',
      start: () => {
        throw new Error('no route to host')
      },
    })
    await withApp(database, { handlers: [handler] }, async (app) => {
      expect(await app.ended(await app.submit('broken'))).toMatchObject({ failureCode: 'handler-error' })
    })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers: [defineHandler({ type: 'noop', handle: () => {} })] })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

/** Milliseconds between the submit and the first claim, by the database's clock. */
async function waited(jobId: string): Promise<number> {
  await app.ended(jobId)
  const { rows } = await database.query(
    `SELECT extract(epoch FROM run_at - created_at) * 1000 AS due, extract(epoch FROM last_updated_at - created_at) * 1000 AS ended
     FROM async_jobs WHERE id = $1`,
    [jobId],
  )
  const [{ due, ended }] = rows as [{ due: string; ended: string }]
  expect(Number(ended)).toBeGreaterThanOrEqual(Math.floor(Number(due)))
  return Number(due)
}

describe('a job for later', () => {
  it.each([
    ['milliseconds', 400],
    ['a duration', 'PT0.4S'],
  ])('is not started before a delay is over, given as %s', async (_form, delay) => {
    const { jobId } = await app.asyncJobs.submit('noop', { delay })
    expect((await app.asyncJobs.status(jobId)).status).toBe('PENDING')
    const due = await waited(jobId)
    expect(due).toBeGreaterThanOrEqual(399)
    expect(due).toBeLessThan(1_000)
  })

  it('is not started before an instant', async () => {
    const runAt = new Date(Date.now() + 500)
    const { jobId } = await app.asyncJobs.submit('noop', { runAt })
    const job = await app.asyncJobs.status(jobId)
    expect(Math.abs(job.createdAt.getTime() + (await waited(jobId)) - runAt.getTime())).toBeLessThan(2)
  })

  it('is started at once when its instant is past, before or after others', async () => {
    const { jobId } = await app.asyncJobs.submit('noop', { runAt: new Date(0) })
    expect(await waited(jobId)).toBeLessThan(5)
  })

  it('can be cancelled meanwhile, and keeps its time when its key is used again', async () => {
    const later = { delay: 'PT1H', idempotencyKey: 'later' }
    const first = await app.asyncJobs.submit('noop', later)
    await expect(app.asyncJobs.submit('noop', { idempotencyKey: 'later' })).resolves.toEqual({
      ...first,
      outcome: 'idempotent',
    })
    expect((await app.asyncJobs.status(first.jobId)).status).toBe('PENDING')
    await expect(app.asyncJobs.cancel(first.jobId)).resolves.toMatchObject({ status: 'CANCELLED' })
  })

  it.each([
    ['a negative delay', { delay: -1 }, 'delay:'],
    ['what is no duration', { delay: 'soon' }, 'delay:'],
    ['an endless delay', { delay: Infinity }, 'delay:'],
    ['no instant', { runAt: new Date(NaN) }, 'runAt:'],
    ['two times', { runAt: new Date(), delay: 1 }, 'found both'],
    ['an unknown priority', { priority: 4 as never }, 'priority:'],
  ])('is refused for %s', async (_what, request, words) => {
    await expect(app.asyncJobs.submit('noop', request)).rejects.toThrow(words)
  })
})

describe('an urgent job', () => {
  it('is taken before what waits already, and does not keep that from running [G12]', async () => {
    const order: string[] = []
    const go = gate()
    const handlers = [
      defineHandler<string>({
        type: 'ordered',
        inputSchema: {},
        handle: async ({ input }) => {
          order.push(input)
          if (input === 'first') await go.promise
        },
      }),
    ]
    const one = { processing: { pollInterval: 'PT0.1S', concurrencyLimit: 1 } }
    await withApp(database, { handlers, ...one }, async (busy) => {
      const submit = (input: string, priority?: 0 | 1 | 2 | 3): Promise<{ jobId: string }> =>
        busy.asyncJobs.submit('ordered', { input, ...(priority === undefined ? {} : { priority }) })
      const first = await submit('first')
      await busy.seen('attempt:start', ({ jobId }) => jobId === first.jobId)
      const all = [first, await submit('least', 3), await submit('plain'), await submit('urgent', 0)]
      go.open()
      await Promise.all(all.map(({ jobId }) => busy.ended(jobId)))
      expect(order.indexOf('urgent')).toBeLessThan(order.indexOf('least'))
      expect(order.toSorted()).toEqual(['first', 'least', 'plain', 'urgent'])
    })
  })
})

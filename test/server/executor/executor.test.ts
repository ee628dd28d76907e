import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AbortReason, AttemptAborted, defineHandler, type HandlerContext } from '../../../server/index.ts'
import { quick } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const reasonOf = (signal: AbortSignal): AbortReason | undefined =>
  signal.reason instanceof AttemptAborted ? signal.reason.reason : undefined

/** Resolves with the reason of the abort. */
const aborted = ({ signal }: HandlerContext<undefined>): Promise<AbortReason | undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(reasonOf(signal)), { once: true }))

describe('running jobs', () => {
  it('runs at most as many handlers at once as configured, and the rest in order afterwards [A52 S12]', async () => {
    let now = 0
    let most = 0
    const handlers = [
      defineHandler({
        type: 'counted',
        handle: async ({ sleep }) => {
          now += 1
          most = Math.max(most, now)
          await sleep(5)
          now -= 1
        },
      }),
    ]
    await withApp(database, { handlers, processing: { ...quick.processing, concurrencyLimit: 3 } }, async (app) => {
      const ids = await Promise.all(Array.from({ length: 40 }, () => app.submit('counted')))
      await Promise.all(ids.map((id) => app.readEvents(id)))
    })
    expect(most).toBe(3)
  })

  it('completes a backlog of 500 with one slot, none failed, none twice, in order [K21]', async () => {
    const ran: string[] = []
    const handlers = [defineHandler({ type: 'queued', handle: ({ jobId }) => void ran.push(jobId) })]
    const processing = { ...quick.processing, concurrencyLimit: 1 }
    const recovery = { scanInterval: 'PT0.02S', processingTimeout: 'PT0.02S' }
    await withApp(database, { handlers, processing: { enabled: false } }, (app) =>
      Promise.all(Array.from({ length: 500 }, () => app.asyncJobs.submit('queued'))),
    )
    const { rows } = await database.query<{ id: string }>(
      `SELECT id FROM async_jobs WHERE type = 'queued' ORDER BY run_at, id`,
    )
    await withApp(database, { handlers, processing, recovery }, async (app) => {
      await vi.waitFor(() => expect(ran).toHaveLength(500), { timeout: 20_000 })
      expect(ran).toEqual(rows.map(({ id }) => id))
      await Promise.all(ran.slice(-3).map((id) => app.ended(id)))
      expect(app.events.filter(({ name }) => name === 'recovery:found')).toEqual([])
    })
  })

  it('refuses two handlers of one type at start-up [A10 A42]', async () => {
    const twice = [defineHandler({ type: 'same', handle: () => {} }), defineHandler({ type: 'same', handle: () => {} })]
    await expect(withApp(database, { handlers: twice }, async () => {})).rejects.toThrow(
      /"same": type: registered twice/,
    )
  })

  it('ends an attempt at its time limit and frees its slot, also when the handler never settles [K16]', async () => {
    const handlers = [
      defineHandler({ type: 'hangs', timeout: 'PT0.3S', handle: () => new Promise(() => {}) }),
      defineHandler({ type: 'good', handle: () => {} }),
    ]
    await withApp(database, { handlers, processing: { ...quick.processing, concurrencyLimit: 1 } }, async (app) => {
      const [hangs, good] = [await app.submit('hangs'), await app.submit('good')]
      expect(await app.ended(good)).toMatchObject({ status: 'COMPLETED' })
      expect(await app.ended(hangs)).toMatchObject({ jobStatus: 'FAILED', failureCode: 'timed-out' })
      await app.seen('attempt:abandoned')
    })
  })

  it('aborts the signal of a cancelled job with its reason, wakes its sleep, and refuses its reports [S4 A39 A44]', async () => {
    const reason = gate<unknown>()
    const late = gate<boolean>()
    const handlers = [
      defineHandler({
        type: 'cancelled',
        handle: async ({ sleep, signal, progress }) => {
          await sleep('PT1H').catch(() => reason.open(reasonOf(signal)))
          late.open(await progress(99))
        },
      }),
    ]
    await withApp(database, { handlers }, async (app) => {
      const id = await app.submit('cancelled')
      await app.seen('attempt:start', ({ jobId }) => jobId === id)
      await app.fetch(`/jobs/${id}`, { method: 'DELETE' })
      expect(await reason.promise).toBe('cancelled')
      expect(await late.promise).toBe(false)
      expect(await app.ended(id)).toMatchObject({ status: 'CANCELLED', percentComplete: null })
    })
  })

  it('takes a cancelled handler that returns for nothing: the job stays cancelled [A37 A39 A76]', async () => {
    const go = gate()
    const handlers = [defineHandler({ type: 'deaf', handle: () => go.promise })]
    await withApp(database, { handlers }, async (app) => {
      const id = await app.submit('deaf')
      await app.seen('attempt:start', ({ jobId }) => jobId === id)
      await app.fetch(`/jobs/${id}/status`, { method: 'DELETE' })
      go.open()
      const next = await app.submit('deaf')
      expect(await app.ended(next)).toMatchObject({ status: 'COMPLETED' })
      expect(await app.ended(id)).toMatchObject({ status: 'CANCELLED' })
    })
  })

  it('aborts what it runs when its lease is gone, writes nothing for it, and goes on under a new one [G5]', async () => {
    const reason = gate<AbortReason | undefined>()
    const handlers = [
      defineHandler({ type: 'ghost', handle: async (context) => reason.open(await aborted(context)) }),
      defineHandler({ type: 'after', handle: () => {} }),
    ]
    await withApp(database, { handlers, recovery: { enabled: false } }, async (app) => {
      const id = await app.submit('ghost')
      await app.seen('attempt:start', ({ jobId }) => jobId === id)
      await database.query('DELETE FROM async_job_workers')
      expect(await reason.promise).toBe('lease-lost')
      expect(await app.seen('worker:lease-lost')).toMatchObject({ aborted: 1 })
      expect(await app.ended(await app.submit('after'))).toMatchObject({ status: 'COMPLETED' })
      expect(await app.asyncJobs.status(id)).toMatchObject({ status: 'PROCESSING', version: 2 })
    })
  })

  it('merges progress: any number of reports, few writes, the newest value stored', async () => {
    const reports = 5_000
    const go = gate()
    const handlers = [
      defineHandler({
        type: 'chatty',
        handle: async ({ progress }) => {
          for (let n = 1; n <= reports; n += 1) await progress((n / reports) * 90)
          await go.promise
        },
      }),
    ]
    await withApp(database, { handlers }, async (app) => {
      const id = await app.submit('chatty')
      let last: Record<string, unknown> = {}
      for await (const { data } of app.stream(id)) {
        if (data['percentComplete'] === 90) go.open()
        last = data
      }
      expect(last['version']).toBeLessThan(100)
    })
  })

  it('gives a second attempt to a type that may be tried twice [S1]', async () => {
    const attempts: number[] = []
    const handlers = [
      defineHandler({
        type: 'flaky',
        retry: { maxAttempts: 2 },
        handle: ({ attempt }) => {
          attempts.push(attempt)
          if (attempt === 1) throw new Error('not yet')
        },
      }),
    ]
    await withApp(database, { handlers }, async (app) => {
      expect(await app.ended(await app.submit('flaky'))).toMatchObject({ status: 'COMPLETED' })
    })
    expect(attempts).toEqual([1, 2])
  })

  it('hands the handler what it needs to be idempotent: id, attempt and fencing token [G4 A09]', async () => {
    const seen = gate<HandlerContext<{ month: string }>>()
    const inputSchema = { type: 'object', required: ['month'], properties: { month: { type: 'string' } } }
    const handlers = [
      defineHandler<{ month: string }>({ type: 'typed', inputSchema, handle: (context) => seen.open(context) }),
    ]
    await withApp(database, { handlers }, async (app) => {
      const { jobId } = await app.asyncJobs.submit('typed', { input: { month: '2026-11' } })
      expect(await seen.promise).toMatchObject({ jobId, attempt: 1, fencingToken: 1, input: { month: '2026-11' } })
    })
  })
})

import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAsyncJobs, defineHandler, type Hint, type Store, type WakeUps } from '../../server/index.ts'
import { quick, silent } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { openStore } from '../support/store.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const noop = defineHandler({ type: 'noop', handle: () => {} })
const slow = defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') })

describe('a part of the application’s own', () => {
  it('decides when to poll and until when to read: one policy, asked everywhere [A69]', async () => {
    const policy = {
      retryAfterSeconds: ({ type }: { type: string }) => (type === 'slow' ? 60 : 1),
      expiresAt: () => new Date('2030-01-01T00:00:00Z'),
    }
    await withApp(database, { handlers: [noop, slow], policy }, async (app) => {
      const accepted = await app.fetch('/jobs/slow', { method: 'POST' })
      expect(accepted.headers.get('retry-after')).toBe('60')
      const { jobId } = (await accepted.json()) as { jobId: string }
      expect((await app.fetch(`/jobs/${jobId}/status`)).headers.get('retry-after')).toBe('60')
      const id = await app.submit('noop')
      await app.ended(id)
      expect((await app.fetch(`/jobs/${id}/status`)).headers.get('expires')).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
    })
  })

  it('stores the jobs in the place of ours, without a pool [A08 A63]', async () => {
    const calls: string[] = []
    const ours = openStore(database.pool())
    const store = new Proxy(ours, {
      get: (target, name: keyof Store) => {
        calls.push(name)
        return target[name]
      },
    })
    const asyncJobs = createAsyncJobs({ ...quick, store, handlers: [noop], logger: silent })
    await asyncJobs.start()
    const { jobId } = await asyncJobs.submit('noop')
    await expect.poll(async () => (await asyncJobs.status(jobId)).status).toBe('COMPLETED')
    await asyncJobs.stop()
    expect(calls).toEqual(expect.arrayContaining(['checkSchema', 'submit', 'cycle', 'read', 'registerWorker']))
  })

  it('carries hints in the place of ours [A08]', async () => {
    const told: Hint[] = []
    const wakeUps: WakeUps = {
      start: () => Promise.resolve(),
      announce: (hint) => void told.push(hint),
      stop: () => Promise.resolve(),
    }
    await withApp(database, { handlers: [noop], wakeUps }, async (app) => {
      const id = await app.submit('noop')
      await app.ended(id)
      expect(told).toContainEqual({ types: ['noop'], jobs: [] })
      expect(told.flatMap(({ jobs }) => jobs)).toContain(id)
    })
  })

  it('makes the ids in the place of ours [A08]', async () => {
    const made: string[] = []
    const newId = (): string => {
      made.push(uuidv7())
      return made.at(-1) ?? ''
    }
    await withApp(database, { handlers: [noop], newId }, async (app) => {
      expect(await app.submit('noop')).toBe(made[0])
    })
  })
})

describe('the engine without a router', () => {
  it('works in code, and says so when its router is asked for [A63]', async () => {
    const pool = database.pool()
    const asyncJobs = createAsyncJobs({ ...quick, pool, handlers: [noop], logger: silent, web: { enabled: false } })
    expect(() => asyncJobs.router).toThrow('web.enabled: expected true where the router is used, found false')
    await asyncJobs.start()
    const { jobId } = await asyncJobs.submit('noop')
    await expect.poll(async () => (await asyncJobs.status(jobId)).status).toBe('COMPLETED')
    await asyncJobs.stop()
  })

  it('needs a pool or a store', () => {
    expect(() => createAsyncJobs({ handlers: [noop] })).toThrow('pool: expected a pg.Pool, found undefined')
  })
})

describe('tables in another PostgreSQL schema', () => {
  it('are found by its name, whatever the search path says [A13]', async () => {
    const own = await createTestDatabase()
    await own.query('CREATE SCHEMA "Jobs"')
    for (const table of ['async_job_inputs', 'async_job_keys', 'async_job_workers', 'async_jobs']) {
      await own.query(`ALTER TABLE ${table} SET SCHEMA "Jobs"`)
    }
    await own.query('ALTER FUNCTION async_jobs_schema_version() SET SCHEMA "Jobs"')
    await withApp(own, { handlers: [noop], database: { schema: 'Jobs' } }, async (app) => {
      const id = await app.submit('noop', { headers: { 'idempotency-key': 'elsewhere' } })
      expect(await app.ended(id)).toMatchObject({ status: 'COMPLETED' })
    })
    await own.drop()
  })
})

describe('a caller with too many streams', () => {
  it('is told to wait, and others are served [K75 G14]', async () => {
    const sse = { ...quick.sse, maxStreamsPerCaller: 20 }
    const callerOf = (req: { get(name: string): string | undefined }): string => req.get('x-caller') ?? ''
    await withApp(database, { handlers: [slow], sse, callerOf }, async (app) => {
      const id = await app.submit('slow')
      const abort = new AbortController()
      const open = (caller: string): Promise<Response> =>
        app.fetch(`/jobs/${id}/events`, { headers: { 'x-caller': caller }, signal: abort.signal })
      const greedy = await Promise.all(Array.from({ length: 200 }, () => open('greedy')))
      expect(greedy.filter(({ status }) => status === 200)).toHaveLength(20)
      const refused = greedy.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(180)
      expect(refused[0]?.headers.get('retry-after')).toBe('2')
      expect((await open('modest')).status).toBe(200)
      abort.abort()
      // What is given back can be taken again.
      await expect
        .poll(
          async () =>
            (await fetch(`${app.url}/jobs/${id}/events`, { method: 'HEAD', headers: { 'x-caller': 'greedy' } })).status,
        )
        .toBe(200)
    })
  })
})

describe('failing jobs', () => {
  it('do not keep good ones from running, however many come back [K19 G12]', async () => {
    const handlers = [
      defineHandler({
        type: 'mixed',
        inputSchema: {},
        retry: { maxAttempts: 20 },
        handle: ({ input }) => {
          if (input === 'bad') throw new Error('always')
        },
      }),
    ]
    const processing = { ...quick.processing, concurrencyLimit: 2 }
    await withApp(database, { handlers, processing }, async (app) => {
      await Promise.all(Array.from({ length: 500 }, () => app.asyncJobs.submit('mixed', { input: 'bad' })))
      const good = await Promise.all(Array.from({ length: 10 }, () => app.asyncJobs.submit('mixed', { input: 'good' })))
      const from = performance.now()
      for (const { jobId } of good) expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED' })
      expect(performance.now() - from).toBeLessThan(10_000)
    })
  })
})

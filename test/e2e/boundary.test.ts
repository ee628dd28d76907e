import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Settings, defineHandler } from '../../server/index.ts'
import { readConfig } from '../../server/config/config.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { gate } from '../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const noop = defineHandler({ type: 'noop', handle: () => 'a value that nobody asked for' })

describe('the boundary', () => {
  it('keeps nothing that the work made, unless its type declares an output [A04]', async () => {
    await withApp(database, { handlers: [noop] }, async (app) => {
      const id = await app.submit('noop')
      expect(await app.ended(id)).not.toHaveProperty('output')
      const { rows } = await database.query('SELECT * FROM async_job_inputs WHERE job_id = $1', [id])
      expect(rows).toEqual([])
    })
  })

  it('answers long before the work ends, however long it takes [A02 A12]', async () => {
    const started = gate<string>()
    const long = defineHandler({
      type: 'long',
      handle: async ({ jobId, sleep }) => {
        started.open(jobId)
        await sleep('PT10M')
      },
    })
    await withApp(database, { handlers: [long] }, async (app) => {
      const id = await app.submit('long')
      expect(await started.promise).toBe(id)
      expect(await app.asyncJobs.status(id)).toMatchObject({ status: 'PROCESSING' })
    })
  })

  it('leaves the pool as the application made it, and open when it stops [A13]', async () => {
    const pool = database.pool({ max: 3 })
    const before = { ...pool.options }
    await withApp(database, { pool, handlers: [noop] }, async (app) => void (await app.submit('noop')))
    expect({ ...pool.options }).toEqual(before)
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }])
  })

  it('looks at the key, then at what is fresh, then at what is in flight, then makes a job [A11 A18 A20]', async () => {
    const go = gate()
    const gated = defineHandler({ type: 'gated', handle: () => go.promise })
    const settings: Settings = { coalesceInFlight: true, freshness: { enabled: true, defaultWindow: 'PT10M' } }
    await withApp(database, { handlers: [gated], ...settings }, async (app) => {
      const submit = async (headers: Record<string, string> = {}): Promise<{ jobId: string; outcome: string }> =>
        (await (await app.fetch('/jobs/gated', { method: 'POST', headers })).json()) as never
      const first = await submit({ 'idempotency-key': 'one' })
      expect(first.outcome).toBe('created')
      expect(await submit()).toMatchObject({ jobId: first.jobId, outcome: 'in-flight' })
      expect(await submit({ 'idempotency-key': '"one"' })).toMatchObject({ jobId: first.jobId, outcome: 'idempotent' })
      go.open()
      await app.ended(first.jobId)
      expect(await submit()).toMatchObject({ jobId: first.jobId, outcome: 'fresh' })
      expect(await submit({ 'idempotency-key': 'one' })).toMatchObject({ outcome: 'idempotent' })
      const anew = await submit({ 'cache-control': 'max-age=0, no-cache' })
      expect(anew).toMatchObject({ outcome: 'created' })
      expect(anew.jobId).not.toBe(first.jobId)
    })
  })

  it('answers a reuse of an ended job without a Retry-After', async () => {
    await withApp(database, { handlers: [noop] }, async (app) => {
      const headers = { 'idempotency-key': 'ended' }
      const id = await app.submit('noop', { headers })
      await app.ended(id)
      const again = await app.fetch('/jobs/noop', { method: 'POST', headers })
      expect(again.headers.get('retry-after')).toBeNull()
    })
  })

  it('says when to poll as configured, on submit and on status [A46]', async () => {
    const slow = defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') })
    await withApp(database, { handlers: [slow], retryAfterSeconds: 17 }, async (app) => {
      const response = await app.fetch('/jobs/slow', { method: 'POST' })
      const { jobId } = (await response.json()) as { jobId: string }
      expect(response.headers.get('retry-after')).toBe('17')
      expect((await app.fetch(`/jobs/${jobId}/status`)).headers.get('retry-after')).toBe('17')
    })
  })

  it('has no switch for events: they are part of the contract [A51]', () => {
    expect(() => readConfig([], { sse: { enabled: false } } as Settings)).toThrow(
      'sse.enabled: there is no such option',
    )
  })

  it('bounds the backlog of a type where a bound is configured, and says so with 503 [S12 G14]', async () => {
    const handlers = [defineHandler({ type: 'bounded', handle: () => {} })]
    const processing = { enabled: false, maxPending: 2 }
    await withApp(database, { handlers, processing }, async (app) => {
      await Promise.all([app.submit('bounded'), app.submit('bounded')])
      // The count is trusted for a second.
      await expect
        .poll(async () => (await app.fetch('/jobs/bounded', { method: 'POST' })).status, { timeout: 5_000 })
        .toBe(503)
      const refused = await app.fetch('/jobs/bounded', { method: 'POST' })
      expect(refused.headers.get('retry-after')).toBe('2')
      expect(await refused.json()).toMatchObject({ code: 'queue-full' })
    })
  })
})

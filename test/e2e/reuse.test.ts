import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnyHandler, defineHandler, type Settings } from '../../server/index.ts'
import type { TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { gate } from '../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

interface Accepted {
  jobId: string
  outcome: string
}

async function post(app: TestApp, type: string, init: { headers?: Record<string, string>; input?: unknown } = {}) {
  const { headers = {}, input } = init
  const body = input === undefined ? {} : { body: JSON.stringify(input) }
  const typed = input === undefined ? headers : { ...headers, 'content-type': 'application/json' }
  const response = await app.fetch(`/jobs/${type}`, { method: 'POST', headers: typed, ...body })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Accepted & { code: string },
  }
}

/** Runs a body with an app whose jobs of the type wait for the gate. */
async function gated(
  type: string,
  options: Partial<AnyHandler> & { settings?: Settings },
  body: (app: TestApp, go: () => void) => Promise<void>,
): Promise<void> {
  const { settings = {}, ...rest } = options
  const go = gate()
  const handler = { type, ...rest, handle: () => go.promise } as AnyHandler
  await withApp(database, { handlers: [handler], ...settings }, (app) => body(app, go.open))
}

const anything = { inputSchema: {} }

describe('a key', () => {
  it('answers retries with the job of the first, at any number at once, and 422 for another type [A15 A49 A73 A92 S10]', async () => {
    const handlers = [defineHandler({ type: 'a', handle: () => {} }), defineHandler({ type: 'b', handle: () => {} })]
    await withApp(database, { handlers }, async (app) => {
      const headers = { 'idempotency-key': 'order-1' }
      const answers = await Promise.all(Array.from({ length: 30 }, () => post(app, 'a', { headers })))
      expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(1)
      expect(answers.every(({ status }) => status === 202)).toBe(true)
      const other = await post(app, 'b', { headers })
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } })
      expect(JSON.stringify(other.body)).toMatch(/"a\\"|\\"a\\"/)
    })
  })

  it('tells inputs apart, but not the order of their properties [K58 S9 S10]', async () => {
    await gated('ordered', anything, async (app) => {
      const submit = (input: unknown): ReturnType<typeof post> =>
        post(app, 'ordered', { headers: { 'idempotency-key': 'k' }, input })
      const first = await submit({ a: 1, b: [{ c: 2, d: 3 }] })
      expect((await submit({ b: [{ d: 3, c: 2 }], a: 1 })).body).toMatchObject({
        jobId: first.body.jobId,
        outcome: 'idempotent',
      })
      expect((await submit({ a: 1.0, b: [{ c: 2, d: 3 }] })).body.outcome).toBe('idempotent')
      expect((await submit({ a: 2, b: [{ c: 2, d: 3 }] })).status).toBe(422)
      expect((await submit({ a: 1, b: [{ c: 2, d: 3 }], e: null })).status).toBe(422)
    })
  })

  it('is required by a type that says so [S16]', async () => {
    await gated('strict', { requireIdempotencyKey: true }, async (app) => {
      expect(await post(app, 'strict')).toMatchObject({ status: 400, body: { code: 'idempotency-key-required' } })
      expect((await post(app, 'strict', { headers: { 'idempotency-key': 'x' } })).status).toBe(202)
    })
  })

  it('is free again when its job is purged [S11]', async () => {
    await gated('kept', {}, async (app) => {
      const headers = { 'idempotency-key': 'again' }
      const { jobId } = (await post(app, 'kept', { headers })).body
      await database.query('DELETE FROM async_jobs WHERE id = $1', [jobId])
      expect((await post(app, 'kept', { headers })).body.outcome).toBe('created')
    })
  })
})

describe('single-flight', () => {
  it('lets one job do the work of all who ask meanwhile, by a unique index [A16 A48 A78]', async () => {
    await gated('single', { coalesce: 'join' }, async (app, go) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => post(app, 'single')))
      expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(1)
      expect(answers.filter(({ body }) => body.outcome === 'created')).toHaveLength(1)
      go()
      await app.ended(answers[0]?.body.jobId ?? '')
      expect((await post(app, 'single')).body.outcome).toBe('created')
    })
  })

  it('is off unless it is asked for, for all types or one [A65 S13]', async () => {
    await gated('free', {}, async (app) => {
      expect((await post(app, 'free')).body.jobId).not.toBe((await post(app, 'free')).body.jobId)
    })
    await gated('out', { coalesce: false, settings: { coalesceInFlight: true } }, async (app) => {
      expect((await post(app, 'out')).body.jobId).not.toBe((await post(app, 'out')).body.jobId)
    })
  })

  it('refuses with 409 and names the running job where a type rejects, and binds no key to it [S13]', async () => {
    await gated('alone', { coalesce: 'reject' }, async (app, go) => {
      const first = await post(app, 'alone', { headers: { 'idempotency-key': 'one' } })
      const refused = await post(app, 'alone', { headers: { 'idempotency-key': 'two' } })
      expect(refused).toMatchObject({ status: 409, body: { code: 'job-in-flight', jobId: first.body.jobId } })
      expect((await post(app, 'alone', { headers: { 'idempotency-key': 'one' } })).body.outcome).toBe('idempotent')
      go()
      await app.ended(first.body.jobId)
      expect((await post(app, 'alone', { headers: { 'idempotency-key': 'two' } })).body.outcome).toBe('created')
    })
  })

  it('goes by type and input, or by what the type says [A54 S9]', async () => {
    await gated('by-input', { ...anything, coalesce: 'join' }, async (app) => {
      const one = await post(app, 'by-input', { input: { shop: 1 } })
      expect((await post(app, 'by-input', { input: { shop: 1 } })).body.jobId).toBe(one.body.jobId)
      expect((await post(app, 'by-input', { input: { shop: 2 } })).body.outcome).toBe('created')
    })
    const coalesceBy = ({ shop }: { shop: number }): string => String(shop)
    await gated('by-shop', { ...anything, coalesce: 'join', coalesceBy }, async (app) => {
      const one = await post(app, 'by-shop', { input: { shop: 1, page: 1 } })
      expect((await post(app, 'by-shop', { input: { shop: 1, page: 2 } })).body.jobId).toBe(one.body.jobId)
    })
  })
})

describe('freshness', () => {
  const fresh: Settings = { freshness: { enabled: true, defaultWindow: 'PT1H', perType: { brief: 'PT0.2S' } } }
  const instant = (type: string): AnyHandler => defineHandler({ type, handle: () => {} })

  it('answers with the job that completed within the window, and no-cache asks anew [A55 A56 A59 A60 A79 A92]', async () => {
    await withApp(database, { handlers: [instant('daily')], ...fresh }, async (app) => {
      const first = await post(app, 'daily')
      await app.ended(first.body.jobId)
      const again = await post(app, 'daily')
      expect(again).toMatchObject({ status: 202, body: { jobId: first.body.jobId, outcome: 'fresh' } })
      for (const directives of ['no-cache', 'max-age=0, No-Cache', 'no-cache, no-store']) {
        const anew = await post(app, 'daily', { headers: { 'cache-control': directives } })
        expect(anew.body.outcome).toBe('created')
        await app.ended(anew.body.jobId)
      }
      expect((await post(app, 'daily', { headers: { 'cache-control': 'max-age=0' } })).body.outcome).toBe('fresh')
    })
  })

  it('has a window of its own for a type, which passes [A56 A64]', async () => {
    await withApp(database, { handlers: [instant('brief')], ...fresh }, async (app) => {
      await app.ended((await post(app, 'brief')).body.jobId)
      await expect.poll(async () => (await post(app, 'brief')).body.outcome).toBe('created')
    })
  })

  it('is not applied unless it is switched on and a window is there [A57 A58]', async () => {
    const { freshness } = fresh
    for (const settings of [{ freshness: { ...freshness, enabled: false } }, { freshness: { enabled: true } }]) {
      await withApp(database, { handlers: [instant('plain')], ...settings }, async (app) => {
        await app.ended((await post(app, 'plain')).body.jobId)
        expect((await post(app, 'plain')).body.outcome).toBe('created')
      })
    }
  })

  it('counts only what completed: a failed run answers for nothing [A59]', async () => {
    const failing = defineHandler({ type: 'failing', handle: () => Promise.reject(new Error('no')) })
    await withApp(database, { handlers: [failing], ...fresh }, async (app) => {
      await app.ended((await post(app, 'failing')).body.jobId)
      expect((await post(app, 'failing')).body.outcome).toBe('created')
    })
  })

  it('works without single-flight, and beside it: done already, or being done [A62 A89 S19]', async () => {
    await gated('both', { coalesce: 'join', settings: fresh }, async (app, go) => {
      const first = await post(app, 'both')
      expect((await post(app, 'both')).body.outcome).toBe('in-flight')
      go()
      await app.ended(first.body.jobId)
      expect((await post(app, 'both')).body.outcome).toBe('fresh')
    })
  })

  it('tells endpoints of the application how old their data is [A90]', async () => {
    await withApp(database, { handlers: [instant('aged'), instant('brief')], ...fresh }, async (app) => {
      expect(await app.asyncJobs.lastRefreshedAt('aged')).toBeUndefined()
      expect(await app.asyncJobs.isFresh('aged')).toBe(false)
      const { jobId } = await app.asyncJobs.submit('aged')
      await app.ended(jobId)
      const { lastUpdatedAt } = await app.asyncJobs.status(jobId)
      expect(await app.asyncJobs.lastRefreshedAt('aged')).toEqual(lastUpdatedAt)
      expect(await app.asyncJobs.isFresh('aged')).toBe(true)
      expect(await app.asyncJobs.isFresh('aged', { tenant: 'other' })).toBe(false)
    })
  })

  it('refuses to start with a window that is longer than the retention [A61 A83]', async () => {
    const settings: Settings = { retention: 'PT30M', ...fresh }
    await expect(withApp(database, { handlers: [], ...settings }, async () => {})).rejects.toThrow(
      'freshness.defaultWindow: expected no longer than retention',
    )
  })
})

describe('an accepted submit', () => {
  it('never lacks its Location, however it was answered [C26 A71]', async () => {
    await gated('located', { coalesce: 'join' }, async (app) => {
      for (const headers of [{}, {}, { 'idempotency-key': 'l' }, { 'idempotency-key': 'l' }] as Record<
        string,
        string
      >[]) {
        const { body, headers: answered } = await post(app, 'located', { headers })
        expect(answered.get('location')).toBe(`${app.url}/jobs/${body.jobId}/status`)
      }
    })
  })
})

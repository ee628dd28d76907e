import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { nameOf, reopen, shut } from '../../support/outage.ts'

let database: TestDatabase
let app: TestApp
let id: string

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await app?.close()
})
afterAll(async () => {
  await database?.drop()
})

async function start(max: number): Promise<ReturnType<TestDatabase['pool']>> {
  const pool = database.pool({ max })
  app = await startApp({
    pool,
    processing: { pollInterval: 'PT0.1S', lease: 'PT30S' },
    handlers: [defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') })],
  })
  id = await app.submit('slow')
  return pool
}

/** What every route answers, each checked against the document and for words that are none of the client's business. */
async function answers(): Promise<string[]> {
  const routes: [string, string][] = [
    ['POST', '/jobs/slow'],
    ['GET', `/jobs/${id}/status`],
    ['GET', `/jobs/${id}/events`],
    ['DELETE', `/jobs/${id}`],
    ['DELETE', `/jobs/${id}/status`],
  ]
  return Promise.all(
    routes.map(async ([method, path]) => {
      const response = await app.fetch(path, { method })
      const text = await response.text()
      const told = [...response.headers.values(), text].join('\n')
      expect(told).not.toMatch(
        /async_job|select|update|insert|column|relation|postgres|localhost|127\.0\.0\.1|node_modules|\.ts/i,
      )
      expect(told).not.toContain(nameOf(database))
      expect(response.headers.get('cache-control')).toBe('no-store')
      return `${response.status} ${(JSON.parse(text) as { code: string }).code}`
    }),
  )
}

describe('a fault behind the routes', () => {
  it('is a 503 that tells nothing when the database is away, and passes when it is back [K95 K34]', async () => {
    await start(5)
    await shut(database)
    expect(new Set(await answers())).toEqual(new Set(['503 database-unavailable']))
    await reopen(database)
    expect((await app.fetch(`/jobs/${id}/status`)).status).toBe(200)
  })

  it('is a 503 that tells nothing when every connection of the pool is taken [K95]', async () => {
    const pool = await start(1)
    const held = await pool.connect()
    const began = performance.now()
    expect(new Set(await answers())).toEqual(new Set(['503 database-unavailable']))
    expect(performance.now() - began).toBeLessThan(10_000)
    held.release()
    expect((await app.fetch(`/jobs/${id}/status`)).status).toBe(200)
  })

  it('is a 500 that tells nothing when the schema is broken, and is told to the operator [K95]', async () => {
    await start(5)
    await app.seen('attempt:start')
    await database.query('ALTER TABLE async_jobs RENAME COLUMN type TO kind')
    expect(new Set(await answers())).toEqual(new Set(['500 internal-error']))
    const { error } = await app.seen('request:failed', ({ path }) => path.endsWith('/status'))
    expect(String(error)).toMatch(/column .* does not exist/)
    await database.query('ALTER TABLE async_jobs RENAME COLUMN kind TO type')
  })

  it('does not keep a process from stopping', async () => {
    await start(5)
    await shut(database)
    await expect(app.asyncJobs.stop({ graceMs: 0 })).resolves.toBeUndefined()
    await reopen(database)
  })
})

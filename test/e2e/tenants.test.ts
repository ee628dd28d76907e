import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    tenantOf: (req) => req.get('x-tenant') ?? '',
    authorize: (req, action, { type, job }) =>
      req.get('x-role') !== 'reader' || (action !== 'cancel' && type !== 'secret' && job?.type !== 'secret'),
    freshness: { enabled: true, defaultWindow: 'PT10M' },
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'secret', handle: () => {} }),
      defineHandler({ type: 'slow', coalesce: 'join', handle: ({ sleep }) => sleep('PT1M') }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const as = (tenant: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { 'x-tenant': tenant, ...more },
})

const nobody = '01890000-0000-7000-8000-000000000000'

/** Every route that names a job. */
const routes: [method: string, path: (id: string) => string][] = [
  ['GET', (id) => `/jobs/${id}/status`],
  ['HEAD', (id) => `/jobs/${id}/status`],
  ['GET', (id) => `/jobs/${id}/events`],
  ['DELETE', (id) => `/jobs/${id}`],
  ['DELETE', (id) => `/jobs/${id}/status`],
]

describe('two tenants', () => {
  it('do not see each other on any route: a foreign job is not there [K74 C09]', async () => {
    const id = await app.submit('slow', as('a'))
    for (const [method, path] of routes) {
      const response = await app.fetch(path(id), { method, ...as('b', { 'last-event-id': '1' }) })
      expect(`${method} ${response.status}`).toBe(`${method} 404`)
      const missing = await app.fetch(path(nobody), { method, ...as('b') })
      const [foreign, none] = [await response.text(), await missing.text()]
      expect(foreign.replace(id, '…')).toBe(none.replace(nobody, '…'))
    }
    expect((await app.fetch(`/jobs/${id}/status`, as('a'))).status).toBe(200)
    expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE', ...as('a') })).status).toBe(202)
  })

  it('use the same key and the same type without meeting [K58 G2]', async () => {
    const key = { 'idempotency-key': 'shared' }
    const [a, b] = [await app.submit('noop', as('a', key)), await app.submit('noop', as('b', key))]
    expect(a).not.toBe(b)
    expect(await app.submit('noop', as('a', key))).toBe(a)
  })

  it('share neither what is fresh nor what is in flight', async () => {
    const done = await app.submit('noop', as('c'))
    await expect.poll(async () => (await app.asyncJobs.status(done)).status).toBe('COMPLETED')
    expect(await app.submit('noop', as('c'))).toBe(done)
    expect(await app.submit('noop', as('d'))).not.toBe(done)
    const [one, two] = [await app.submit('slow', as('c')), await app.submit('slow', as('d'))]
    expect(one).not.toBe(two)
    expect(await app.submit('slow', as('c'))).toBe(one)
  })

  it('are told apart in code too', async () => {
    const { jobId } = await app.asyncJobs.submit('slow', { tenant: 'e' })
    await expect(app.asyncJobs.status(jobId, { tenant: 'f' })).rejects.toMatchObject({ code: 'job-not-found' })
    await expect(app.asyncJobs.cancel(jobId, { tenant: 'f' })).rejects.toMatchObject({ code: 'job-not-found' })
    expect(await app.asyncJobs.status(jobId, { tenant: 'e' })).toMatchObject({ tenant: 'e' })
    expect(await app.asyncJobs.cancel(jobId)).toMatchObject({ status: 'CANCELLED' })
  })
})

describe('a caller', () => {
  it('may do only what the application allows, and learns of nothing else', async () => {
    const reader = as('g', { 'x-role': 'reader' })
    const id = await app.submit('slow', as('g'))
    expect((await app.fetch(`/jobs/${id}/status`, reader)).status).toBe(200)
    expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE', ...reader })).status).toBe(404)
    expect((await app.fetch(`/jobs/secret`, { method: 'POST', ...reader })).status).toBe(403)
    const secret = await app.submit('secret', as('g'))
    expect((await app.fetch(`/jobs/${secret}/status`, reader)).status).toBe(404)
    expect((await app.fetch(`/jobs/${secret}/events`, reader)).status).toBe(404)
  })
})

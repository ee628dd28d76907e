import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { checkResponse } from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { sendRaw, toResponse } from '../../support/raw-http.ts'

const nobody = '01890000-0000-7000-8000-000000000000'

let database: TestDatabase
let app: TestApp
/** Runs no jobs, so that each connection that it takes is for a request. */
let idle: TestApp
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool()
  idle = await startApp({ pool })
  app = await startApp({
    pool: database.pool(),
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
      defineHandler({ type: 'a', handle: () => {} }),
      defineHandler({ type: 'x'.repeat(100), handle: () => {} }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await idle?.close()
  await database?.drop()
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Sends a request line as it is; the answer is checked against the document. */
async function answer(to: TestApp, line: string): Promise<{ status: number; code?: string; text: string }> {
  const [method = '', path = ''] = line.split(' ')
  const raw = await sendRaw(to.url, `${line} HTTP/1.1\r\nHost: jobs.example\r\n\r\n`)
  raw.socket.destroy()
  await checkResponse(method, path.split('?')[0] as string, toResponse(raw))
  const problem = method === 'HEAD' || raw.status < 400 ? {} : (JSON.parse(raw.body) as { code: string })
  return { status: raw.status, text: raw.body, ...problem }
}

describe('the id of a job', () => {
  const strange = [
    'x',
    '1',
    'a'.repeat(300),
    '%00',
    '%0A',
    `${nobody}%0A`,
    `${nobody}%00`,
    `urn:uuid:${nobody}`,
    '..%2F',
  ]

  it.each(strange)('%j is no UUID: 404 on every route, without a query [K46 A77]', async (id) => {
    const connect = vi.spyOn(pool, 'connect')
    for (const line of [`GET /jobs/${id}/status`, `GET /jobs/${id}/events`, `DELETE /jobs/${id}`]) {
      expect(await answer(idle, line)).toMatchObject({ status: 404, code: 'job-not-found' })
    }
    expect(await answer(idle, `DELETE /jobs/${id}/status`)).toMatchObject({ status: 404, code: 'job-not-found' })
    expect(connect).not.toHaveBeenCalled()
    connect.mockRestore()
  })

  it('answers 404 for a UUID of no job [A77 A32]', async () => {
    for (const line of [`GET /jobs/${nobody}/status`, `GET /jobs/${nobody}/events`, `DELETE /jobs/${nobody}`]) {
      expect(await answer(app, line)).toMatchObject({ status: 404, code: 'job-not-found' })
    }
  })

  it('may be written in upper case', async () => {
    const id = (await app.submit('slow')).toUpperCase()
    expect((await app.fetch(`/jobs/${id}/status`)).status).toBe(200)
    const events = app.stream(id)
    expect((await events.next()).value).toMatchObject({ event: 'status' })
    expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(202)
    let last: string | undefined
    for await (const { event } of events) last = event
    expect(last).toBe('cancelled')
  })
})

describe('the type of a job', () => {
  it('is taken up to 100 characters of A-Z a-z 0-9 . _ - [A19]', async () => {
    expect((await app.fetch(`/jobs/${'x'.repeat(100)}`, { method: 'POST' })).status).toBe(202)
    for (const type of [
      'x'.repeat(101),
      'x'.repeat(3_000),
      'a b',
      'a%20b',
      'a%0Ab',
      'a%00',
      'a%2Fb',
      '%C3%A9',
      'a:b',
    ]) {
      const response = await app.fetch(`/jobs/${type}`, { method: 'POST' })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'invalid-request', errors: [{ in: 'path', name: 'job' }] })
    }
  })

  it('answers 400 for one that is not registered, without a query [A23 A72]', async () => {
    const connect = vi.spyOn(pool, 'connect')
    const response = await idle.fetch('/jobs/noop', { method: 'POST' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'unknown-type' })
    expect(connect).not.toHaveBeenCalled()
    connect.mockRestore()
  })
})

describe('the path', () => {
  it.each([undefined, 'development', 'production'])(
    'with a malformed escape answers a problem, whatever NODE_ENV says (%s) [K51]',
    async (environment) => {
      vi.stubEnv('NODE_ENV', environment)
      const own = await startApp({ pool: database.pool() })
      try {
        for (const path of [
          '/jobs/%',
          '/jobs/%E0%A4%A',
          '/jobs/%ZZ',
          '/jobs/%ZZ/status',
          '/jobs/%/events',
          '/jobs/a/b/%',
        ]) {
          for (const method of ['GET', 'POST', 'DELETE']) {
            const { status, code, text } = await answer(own, `${method} ${path}`)
            expect({ status, code }).toEqual({ status: 400, code: 'malformed-url' })
            expect(text).not.toMatch(/<|\bat \/|node_modules/)
          }
        }
      } finally {
        await own.close()
      }
    },
  )

  it('is served in one form: other letter case, slashes at the end or doubled ones are 404 [K54]', async () => {
    const forms = [
      '/jobs/a/',
      '/Jobs/a',
      '/JOBS/a',
      '//jobs/a',
      '/jobs//a',
      '/jobs',
      '/jobs/',
      '/jobs/a/b',
      '/jobs/a/status/',
    ]
    for (const path of forms) {
      expect(await answer(app, `POST ${path}`)).toMatchObject({ status: 404, code: 'route-not-found' })
    }
    for (const path of [`/jobs/${nobody}/Status`, `/jobs/${nobody}/events/`, `/jobs/${nobody}//status`]) {
      expect(await answer(app, `GET ${path}`)).toMatchObject({ status: 404, code: 'route-not-found' })
    }
    expect(await answer(app, 'POST http://jobs.example/jobs/a')).toMatchObject({ status: 404 })
  })

  it('takes no query that the document does not have', async () => {
    expect(await answer(app, 'POST /jobs/a?x=1')).toMatchObject({ status: 400, code: 'invalid-request' })
  })
})

describe('the method', () => {
  it('HEAD answers the status and the stream with their headers alone, and leaves no stream open', async () => {
    const id = await app.submit('slow')
    const [status, events] = [`/jobs/${id}/status`, `/jobs/${id}/events`]
    for (const [path, type] of [
      [status, 'application/json'],
      [events, 'text/event-stream; charset=utf-8'],
    ] as const) {
      const raw = await sendRaw(app.url, `HEAD ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`)
      expect(raw).toMatchObject({ status: 200, body: '' })
      expect(raw.headers.get('content-type')).toBe(type)
      expect(raw.headers.get('cache-control')).toMatch(/^private, no-cache/)
      await raw.closed
    }
    const get = await app.fetch(status)
    const head = await app.fetch(status, { method: 'HEAD' })
    for (const name of ['etag', 'retry-after', 'content-length']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    expect(await answer(app, `HEAD /jobs/${nobody}/status`)).toMatchObject({ status: 404, text: '' })
  })

  it('that a resource does not have is 405 with Allow, OPTIONS too', async () => {
    const allowed = {
      [`/jobs/${nobody}/status`]: 'DELETE, GET, HEAD',
      [`/jobs/${nobody}/events`]: 'GET, HEAD',
      '/jobs/a': 'DELETE, POST',
    }
    for (const [path, allow] of Object.entries(allowed)) {
      for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const raw = await sendRaw(app.url, `${method} ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`)
        await checkResponse(method, path, toResponse(raw))
        expect(raw.status).toBe(405)
        expect(raw.headers.get('allow')).toBe(allow)
      }
    }
    expect(await answer(app, 'HEAD /jobs/a')).toMatchObject({ status: 405 })
  })
})

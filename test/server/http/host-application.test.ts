import compression from 'compression'
import cors from 'cors'
import express, { type Express, type ErrorRequestHandler } from 'express'
import * as validator from 'express-openapi-validator'
import helmet from 'helmet'
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { open } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await app?.close()
})
afterAll(async () => {
  await database?.drop()
})

async function start(before: (app: Express) => void, after: (app: Express) => void = () => {}): Promise<void> {
  app = await startApp({
    pool: database.pool(),
    before,
    after,
    sse: { heartbeat: 'PT0.2S', pollInterval: 'PT0.1S' },
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler<unknown>({ type: 'any', inputSchema: {}, handle: () => {} }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
    ],
  })
}

/** Everything that the main job needs, checked against the document. */
async function mainJob(): Promise<string[]> {
  const headers = { 'content-type': 'application/json' }
  const id = await app.submit('any', { body: '{"x":1}', headers })
  const events = (await app.readEvents(id)).map(({ event }) => event)
  expect((await app.fetch(`/jobs/${id}/status`)).status).toBe(200)
  expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(409)
  return events
}

describe('beside the middleware of an application', () => {
  it('works behind helmet, cors, compression and body parsers together [K64]', async () => {
    await start((host) => host.use(helmet(), cors(), compression(), express.json(), express.urlencoded()))
    expect((await mainJob()).at(-1)).toBe('complete')
  })

  it('shows the first event at once and heartbeats on time under compression [K64 K55]', async () => {
    await start((host) => host.use(compression()))
    const id = await app.submit('slow')
    const socket = open(app.url)
    const began = performance.now()
    socket.write(`GET /jobs/${id}/events HTTP/1.1\r\nHost: a.example\r\nAccept-Encoding: gzip\r\n\r\n`)
    let text = ''
    let first: number | undefined
    const beats: number[] = []
    await new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1')
        if (text.includes('event: status')) first ??= performance.now() - began
        if (bytes.toString('latin1').includes(':\n\n')) beats.push(performance.now())
        if (beats.length === 4) resolve()
      })
    })
    socket.destroy()
    expect(text).not.toMatch(/content-encoding/i)
    expect(first).toBeLessThan(1_000)
    for (const [index, at] of beats.slice(1).entries()) expect(at - (beats[index] as number)).toBeLessThan(600)
  })

  it('lets compression have the other answers', async () => {
    await start((host) => host.use(compression({ threshold: 0 })))
    const response = await app.fetch('/jobs/noop', { method: 'POST', headers: { 'accept-encoding': 'gzip' } })
    expect(response.status).toBe(202)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.json()).toMatchObject({ outcome: 'created' })
  })

  it("never takes what the application's parser refuses for a submit", async () => {
    await start((host) => host.use(express.json({ limit: '1kb' })))
    const headers = { 'content-type': 'application/json' }
    const malformed = await fetch(`${app.url}/jobs/any`, { method: 'POST', headers, body: '{' })
    expect(malformed.status).toBe(400)
    const long = await fetch(`${app.url}/jobs/any`, {
      method: 'POST',
      headers,
      body: JSON.stringify('x'.repeat(2_000)),
    })
    expect(long.status).toBe(413)
  })
})

describe('across origins [K61]', () => {
  const exposedHeaders = ['Location', 'Retry-After', 'ETag']
  /** What a page of another origin may read beside these. */
  const safelisted = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'pragma']
  const origin = 'https://app.example'

  it('a page can read Location, Retry-After, ETag and Expires when cors() exposes three of them', async () => {
    await start((host) => host.use(cors({ origin, exposedHeaders })))
    const accepted = await app.fetch('/jobs/noop', { method: 'POST', headers: { origin } })
    const { jobId } = (await accepted.json()) as { jobId: string }
    await app.ended(jobId)
    const status = await app.fetch(`/jobs/${jobId}/status`, { headers: { origin } })
    for (const [response, names] of [
      [accepted, ['location', 'retry-after']],
      [status, ['etag', 'expires', 'cache-control']],
    ] as const) {
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      const exposed = String(response.headers.get('access-control-expose-headers')).toLowerCase().split(',')
      for (const name of names) {
        expect(response.headers.has(name)).toBe(true)
        expect([...exposed, ...safelisted]).toContain(name)
      }
    }
  })

  it('a preflight is answered for every method and header that the document has', async () => {
    await start((host) => host.use(cors({ origin, exposedHeaders })))
    for (const [method, path] of [
      ['POST', '/jobs/noop'],
      ['DELETE', '/jobs/x'],
      ['GET', '/jobs/x/events'],
    ] as const) {
      const asked = 'content-type,idempotency-key,cache-control,if-none-match,last-event-id'
      const response = await fetch(`${app.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': asked },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toContain(method)
      expect(response.headers.get('access-control-allow-headers')).toBe(asked)
    }
  })

  it('problems and streams carry the same fields', async () => {
    await start((host) => host.use(cors({ origin, exposedHeaders })))
    const problem = await app.fetch('/jobs/nobody', { method: 'POST', headers: { origin } })
    expect(problem.headers.get('access-control-allow-origin')).toBe(origin)
    const id = await app.submit('noop')
    await app.ended(id)
    const events = await app.fetch(`/jobs/${id}/events`, { headers: { origin } })
    expect(events.headers.get('access-control-allow-origin')).toBe(origin)
    await events.body?.cancel()
  })
})

describe('beside a validator of the application', () => {
  const apiSpec = {
    openapi: '3.0.3',
    info: { title: 'orders', version: '1' },
    paths: {
      '/orders/{order}': {
        get: {
          parameters: [{ name: 'order', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: { '200': { description: 'an order' } },
        },
      },
    },
  }
  const withValidator = (host: Express): void => {
    host.use(validator.middleware({ apiSpec: apiSpec as never }))
    host.get('/orders/:order', (_req, res) => void res.json('an order'))
    // Express knows an error handler by its four parameters.
    // oxlint-disable-next-line max-params
    const refuse: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) => {
      res.status(error.status ?? 500).json('refused')
    }
    host.use(refuse)
  }

  it('each validates its own paths, where ours is mounted first', async () => {
    await start(() => {}, withValidator)
    expect((await mainJob()).at(-1)).toBe('complete')
    expect((await app.fetch('/jobs/noop?x=1', { method: 'POST' })).status).toBe(400)
    expect(await (await fetch(`${app.url}/orders/1`)).json()).toBe('an order')
    expect((await fetch(`${app.url}/orders/one`)).status).toBe(400)
    expect((await fetch(`${app.url}/orders/1?x=1`)).status).toBe(400)
    expect((await fetch(`${app.url}/nothing`)).status).toBe(404)
  })
})

import express, { type Express } from 'express'
import express4 from 'express4'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AsyncJobs, createAsyncJobs, defineHandler } from '../../../server/index.ts'
import { client, silent, startApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { sendRaw } from '../../support/raw-http.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.drop()
})

const handlers = [defineHandler({ type: 'noop', handle: () => {} })]

/** Starts an application that mounts the router in its own way. */
async function serve(mount: (app: Express, router: AsyncJobs['router']) => void, newApp = express) {
  const options = { pool: database.pool(), handlers, newApp, mount: '/unused' }
  const made: AsyncJobs = createAsyncJobs({ pool: options.pool, handlers, ...(silent && { logger: silent }) })
  await made.start()
  const app = await startApp({ ...options, after: (host) => mount(host, made.router) })
  const close = async (): Promise<void> => {
    await made.stop({ graceMs: 0 })
    await app.close()
  }
  return { origin: app.url.replace('/unused', ''), close }
}

/** Runs the main job below a URL, as a client would that follows the answer. @returns how the job ended. */
async function mainJob(url: string): Promise<unknown> {
  const at = client(url)
  const accepted = await at.fetch('/jobs/noop', { method: 'POST' })
  const { jobId, statusUrl, eventsUrl } = (await accepted.json()) as Record<string, string>
  expect(accepted.headers.get('location')).toBe(`${url}/jobs/${jobId}/status`)
  expect([statusUrl, eventsUrl]).toEqual([`${url}/jobs/${jobId}/status`, `${url}/jobs/${jobId}/events`])
  const { status } = await at.ended(jobId as string)
  expect((await fetch(statusUrl as string)).status).toBe(200)
  // What is validated at the root is validated here.
  expect((await at.fetch('/jobs/no%20type', { method: 'POST' })).status).toBe(400)
  expect((await at.fetch(`/jobs/${jobId}/status?x=1`)).status).toBe(400)
  expect((await at.fetch('/jobs/x/status')).status).toBe(404)
  expect((await at.fetch('/jobs/%/status')).status).toBe(400)
  expect((await at.fetch('/jobs/noop/', { method: 'POST' })).status).toBe(404)
  expect((await at.fetch('/Jobs/noop', { method: 'POST' })).status).toBe(404)
  expect((await at.fetch(`/jobs/${jobId}/status`, { method: 'PUT' })).status).toBe(405)
  const body = { body: '{', headers: { 'content-type': 'application/json' } }
  expect((await at.fetch('/jobs/noop', { method: 'POST', ...body })).status).toBe(400)
  return status
}

const expresses = [
  ['Express 5', express],
  ['Express 4', express4],
] as const

describe.each(expresses)('%s', (_name, newApp) => {
  it.each(['/', '/api/v1', '/a.b', '/API', '/with-dash_and~tilde'])(
    'serves the router at %s, validates there and names it in the URLs [K50 K54]',
    async (mount) => {
      const app = await startApp({ pool: database.pool(), handlers, newApp, mount })
      expect(await mainJob(app.url)).toBe('COMPLETED')
      await app.close()
    },
  )

  it('serves it in nested routers and nested applications [K50]', async () => {
    const { origin, close } = await serve((app, router) => {
      const inner = newApp.Router()
      inner.use('/v1', router)
      app.use('/api', inner)
      const sub = newApp()
      sub.use('/deep', router)
      app.use('/sub', sub)
    }, newApp)
    expect(await mainJob(`${origin}/api/v1`)).toBe('COMPLETED')
    expect(await mainJob(`${origin}/sub/deep`)).toBe('COMPLETED')
    await close()
  })

  it('serves it below a parameter, with what the client wrote there in the URLs [K50]', async () => {
    const { origin, close } = await serve((app, router) => app.use('/t/:tenant', router), newApp)
    expect(await mainJob(`${origin}/t/acme`)).toBe('COMPLETED')
    expect(await mainJob(`${origin}/t/a%20b`)).toBe('COMPLETED')
    const odd = await sendRaw(origin, 'POST /t/a"<b>/jobs/noop HTTP/1.1\r\nHost: a.example\r\n\r\n')
    odd.socket.destroy()
    expect(odd.status).toBe(202)
    expect(odd.headers.get('location')).toMatch(/^http:\/\/a\.example\/t\/a%22%3cb%3e\/jobs\/[0-9a-f-]{36}\/status$/)
    await close()
  })

  it('serves two mounts of one router', async () => {
    const { origin, close } = await serve((app, router) => app.use(['/a', '/b'], router), newApp)
    expect(await mainJob(`${origin}/a`)).toBe('COMPLETED')
    expect(await mainJob(`${origin}/b`)).toBe('COMPLETED')
    await close()
  })

  it('keeps its own paths beside the router, with their bodies untouched [K54]', async () => {
    const app = await startApp({
      pool: database.pool(),
      handlers,
      newApp,
      after: (host) => {
        host.post('/orders', newApp.text({ type: '*/*' }), (req, res) => {
          res.json({ type: req.headers['content-type'], body: req.body as unknown })
        })
        host.get('/jobsearch', (_req, res) => void res.json('mine'))
      },
    })
    const headers = { 'content-type': 'text/csv' }
    const orders = await fetch(`${app.url}/orders?x=1`, { method: 'POST', headers, body: 'a,b' })
    expect(await orders.json()).toEqual({ type: 'text/csv', body: 'a,b' })
    expect(await (await fetch(`${app.url}/jobsearch`)).json()).toBe('mine')
    await app.close()
  })
})

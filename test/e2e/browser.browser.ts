import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import cors from 'cors'
import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { quick, startApp, type TestApp } from '../support/app.ts'
import { launchChromium } from '../support/chromium.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { gate } from '../support/gate.ts'

let browser: Browser
let database: TestDatabase
let app: TestApp
let pages: Server
/** Where the page comes from: another origin than the API's. */
let origin: string
/** Requests for events, by job. */
const streams = new Map<string, number>()
/** What came from pages, line by line, and how many streams are open. */
const lines: string[] = []
let open = 0
let maxOpen = 0
/** Whether the service has no stream of many jobs. */
let onlySingle = false
let release = gate()

const importMap = {
  'async-jobs/client': '/dist/client/index.js',
  'eventsource-parser': '/node_modules/eventsource-parser/dist/index.js',
}

beforeAll(async () => {
  browser = await launchChromium()
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    processing: { ...quick.processing, concurrencyLimit: 500 },
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'gated', handle: () => release.promise }),
    ],
    before: (host) => {
      host.use((req, _res, next) => {
        const id = /^\/jobs\/([^/]+)\/events$/.exec(req.path)?.[1]
        if (id !== undefined) streams.set(id, (streams.get(id) ?? 0) + 1)
        next()
      })
      host.use((req, res, next) => {
        if (req.method !== 'OPTIONS') lines.push(`${req.method} ${req.path}`)
        if (!req.path.endsWith('events')) return next()
        maxOpen = Math.max(maxOpen, (open += 1))
        res.once('close', () => (open -= 1))
        next()
      })
      // Nothing is exposed: the page cannot read Location or Retry-After.
      host.use(cors({ origin: true }))
      host.get('/job-events', (_req, res, next) => (onlySingle ? void res.sendStatus(404) : next()))
    },
  })
  const site = express()
  site.get('/', (_req, res) => {
    res.type('html').send(`<script type="importmap">${JSON.stringify({ imports: importMap })}</script>`)
  })
  site.use('/dist', express.static('dist'))
  site.use('/node_modules', express.static('node_modules'))
  pages = createServer(site)
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
})
afterAll(async () => {
  await browser?.close()
  pages?.close()
  await app?.close()
  await database?.drop()
})

describe('in a browser', () => {
  it('a native EventSource on an ended job asks twice at most, and then stops for good [K72]', async () => {
    const id = await app.submit('noop')
    await app.ended(id)
    streams.delete(id)
    const page = await browser.newPage()
    await page.goto(origin)
    // 2 is CLOSED: the 204 of the second request says that there is nothing to come back for.
    const seen = await page.evaluate(
      (url) =>
        new Promise<{ events: number; state: number }>((resolve) => {
          const source = new EventSource(url)
          let events = 0
          source.addEventListener('complete', () => (events += 1))
          source.addEventListener('error', () => {
            if (source.readyState === EventSource.CLOSED) resolve({ events, state: source.readyState })
          })
        }),
      `${app.url}/jobs/${id}/events`,
    )
    expect(seen).toEqual({ events: 1, state: 2 })
    expect(streams.get(id)).toBe(2)
    await page.close()
  })

  it('the client works on another origin whose header fields are hidden [K61]', async () => {
    const page = await browser.newPage()
    await page.goto(origin)
    // As text, because the import is the page's to resolve.
    const job: unknown = await page.evaluate(`(async () => {
      const { createClient } = await import('async-jobs/client')
      const hidden = await fetch('${app.url}/jobs/noop', { method: 'POST' })
      const { status } = await createClient({ baseUrl: '${app.url}' }).submit('noop').waitForCompletion()
      return { status, location: hidden.headers.get('location'), retryAfter: hidden.headers.get('retry-after') }
    })()`)
    expect(job).toEqual({ status: 'COMPLETED', location: null, retryAfter: null })
    await page.close()
  })

  it('200 waits of a page over HTTP/1.1 hold one connection, and leave its other requests alone [K93]', async () => {
    ;[release, onlySingle] = [gate(), false]
    const page = await browser.newPage()
    await page.goto(origin)
    await page.evaluate(begin(200))
    await expect.poll(() => open, { timeout: 10_000 }).toBe(1)
    const asked = await page.evaluate(askStatus())
    expect(asked).toMatchObject({ status: 200 })
    expect((asked as { ms: number }).ms).toBeLessThan(1_000)
    await expect.poll(() => open).toBe(1)
    release.open()
    expect(await page.evaluate('outcomes')).toEqual({ COMPLETED: 200 })
    await expect.poll(() => open).toBe(0)
    await page.close()
  })

  it('10 waits on a service without that stream open four, and a status call is answered within a second [K93]', async () => {
    ;[release, onlySingle] = [gate(), true]
    const page = await browser.newPage()
    await page.goto(origin)
    await page.evaluate(begin(10))
    await expect.poll(() => open).toBe(4)
    maxOpen = 0
    const asked = await page.evaluate(askStatus())
    expect((asked as { ms: number }).ms).toBeLessThan(1_000)
    release.open()
    expect(await page.evaluate('outcomes')).toEqual({ COMPLETED: 10 })
    expect(maxOpen).toBeLessThanOrEqual(4)
    onlySingle = false
    await page.close()
  })

  it('a tab that is hidden and shown ten times sends nothing again, and its wait ends [K87]', async () => {
    release = gate()
    const page = await browser.newPage()
    await page.goto(origin)
    lines.length = 0
    await page.evaluate(begin(1))
    await expect.poll(() => open).toBe(1)
    for (let time = 0; time < 10; time += 1) {
      const other = await browser.newPage()
      await other.bringToFront()
      await page.bringToFront()
      await other.close()
      await page.evaluate(`for (const state of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    }
    release.open()
    expect(await page.evaluate('outcomes')).toEqual({ COMPLETED: 1 })
    expect(lines.map((line) => line.replace(/[0-9a-f-]{36}/, '{job}'))).toEqual([
      'POST /jobs/gated',
      'GET /job-events',
      'GET /jobs/{job}/status',
    ])
    await page.close()
  })

  it('a native EventSource on the stream of many jobs stops for good after its end [K72]', async () => {
    const ids = await Promise.all([app.submit('noop'), app.submit('noop')])
    const page = await browser.newPage()
    await page.goto(origin)
    const seen = await page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const source = new EventSource(url)
          const events: string[] = []
          for (const name of ['complete', 'end']) source.addEventListener(name, () => events.push(name))
          source.addEventListener('error', () => {
            if (source.readyState === EventSource.CLOSED) resolve(events)
          })
        }),
      `${app.url}/job-events?job=${ids.join(',')}`,
    )
    expect(seen).toEqual(['complete', 'complete', 'end'])
    await page.close()
  })
})

/** Lets a page submit and wait for so many jobs; `outcomes` is how they ended. */
function begin(jobs: number): string {
  return `(async () => {
    const { createClient } = await import('async-jobs/client')
    globalThis.client = createClient({ baseUrl: '${app.url}' })
    globalThis.outcomes = Promise.all(
      Array.from({ length: ${jobs} }, () => client.submit('gated').waitForCompletion()),
    ).then((ended) => {
      const counts = {}
      for (const { status } of ended) counts[status] = (counts[status] ?? 0) + 1
      return counts
    })
  })()`
}

/** Lets the page ask for a status beside its waits. */
function askStatus(): string {
  return `(async () => {
    const { jobId } = await client.submit('noop')
    const from = performance.now()
    const response = await fetch('${app.url}/jobs/' + jobId + '/status')
    return { status: response.status, ms: performance.now() - from }
  })()`
}

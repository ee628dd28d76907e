import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import cors from 'cors'
import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { launchChromium } from '../support/chromium.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let browser: Browser
let database: TestDatabase
let app: TestApp
let pages: Server
/** Where the page comes from: another origin than the API's. */
let origin: string
/** Requests for events, by job. */
const streams = new Map<string, number>()

const importMap = {
  'async-jobs/client': '/dist/client/index.js',
  'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
  'eventsource-parser': '/node_modules/eventsource-parser/dist/index.js',
}

beforeAll(async () => {
  browser = await launchChromium()
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    handlers: [defineHandler({ type: 'noop', handle: () => {} })],
    before: (host) => {
      host.use((req, _res, next) => {
        const id = /^\/jobs\/([^/]+)\/events$/.exec(req.path)?.[1]
        if (id !== undefined) streams.set(id, (streams.get(id) ?? 0) + 1)
        next()
      })
      // Nothing is exposed: the page cannot read Location or Retry-After.
      host.use(cors({ origin: true }))
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
})

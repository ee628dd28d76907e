import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import application from '../../examples/accounts/app.ts'
import { type AccountsSummary, prepareAccounts } from '../../examples/accounts/accounts.ts'
import { type AsyncJobs, createAsyncJobs } from '../../server/index.ts'
import { client, quick, silent } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

interface RunningExample extends ReturnType<typeof client> {
  readonly url: string
  readonly asyncJobs: AsyncJobs
  summary(): Promise<AccountsSummary>
  close(): Promise<void>
}

let database: TestDatabase
const running: RunningExample[] = []

/** Starts the application as the runnable server does. */
async function startExample(): Promise<RunningExample> {
  const pool = database.pool()
  const { handlers, prepare, routes, settings } = application
  await prepare?.({ pool })
  const asyncJobs = createAsyncJobs({
    ...settings,
    ...quick,
    pool,
    handlers: typeof handlers === 'function' ? handlers({ pool }) : handlers,
    logger: silent,
  })
  const app = express()
  routes?.(app, { pool, asyncJobs, log: silent })
  app.use(asyncJobs.router)
  const server: Server = createServer(app)
  await asyncJobs.start()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const example: RunningExample = {
    ...client(url),
    url,
    asyncJobs,
    summary: async () => (await (await fetch(`${url}/accounts/summary`)).json()) as AccountsSummary,
    close: async () => {
      await asyncJobs.stop({ graceMs: 0 })
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  running.push(example)
  return example
}

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((example) => example.close()))
  await database?.drop()
})

describe('the accounts example', () => {
  it('makes the same 50,000 accounts once, also when processes start together', async () => {
    const pool = database.pool()
    await Promise.all([prepareAccounts(pool), prepareAccounts(pool), prepareAccounts(pool)])
    const { rows } = await database.query(
      `SELECT count(*)::integer AS total, sum(balance_cents)::text AS cents, sum(overdrafts)::integer AS overdrafts,
              count(DISTINCT last_movement_at)::integer AS days
         FROM example_accounts`,
    )
    expect(rows).toEqual([{ total: 50_000, cents: '34997098536', overdrafts: 125_004, days: 400 }])
  })

  it(
    'evaluates every account with progress, and gives the same after a stop in mid-job',
    { timeout: 60_000 },
    async () => {
      const first = await startExample()
      const before = await first.summary()
      expect(before).toEqual({ total: 50_000, ratings: { A: 0, B: 0, C: 0 }, unrated: 50_000, evaluatedAt: null })

      const events = await first.readEvents(await first.submit('accounts'))
      const percents = events.flatMap(({ data }) =>
        typeof data['percentComplete'] === 'number' ? [data['percentComplete']] : [],
      )
      expect(events.at(-1)).toMatchObject({ event: 'complete' })
      expect(percents.length).toBeGreaterThan(10)
      expect(percents).toEqual(percents.toSorted((a, b) => a - b))
      const after = await first.summary()
      expect(after).toMatchObject({ total: 50_000, unrated: 0, ratings: { A: 12_815, B: 33_443, C: 3_742 } })

      await database.query('UPDATE example_accounts SET rating = NULL, evaluated_at = NULL')
      const again = await first.submit('accounts')
      for await (const { data } of first.stream(again)) if (Number(data['percentComplete']) >= 20) break
      await first.close()
      const second = await startExample()
      expect(await second.ended(again)).toMatchObject({ status: 'COMPLETED', percentComplete: 100 })
      expect(await second.summary()).toEqual({ ...after, evaluatedAt: expect.any(String) })
    },
  )

  it('fails in its own words', async () => {
    const example = await startExample()
    expect(await example.ended(await example.submit('fails'))).toMatchObject({
      title: 'The bank statement cannot be read',
      detail: expect.stringContaining('statement.csv'),
      failureCode: 'statement-unreadable',
      jobStatus: 'FAILED',
    })
  })

  it('is cancelled in mid-sleep, and ends what has nothing to do', async () => {
    const example = await startExample()
    const slow = await example.submit('slow')
    for await (const { data } of example.stream(slow)) if (Number(data['percentComplete']) > 0) break
    expect((await example.fetch(`/jobs/${slow}`, { method: 'DELETE' })).status).toBe(202)
    expect(await example.ended(slow)).toMatchObject({ status: 'CANCELLED' })
    await expect(example.asyncJobs.stop({ graceMs: 100 })).resolves.toBeUndefined()
  })

  it('serves a page whose import map names files that exist', async () => {
    const { url } = await startExample()
    const page = await fetch(url)
    const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(await page.text())?.[1] ?? ''
    const { imports } = JSON.parse(importMap) as { imports: Record<string, string> }
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const found = await Promise.all(Object.values(imports).map((path) => fetch(url + path)))
    expect(found.map(({ status }) => status)).toEqual(Object.keys(imports).map(() => 200))
  })

  it('says so when the accounts cannot be read', async () => {
    const { url } = await startExample()
    await database.query('DROP TABLE example_accounts')
    const response = await fetch(`${url}/accounts/summary`)
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })
})

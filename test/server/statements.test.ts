import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { sqlState } from '../../server/store/database.ts'
import { StatementTexts } from '../../server/store/statement.ts'
import type { TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { gate } from '../support/gate.ts'

let database: TestDatabase

/** The statements by their text: behind a pooler they are sent without their names. */
const names = new Map<string, string>()

beforeAll(async () => {
  const of: StatementTexts['of'] = Reflect.get(StatementTexts.prototype, 'of')
  vi.spyOn(StatementTexts.prototype, 'of').mockImplementation(function (this: StatementTexts, statement) {
    const sent = of.call(this, statement)
    names.set(sent.text, statement.name)
    return sent
  })
  database = await createTestDatabase()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await database?.drop()
})

/** Nothing but what a test causes: no polls, no scans, no heartbeats, no hints while it counts. */
const still = {
  hints: { enabled: false },
  recovery: { enabled: false },
  processing: { pollInterval: 'PT1H', lease: 'PT3H' },
  sse: { pollInterval: 'PT1H', heartbeat: 'PT1H' },
}

/** A pool that counts the statements that it is given and the database runs, by name. */
class CountingPool extends pg.Pool {
  readonly counts = new Map<string, number>()

  constructor(url: string) {
    super({ connectionString: url, max: 6, connectionTimeoutMillis: 5_000 })
    this.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      client.query = ((...args: unknown[]) => {
        const name = names.get((args[0] as { text: string }).text) ?? 'unknown'
        this.#count(name, 1)
        const result = query(...args)
        // What a pooler refuses for its name has not run, and is sent again.
        result.catch((error: unknown) => ['42P05', '26000'].includes(sqlState(error) ?? '') && this.#count(name, -1))
        return result
      }) as never
    })
  }

  #count(name: string, change: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + change)
  }

  /** The statements that the body causes, without the prefix that all names have. */
  async during(body: () => Promise<unknown>): Promise<Record<string, number>> {
    this.counts.clear()
    await body()
    return Object.fromEntries([...this.counts].map(([name, count]) => [name.replace('async_jobs_', ''), count]))
  }
}

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({ type: 'waits', handle: ({ sleep }) => sleep('PT1H') }),
]

const settled = (app: TestApp, jobs: number): Promise<void> =>
  vi.waitFor(() => expect(app.events.filter(({ name }) => name === 'attempt:end')).toHaveLength(jobs), { interval: 5 })

describe('what a job costs, in statements', () => {
  it('is one insert, one claim and one ending for a single job', async () => {
    const pool = new CountingPool(database.url)
    await withApp(database, { pool, handlers, ...still }, async (app) => {
      await vi.waitFor(() => expect(pool.counts.get('async_jobs_claim')).toBe(1))
      const counts = await pool.during(async () => {
        await app.asyncJobs.submit('noop')
        await settled(app, 1)
      })
      expect(counts).toEqual({ insert_jobs: 1, claim: 1, end: 1 })
    })
    await pool.end()
  })

  it('is shared when many are submitted and end at one moment', async () => {
    const pool = new CountingPool(database.url)
    await withApp(database, { pool, handlers, ...still }, async (app) => {
      const counts = await pool.during(async () => {
        await Promise.all(Array.from({ length: 1_000 }, () => app.asyncJobs.submit('noop')))
        await settled(app, 1_000)
      })
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
      // 1,000 single jobs would cost 3,000.
      expect(counts['insert_jobs']).toBeLessThanOrEqual(10)
      expect(all).toBeLessThan(150)
    })
    await pool.end()
  })

  it('reads many statuses of one moment with one statement', async () => {
    const pool = new CountingPool(database.url)
    await withApp(database, { pool, handlers, ...still }, async (app) => {
      const { jobId } = await app.asyncJobs.submit('noop')
      await settled(app, 1)
      const counts = await pool.during(() =>
        Promise.all(Array.from({ length: 100 }, () => app.asyncJobs.status(jobId))),
      )
      expect(counts).toEqual({ read_jobs: 1 })
    })
    await pool.end()
  })

  it('is one claim per poll interval when there is nothing to do, and one heartbeat per interval', async () => {
    const pool = new CountingPool(database.url)
    const idle = { ...still, processing: { pollInterval: 'PT0.05S', lease: 'PT3H' } }
    await withApp(database, { pool, handlers, ...idle }, async () => {
      await vi.waitFor(() => expect(pool.counts.get('async_jobs_claim')).toBeGreaterThan(2))
      const from = performance.now()
      const counts = await pool.during(() =>
        vi.waitFor(() => expect(pool.counts.get('async_jobs_claim')).toBeGreaterThan(9), { interval: 5 }),
      )
      const polls = (performance.now() - from) / 50
      expect(Object.keys(counts)).toEqual(['claim'])
      expect(counts['claim']).toBeLessThanOrEqual(Math.ceil(polls) + 1)
    })
    await pool.end()
  })

  it('is one read per tick for any number of open streams, and none when none is open [G13]', async () => {
    const pool = new CountingPool(database.url)
    const ticking = {
      ...still,
      sse: { pollInterval: 'PT0.1S', heartbeat: 'PT1H' },
      processing: { ...still.processing, enabled: false },
    }
    await withApp(database, { pool, handlers, ...ticking }, async (app) => {
      const { jobId } = await app.asyncJobs.submit('waits')
      const reads = (): number => pool.counts.get('async_jobs_read_changes') ?? 0
      const ticks = async (): Promise<number> => {
        pool.counts.clear()
        const from = performance.now()
        await vi.waitFor(() => expect(reads()).toBeGreaterThanOrEqual(8), { timeout: 10_000, interval: 5 })
        return reads() / ((performance.now() - from) / 100)
      }
      const first = gate()
      const abort = new AbortController()
      const open = async (): Promise<void> => {
        for await (const _event of app.stream(jobId, { signal: abort.signal })) first.open()
      }
      const streams = [open().catch(() => {})]
      await first.promise
      const one = await ticks()
      streams.push(...Array.from({ length: 200 }, () => open().catch(() => {})))
      const many = await ticks()
      expect(one).toBeLessThan(1.5)
      expect(many).toBeLessThan(1.5)
      abort.abort()
      await Promise.all(streams)
      await vi.waitFor(async () => {
        pool.counts.clear()
        await new Promise((resolve) => setTimeout(resolve, 250))
        expect(reads()).toBe(0)
      })
    })
    await pool.end()
  })
})

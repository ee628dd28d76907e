import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { Database } from '../../server/store/database.ts'
import { quick } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { openStore, newJob } from '../support/store.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({ type: 'brief', retry: { maxAttempts: 5 }, handle: ({ sleep }) => sleep(20) }),
]

/** Ends every other session of the database, as a restart or a failover does. */
const cutSessions = (): Promise<unknown> =>
  database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )

describe('when the database falters', () => {
  it('lives through 20 cuts of every session under load, with at most 503, and finishes every job [K34]', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 5 })
    await withApp(database, { pool, handlers }, async (app) => {
      const accepted: string[] = []
      const done = new AbortController()
      const load = async (): Promise<void> => {
        while (!done.signal.aborted) {
          const response = await app.fetch('/jobs/brief', { method: 'POST' })
          expect([202, 503]).toContain(response.status)
          if (response.status === 202) accepted.push(((await response.json()) as { jobId: string }).jobId)
          else await response.text()
        }
      }
      const loads = [load(), load(), load()]
      for (let cut = 0; cut < 20; cut += 1) {
        const until = accepted.length + 5
        await cutSessions()
        await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(until), { timeout: 5_000 })
      }
      done.abort()
      await Promise.all(loads)
      await vi.waitFor(
        async () => {
          const { rows } = await database.query(
            `SELECT count(*)::int AS open FROM async_jobs WHERE status IN ('PENDING', 'PROCESSING') AND type = 'brief'`,
          )
          expect(rows).toEqual([{ open: 0 }])
        },
        { timeout: 15_000, interval: 100 },
      )
      const { rows } = await database.query(
        `SELECT status, count(*)::int AS n FROM async_jobs WHERE type = 'brief' GROUP BY status`,
      )
      expect(rows).toEqual([{ status: 'COMPLETED', n: accepted.length }])
    })
    await pool.end()
  }, 60_000)

  it('settles every call when the network falls silent, and recovers when it heals [K35 G11]', async () => {
    const { hostname: host, port, username: user, password, pathname } = new URL(database.url)
    const proxy = await startTcpProxy({ host, port: Number(port) })
    const pool = new pg.Pool({
      host: '127.0.0.1',
      port: proxy.port,
      user,
      password,
      database: pathname.slice(1),
      max: 3,
      connectionTimeoutMillis: 500,
    })
    pool.on('error', () => {})
    const store = openStore(pool, { acquireTimeoutMs: 300, queryTimeoutMs: 500 })
    await store.submit(newJob('noop'))
    proxy.blackHole()
    const from = performance.now()
    // Every kind of call, so that each connection of the pool meets the silence.
    const calls = await Promise.allSettled(
      Array.from({ length: 8 }, () => [store.submit(newJob('noop')), store.cancel(null, newJob('noop').id)]).flat(),
    )
    for (const call of calls)
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'database-unavailable' } })
    expect(performance.now() - from).toBeLessThan(5_000)
    proxy.heal()
    await vi.waitFor(() => store.submit(newJob('noop')), { timeout: 10_000 })
    await proxy.close()
    await pool.end().catch(() => {})
  })

  it('answers 503 with Retry-After when no connection is free in time, and never hangs', async () => {
    const pool = database.pool({ max: 1 })
    const held = await pool.connect()
    const waiting = new Database(pool, { acquireTimeoutMs: 100 }).run({ name: 'one', text: 'SELECT 1' }, [])
    await expect(waiting).rejects.toMatchObject({ code: 'database-unavailable' })
    held.release()
    await expect(new Database(pool).run({ name: 'one', text: 'SELECT 1 AS n' }, [])).resolves.toEqual([{ n: 1 }])
  })

  it('does all of its work over a single connection [K37]', async () => {
    const pool = database.pool({ max: 1 })
    await withApp(database, { pool, handlers, ...quick }, async (app) => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => app.submit('noop')))
      const ended = await Promise.all(ids.map((id) => app.ended(id)))
      expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
    })
  })
})

import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../../server/store/database.ts'
import type { Store } from '../../../server/store/port.ts'
import { postgresStore } from '../../../server/store/postgres-store.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, newJob, newWorker, openStore } from '../../support/store.ts'

let database: TestDatabase
let pool: pg.Pool
let store: Store
let workerId: string

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool()
  store = openStore(pool)
  workerId = await newWorker(store)
})
afterAll(() => database?.drop())
beforeEach(() => database.query('TRUNCATE async_jobs CASCADE'))

async function fill(type: string, count: number): Promise<void> {
  await database.query(
    `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at)
     SELECT gen_random_uuid(), $1, now() - interval '1 hour' + n * interval '1 millisecond', now(), now()
     FROM generate_series(1, $2::integer) n`,
    [type, count],
  )
}

/** Does work in one transaction with these settings: behind a pooler no session keeps them. */
async function inTransaction<Result>(settings: string, work: (planned: Store) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  const held = new Proxy(client, {
    get: (target, name) => (name === 'release' ? () => {} : (target[name as keyof pg.PoolClient] as unknown)),
  })
  const connect = (done: (error: undefined, client: pg.PoolClient) => void): void => done(undefined, held)
  const inside = new Database({ connect } as unknown as pg.Pool)
  // A statement that is refused for its name would end the transaction.
  inside.stopPreparing()
  await client.query(`BEGIN; ${settings}`)
  try {
    return await work(postgresStore(inside))
  } finally {
    await client.query('COMMIT')
    client.release()
  }
}

describe('claiming', () => {
  it('never takes more than it asks for, whatever plan the database chooses [K17]', async () => {
    await fill('deep', 2_000)
    await database.query('ANALYZE async_jobs')
    const switches = ['hashjoin', 'mergejoin', 'material', 'memoize', 'sort', 'indexscan', 'bitmapscan', 'hashagg']
    const shares = [{ type: 'deep', priority: 1, limit: 1, floor: null }]
    for (let mask = 0; mask < 2 ** switches.length; mask += 5) {
      const set = switches.map((name, bit) => `SET LOCAL enable_${name} = ${mask & (1 << bit) ? 'off' : 'on'}`)
      const { claimed } = await inTransaction(set.join(';'), (planned) =>
        planned.cycle([], { workerId, shares, total: 1, fireAndForget: [] }),
      )
      expect(claimed.length).toBeLessThanOrEqual(1)
    }
  })

  it('takes the oldest of each type up to its own share, so that a deep type starves no other [K20]', async () => {
    await fill('deep', 500)
    await fill('other', 1)
    const shares = ['deep', 'other'].map((type) => ({ type, priority: 1, limit: 3, floor: null }))
    const { claimed } = await store.cycle([], { workerId, shares, total: 4, fireAndForget: [] })
    expect(claimed.map(({ type }) => type).sort()).toEqual(['deep', 'deep', 'deep', 'other'])
  })

  it('hands no job to two claims that run at once', async () => {
    await fill('shared', 300)
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => claim(store, { type: 'shared', workerId, total: 100 })),
    )
    const ids = claims.flat().map(({ id }) => id)
    expect(ids).toHaveLength(300)
    expect(new Set(ids).size).toBe(300)
  })

  it('leaves alone what is due in 30 days [K33]', async () => {
    await store.submit(newJob('later'))
    await database.query(`UPDATE async_jobs SET run_at = now() + interval '30 days'`)
    expect(await claim(store, { type: 'later', workerId })).toEqual([])
  })

  it('looks below its floor only when it sweeps', async () => {
    await fill('old', 1)
    const shares = [{ type: 'old', priority: 1, limit: 1, floor: new Date() }]
    const floored = await store.cycle([], { workerId, shares, total: 1, fireAndForget: [] })
    expect(floored.claimed).toEqual([])
    expect(await claim(store, { type: 'old', workerId })).toHaveLength(1)
  })

  it('counts the attempt, grows the fencing token and hands over the input', async () => {
    await store.submit(newJob('typed', { input: '{"month":"2026-11"}' }))
    const [job] = await claim(store, { type: 'typed', workerId })
    expect(job).toMatchObject({ attempt: 1, fencingToken: 1, version: 2, input: { month: '2026-11' } })
  })

  it('gives jobs of reporters no worker', async () => {
    await store.submit(newJob('reported'))
    const shares = [{ type: 'reported', priority: 1, limit: 1, floor: null }]
    await store.cycle([], { workerId, shares, total: 1, fireAndForget: ['reported'] })
    const { rows } = await database.query('SELECT status, worker_id FROM async_jobs')
    expect(rows).toEqual([{ status: 'PROCESSING', worker_id: null }])
  })
})

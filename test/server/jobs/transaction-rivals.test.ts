import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'

let database: TestDatabase
let app: TestApp
let pool: pg.Pool

const still = { processing: { enabled: false }, hints: { enabled: false } } as const
const handlers = [
  defineHandler<unknown>({ type: 'mail', inputSchema: {}, handle: () => {} }),
  defineHandler({ type: 'alone', coalesce: 'join', handle: () => {} }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool()
  app = await startApp({ pool, handlers, ...still })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

type Level = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE'
const strict: readonly Level[] = ['REPEATABLE READ', 'SERIALIZABLE']

/** Runs a body in a transaction that has its snapshot already. */
async function within<T>(
  [from, level, end = 'COMMIT']: readonly [pg.Pool, Level, ('COMMIT' | 'ROLLBACK')?],
  body: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await from.connect()
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${level}`)
    await client.query('SELECT 1')
    const result = await body(client)
    expect((await client.query(end)).command).toBe(end)
    return result
  } finally {
    client.release()
  }
}

async function keys(prefix: string): Promise<number> {
  return (await database.query('SELECT FROM async_job_keys WHERE starts_with(key, $1)', [prefix])).rowCount ?? 0
}

describe('a submit in the caller’s transaction, beside others', () => {
  it('needs no second connection to count the jobs that wait, its own among them [K37 G3]', async () => {
    const single = database.pool({ max: 1 })
    const types = [defineHandler({ type: 'bounded', handle: () => {} })]
    const options = { handlers: types, pool: single, ...still, processing: { enabled: false, maxPending: 2 } }
    await withApp(database, options, async ({ asyncJobs }) => {
      await within([single, 'READ COMMITTED'], async (tx) => {
        for (let n = 0; n < 2; n += 1) expect((await asyncJobs.submit('bounded', { tx })).outcome).toBe('created')
        await expect(asyncJobs.submit('bounded', { tx })).rejects.toMatchObject({ code: 'queue-full' })
      })
    })
  })

  it.each(strict)('leaves no key behind when it is rolled back, in %s [G3 K41]', async (level) => {
    const idempotencyKey = `unbound-${level.replace(' ', '-')}`
    let flying = ''
    await within([pool, level, 'ROLLBACK'], async (tx) => {
      flying = (await app.asyncJobs.submit('alone')).jobId
      // Its key would be bound to a job that the transaction cannot see.
      await expect(app.asyncJobs.submit('alone', { tx, idempotencyKey })).rejects.toMatchObject({ code: '40001' })
      await tx.query('SELECT 1')
    })
    expect(await keys(idempotencyKey)).toBe(0)
    await within([pool, level], async (tx) => {
      const again = await app.asyncJobs.submit('alone', { tx, idempotencyKey })
      expect(again).toMatchObject({ outcome: 'in-flight', jobId: flying })
    })
    expect(await keys(idempotencyKey)).toBe(1)
    await app.asyncJobs.cancel(flying)
  })

  it.each(['READ COMMITTED', ...strict] as const)(
    'takes its turn with the others on one client, in %s [K40]',
    async (level) => {
      const key = (n: number): string => `turn-${level.replace(' ', '-')}-${n}`
      const submit = (n: number, tx?: pg.PoolClient): Promise<string> =>
        app.asyncJobs
          .submit('mail', { ...(tx === undefined ? {} : { tx }), input: n, idempotencyKey: key(n) })
          .then(({ outcome }) => outcome)
      await within([pool, level], async (tx) => {
        await submit(0)
        const all = await Promise.all([0, 1, 2, 0].map((n) => submit(n, tx)))
        expect(all).toEqual(['idempotent', 'created', 'created', 'idempotent'])
      })
      expect(await keys(key(0).slice(0, -1))).toBe(3)
    },
  )

  it('is told of a deadlock at once, with its transaction usable, while the other one goes on [K40]', async () => {
    const submit = (tx: pg.PoolClient, idempotencyKey: string): Promise<unknown> =>
      app.asyncJobs.submit('mail', { tx, input: 1, idempotencyKey })
    const [one, two] = await Promise.all([pool.connect(), pool.connect()])
    for (const client of [one, two]) await client.query('BEGIN')
    await submit(one, 'deadlock-1')
    await submit(two, 'deadlock-2')
    const from = performance.now()
    // The one that is chosen gives its keys back, and the other one has them.
    const end = async (tx: pg.PoolClient, key: string): Promise<string> => {
      try {
        await submit(tx, key)
        await tx.query('COMMIT')
        return 'committed'
      } catch (error) {
        await tx.query('SELECT 1')
        await tx.query('ROLLBACK')
        return (error as { code: string }).code
      }
    }
    const ends = await Promise.all([end(one, 'deadlock-2'), end(two, 'deadlock-1')])
    expect(ends.toSorted()).toEqual(['40P01', 'committed'])
    expect(performance.now() - from).toBeLessThan(4_000)
    expect(await keys('deadlock')).toBe(2)
    for (const client of [one, two]) client.release()
  })

  it('says what is wrong with a client outside of any transaction, and with a pool', async () => {
    const client = await pool.connect()
    await expect(app.asyncJobs.submit('mail', { tx: client, input: 1 })).rejects.toThrow(/inside of a transaction/)
    client.release()
    await expect(app.asyncJobs.submit('mail', { tx: pool, input: 1 })).rejects.toThrow(/inside of a transaction/)
  })
})

describe('the commit of a pg client', () => {
  it('wakes executors, and nothing before it does [G3]', async () => {
    const types = [defineHandler({ type: 'woken', handle: () => {} })]
    const processing = { pollInterval: 'PT1H', lease: 'PT3H' } as const
    await withApp(database, { handlers: types, processing }, async (running) => {
      const jobId = await within([pool, 'READ COMMITTED'], async (tx) => {
        const submission = await running.asyncJobs.submit('woken', { tx })
        await tx.query('SELECT 1')
        expect(running.events.some(({ name }) => name === 'attempt:start')).toBe(false)
        return submission.jobId
      })
      await running.seen('attempt:end', (event) => event.jobId === jobId)
    })
  })

  it('leaves no listener on the client, however many submits it had', async () => {
    const client = await pool.connect()
    const before = client.listenerCount('drain')
    for (const end of ['COMMIT', 'ROLLBACK']) {
      await client.query('BEGIN')
      for (let n = 0; n < 20; n += 1) await app.asyncJobs.submit('mail', { tx: client, input: n })
      expect(client.listenerCount('drain')).toBe(before + 1)
      await client.query(end)
      expect(client.listenerCount('drain')).toBe(before)
    }
    client.release()
  })
})

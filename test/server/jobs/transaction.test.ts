import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AsyncJobs, defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'

let database: TestDatabase
let app: TestApp
let pool: pg.Pool

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({ type: 'alone', coalesce: 'join', handle: ({ sleep }) => sleep('PT1M') }),
  defineHandler({ type: 'jealous', coalesce: 'reject', handle: ({ sleep }) => sleep('PT1M') }),
]
// Nothing runs here, so that jobs stay where a submit has put them.
const still = { handlers, processing: { enabled: false } }

beforeAll(async () => {
  database = await createTestDatabase()
  await database.query('CREATE TABLE orders (name text PRIMARY KEY)')
  pool = database.pool()
  app = await startApp({ pool, ...still })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

type Level = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE'
const levels: Level[] = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

/** Runs a body in a transaction of a client of its own. */
async function within<T>(level: Level, body: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${level}`)
    const result = await body(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

const order = (client: pg.PoolClient, name: string): Promise<unknown> =>
  client.query('INSERT INTO orders VALUES ($1)', [name])

async function orders(): Promise<string[]> {
  const { rows } = await database.query('SELECT name FROM orders ORDER BY name')
  return (rows as { name: string }[]).map(({ name }) => name)
}

let names = 0
const newName = (): string => `n${(names += 1)}`
const submit: AsyncJobs['submit'] = (type, request) => app.asyncJobs.submit(type, request)

describe('a submit in the caller’s transaction', () => {
  it('is seen by others when that commits, and not before [G3]', async () => {
    const { jobId } = await within('READ COMMITTED', async (tx) => {
      const submission = await submit('noop', { tx })
      await expect(submit('noop')).resolves.toMatchObject({ outcome: 'created' })
      await expect(app.asyncJobs.status(submission.jobId)).rejects.toMatchObject({ code: 'job-not-found' })
      return submission
    })
    await expect(app.asyncJobs.status(jobId)).resolves.toMatchObject({ status: 'PENDING' })
  })

  it('never was when that rolls back, and its key is free [G3]', async () => {
    const key = newName()
    let id = ''
    const undone = within('READ COMMITTED', async (tx) => {
      id = (await submit('noop', { tx, idempotencyKey: key })).jobId
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await expect(app.asyncJobs.status(id)).rejects.toMatchObject({ code: 'job-not-found' })
    await expect(submit('noop', { idempotencyKey: key })).resolves.toMatchObject({ outcome: 'created' })
  })

  it.each(levels)('in %s answers a used key and a job in flight, and both rows commit [K40 G3]', async (level) => {
    const [key, first, second] = [newName(), newName(), newName()]
    const used = await submit('noop', { idempotencyKey: key })
    const inFlight = await submit('alone')
    await within(level, async (tx) => {
      await order(tx, first)
      await expect(submit('noop', { tx, idempotencyKey: key })).resolves.toEqual({ ...used, outcome: 'idempotent' })
      await expect(submit('alone', { tx })).resolves.toEqual({ ...inFlight, outcome: 'in-flight' })
      await order(tx, second)
    })
    expect(await orders()).toEqual(expect.arrayContaining([first, second]))
    await app.asyncJobs.cancel(inFlight.jobId)
  })

  it.each(levels)('in %s answers what was submitted after its snapshot, and commits [K40 K41 G3]', async (level) => {
    const [key, name] = [newName(), newName()]
    await within(level, async (tx) => {
      await tx.query('SELECT count(*) FROM orders')
      const rival = await submit('noop', { idempotencyKey: key })
      await expect(submit('noop', { tx, idempotencyKey: key })).resolves.toEqual({ ...rival, outcome: 'idempotent' })
      const flying = await submit('alone')
      await expect(submit('alone', { tx })).resolves.toEqual({ ...flying, outcome: 'in-flight' })
      await order(tx, name)
      await app.asyncJobs.cancel(flying.jobId)
    })
    expect(await orders()).toContain(name)
  })

  it.each(levels)(
    'in %s waits for a rival that has not committed, and then answers with its job [K40 K41]',
    async (level) => {
      const [key, name] = [newName(), newName()]
      const rival = await pool.connect()
      await rival.query('BEGIN')
      const first = await submit('noop', { tx: rival, idempotencyKey: key })
      const second = within(level, async (tx) => {
        await tx.query('SELECT 1')
        const submission = await submit('noop', { tx, idempotencyKey: key })
        await order(tx, name)
        return submission
      })
      await expect
        .poll(async () => {
          const { rows } = await database.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
          return rows.length
        })
        .toBe(1)
      await rival.query('COMMIT')
      rival.release()
      await expect(second).resolves.toEqual({ ...first, outcome: 'idempotent' })
      expect(await orders()).toContain(name)
    },
  )

  it('refuses what no job can be for, and leaves the transaction usable [K40]', async () => {
    const [key, name] = [newName(), newName()]
    await submit('noop', { idempotencyKey: key })
    const running = await submit('jealous')
    await within('READ COMMITTED', async (tx) => {
      const refused = [
        submit('alone', { tx, idempotencyKey: key }),
        submit('jealous', { tx }),
        submit('nobody', { tx }),
        submit('noop', { tx, input: 1 }),
      ]
      const codes = (await Promise.allSettled(refused)).map((one) => (one as PromiseRejectedResult).reason as unknown)
      expect(codes).toMatchObject([
        { code: 'idempotency-key-reused' },
        { code: 'job-in-flight' },
        { code: 'unknown-type' },
        { code: 'invalid-input' },
      ])
      await order(tx, name)
    })
    expect(await orders()).toContain(name)
    await app.asyncJobs.cancel(running.jobId)
  })

  it('leaves the settings of the transaction as they are', async () => {
    await within('READ COMMITTED', async (tx) => {
      await submit('noop', { tx, idempotencyKey: newName() })
      expect((await tx.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
    })
  })

  it('works with a pool of one connection, which the caller holds [K37]', async () => {
    const single = database.pool({ max: 1 })
    await withApp(database, { pool: single, ...still, hints: { enabled: false } }, async ({ asyncJobs }) => {
      const client = await single.connect()
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await client.query('SELECT 1')
      const key = newName()
      await expect(asyncJobs.submit('noop', { tx: client })).resolves.toMatchObject({ outcome: 'created' })
      await submit('noop', { idempotencyKey: key })
      // Who stands for the key can be seen on another connection only.
      const from = performance.now()
      const blind = asyncJobs.submit('noop', { tx: client, idempotencyKey: key })
      await expect(blind).rejects.toMatchObject({ code: 'database-unavailable' })
      expect(performance.now() - from).toBeLessThan(5_000)
      await client.query('COMMIT')
      client.release()
    })
  })

  it('starts soon after the commit, and at once when it is told of', async () => {
    const slow = { handlers, processing: { pollInterval: 'PT30S' } }
    await withApp(database, { pool: database.pool(), ...slow }, async (running) => {
      await database.query('DELETE FROM async_jobs')
      await running.ended(await running.submit('noop'))
      const { jobId } = await within('READ COMMITTED', (tx) => running.asyncJobs.submit('noop', { tx }))
      running.asyncJobs.wake('noop')
      await expect(running.ended(jobId)).resolves.toMatchObject({ status: 'COMPLETED' })
    })
  })

  it('says what it expects of a transaction', async () => {
    await expect(submit('noop', { tx: {} as never })).rejects.toThrow('tx: expected a client with query()')
  })
})

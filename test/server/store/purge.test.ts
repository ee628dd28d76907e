import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeAll } from '../../../server/executor/purge.ts'
import type { Store } from '../../../server/store/port.ts'
import { Telemetry } from '../../../server/telemetry.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, ending, newJob, newWorker, openStore } from '../../support/store.ts'

const hour = 3_600_000

let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = openStore(database.pool())
})
afterAll(() => database?.drop())
beforeEach(() => database.query('TRUNCATE async_jobs CASCADE'))

interface Rows {
  readonly status: string
  readonly count: number
  /** How long ago they were made, and changed for the last time. */
  readonly ageMs: number
  readonly type?: string
}

/** Jobs of an age, each with a key and an input; their ids begin with the time at which they were made. */
async function fill({ status, count, ageMs, type = 'filled' }: Rows): Promise<void> {
  await database.query(
    `WITH made AS (
      INSERT INTO async_jobs (id, type, status, attempt, fencing_token, failure, run_at, created_at, last_updated_at)
      SELECT concat(lpad(to_hex((extract(epoch FROM now()) * 1000 - $3)::bigint), 12, '0'), '7',
          substr(md5(n::text || $5), 1, 19))::uuid,
        $4, $1, 1, 1, CASE $1 WHEN 'FAILED' THEN '{}'::jsonb END, at, at, at
      FROM generate_series(1, $2::integer) n, LATERAL (SELECT now() - $3 * interval '1 millisecond' AS at) t
      RETURNING id, created_at),
    keys AS (
      INSERT INTO async_job_keys (key, job_id, type, input_hash, created_at) SELECT id::text, id, $4, '', created_at FROM made)
    INSERT INTO async_job_inputs (job_id, part, value) SELECT id, 'input', '{}' FROM made`,
    [status, count, ageMs, type, randomBytes(4).toString('hex')],
  )
}

async function left(table = 'async_jobs'): Promise<number> {
  return (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]!.n
}

describe('purging', () => {
  it('deletes jobs that ended longer ago than the retention, with their keys and inputs, and nothing else [A47]', async () => {
    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED', 'PENDING', 'PROCESSING']) {
      await fill({ status, count: 2, ageMs: 2 * hour })
      await fill({ status, count: 1, ageMs: hour / 2 })
    }
    expect(await store.purge({ olderThanMs: hour, limit: 100 })).toBe(6)
    const { rows } = await database.query<{ status: string; n: number }>(
      `SELECT status, count(*)::int AS n FROM async_jobs GROUP BY status ORDER BY status`,
    )
    expect(Object.fromEntries(rows.map(({ status, n }) => [status, n]))).toEqual({
      CANCELLED: 1,
      COMPLETED: 1,
      FAILED: 1,
      PENDING: 3,
      PROCESSING: 3,
    })
    expect([await left('async_job_keys'), await left('async_job_inputs')]).toEqual([9, 9])
  })

  it('keeps an old job that ended only now', async () => {
    await fill({ status: 'COMPLETED', count: 1, ageMs: 2 * hour })
    await database.query('UPDATE async_jobs SET last_updated_at = now()')
    expect(await store.purge({ olderThanMs: hour, limit: 100 })).toBe(0)
  })

  it('frees the keys of what it deletes [S11]', async () => {
    const submit = (): ReturnType<Store['submit']> => store.submit(newJob('again', { idempotencyKey: 'k' }))
    const first = await submit()
    const [job] = await claim(store, { type: 'again', workerId: await newWorker(store) })
    await store.cycle([ending(job!)], undefined)
    expect(await submit()).toMatchObject({ outcome: 'idempotent', jobId: first.jobId })
    const later = openStore(database.pool(), { clock: () => new Date(Date.now() + 2 * hour) })
    expect(await later.purge({ olderThanMs: hour, limit: 1 })).toBe(1)
    expect(await submit()).toMatchObject({ outcome: 'created' })
  })

  it('takes the oldest first, at most the limit, and goes on where it stopped', async () => {
    for (const hours of [5, 3, 4, 2])
      await fill({ status: 'COMPLETED', count: 10, ageMs: hours * hour, type: `${hours}` })
    const types = async (): Promise<string[]> =>
      (await database.query<{ type: string }>('SELECT DISTINCT type FROM async_jobs ORDER BY type')).rows.map(
        (row) => row.type,
      )
    expect(await store.purge({ olderThanMs: hour, limit: 10 })).toBe(10)
    expect(await types()).toEqual(['2', '3', '4'])
    expect(await store.purge({ olderThanMs: hour, limit: 20 })).toBe(20)
    expect(await types()).toEqual(['2'])
    // What came in behind its back, it finds when it begins anew, which it does before it says that nothing is left.
    await fill({ status: 'FAILED', count: 3, ageMs: 6 * hour })
    expect(await store.purge({ olderThanMs: hour, limit: 20 })).toBe(13)
    expect(await left()).toBe(0)
  })

  it('steps over rows that somebody holds', async () => {
    await fill({ status: 'COMPLETED', count: 5, ageMs: 2 * hour })
    const holder = await database.pool().connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM async_jobs ORDER BY id LIMIT 2 FOR UPDATE')
    expect(await store.purge({ olderThanMs: hour, limit: 100 })).toBe(3)
    await holder.query('ROLLBACK')
    holder.release()
    expect(await store.purge({ olderThanMs: hour, limit: 100 })).toBe(2)
  })
})

describe('the cost of a purge', () => {
  it('is bounded by what it deletes, through the primary key, however many young rows there are', async () => {
    await fill({ status: 'COMPLETED', count: 20_000, ageMs: hour / 2 })
    await fill({ status: 'COMPLETED', count: 50, ageMs: 2 * hour })
    await fill({ status: 'PENDING', count: 50, ageMs: 3 * hour })
    for (const analyze of [false, true]) {
      if (analyze) await database.query('ANALYZE async_jobs')
      const { plan, buffers } = await explainPurge()
      expect(plan).toContain('async_jobs_pkey')
      expect(plan).not.toMatch(/Seq Scan.{0,200}"Relation Name":"async_jobs"/)
      expect(buffers).toBeLessThan(600)
    }
    await store.purge({ olderThanMs: hour, limit: 100 })
    await database.query('VACUUM async_jobs')
    expect((await explainPurge()).buffers).toBeLessThan(80)
  })
})

/** The plan and the buffers of the statement that a purge sends. */
async function explainPurge(): Promise<{ plan: string; buffers: number }> {
  const { text, values } = await captured((pool) => openStore(pool).purge({ olderThanMs: hour, limit: 100 }))
  const client = await database.pool({ max: 1 }).connect()
  await client.query('BEGIN')
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  )
  await client.query('ROLLBACK')
  client.release()
  const plan = rows[0]!['QUERY PLAN'][0].Plan
  return { plan: JSON.stringify(plan), buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
}

interface Plan {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

/** The statement that a verb of the store sends, which is not run. */
async function captured(send: (pool: pg.Pool) => Promise<unknown>): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  const query = async (config: { text: string; values: unknown[] }): Promise<unknown> => {
    sent.push(config)
    return { rows: [] }
  }
  const client = { query, on() {}, off() {}, release() {} }
  await send({ connect: (done: (error: undefined, client: unknown) => void) => done(undefined, client) } as never)
  return sent[0]!
}

describe('five processes that purge at once [S11]', () => {
  it('share the work beside submits, claims and cancels, and no error reaches anyone', async () => {
    await fill({ status: 'COMPLETED', count: 10_000, ageMs: 2 * hour })
    const stores = Array.from({ length: 5 }, () => openStore(database.pool({ max: 4 })))
    const telemetry = new Telemetry()
    const { rows } = await database.query<{ key: string }>('SELECT key FROM async_job_keys')
    const keys = rows.map(({ key }) => key)
    let busy = true
    const others = stores.map((each) => work(each, keys, () => busy))
    const counts = await Promise.all(
      stores.map((each) => purgeAll({ store: each, telemetry, afterMs: hour, batchSize: 200 })),
    )
    busy = false
    const jobs = (await Promise.all(others)).reduce((sum, n) => sum + n, 0)
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(10_000)
    expect(counts.filter((count) => count > 0)).toHaveLength(5)
    expect(jobs).toBeGreaterThan(0)
    expect(await left()).toBe(jobs)
    expect(await left('async_job_inputs')).toBe(0)
  })
})

/**
 * Submits (half with keys of jobs that are being purged), cancels, claims, ends and recovers for as long as it may.
 * @returns how many jobs it made.
 */
async function work(each: Store, keys: readonly string[], mayGoOn: () => boolean): Promise<number> {
  const workerId = await newWorker(each)
  let jobs = 0
  while (mayGoOn()) {
    const submits = Array.from({ length: 20 }, (_, n) => {
      const idempotencyKey = n % 2 === 0 ? null : keys[Math.floor(Math.random() * keys.length)]!
      return each.submit(newJob('filled', { idempotencyKey, inputHash: '' }))
    })
    const answers = await Promise.all(submits)
    const made = answers.filter(({ outcome }) => outcome === 'created')
    jobs += made.length
    expect(answers.filter(({ outcome }) => outcome === 'mismatch')).toEqual([])
    await each.recoverOrphans(['filled'], 100)
    await Promise.all(made.slice(0, 3).map(({ jobId }) => each.cancel(null, jobId)))
    const claimed = await claim(each, { type: 'filled', workerId, total: 10 })
    const endings = claimed.map((job) => ending(job))
    if (endings.length > 0) await each.cycle(endings, undefined)
  }
  return jobs
}

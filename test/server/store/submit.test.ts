import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyMismatch, Store, Submission } from '../../../server/store/port.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, ending, newJob, newWorker, openStore, running } from '../../support/store.ts'

let database: TestDatabase
let store: Store
let replicas: Store[]

beforeAll(async () => {
  database = await createTestDatabase()
  replicas = Array.from({ length: 3 }, () => openStore(database.pool({ max: 4 })))
  store = replicas[0] as Store
})
afterAll(() => database?.drop())

const created = (answer: Submission | KeyMismatch): string => {
  expect(answer.outcome).toBe('created')
  return answer.jobId
}

describe('submitting', () => {
  it('answers equal keys with one job, however many submit at once on however many processes [G2]', async () => {
    const keys = Array.from({ length: 40 }, () => randomBytes(8).toString('hex'))
    const submits = keys.flatMap((key) =>
      Array.from({ length: 12 }, (_, n) => (replicas[n % 3] as Store).submit(newJob('keyed', { idempotencyKey: key }))),
    )
    const answers = await Promise.all(submits)
    keys.forEach((_key, index) => {
      const ofKey = answers.slice(index * 12, index * 12 + 12)
      expect(new Set(ofKey.map(({ jobId }) => jobId)).size).toBe(1)
      expect(ofKey.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    })
    const { rows } = await database.query(`SELECT count(*)::int AS n FROM async_jobs WHERE type = 'keyed'`)
    expect(rows).toEqual([{ n: 40 }])
  })

  it('refuses a key that stands for another type or another input, and says which type it was', async () => {
    const jobId = created(await store.submit(newJob('first', { idempotencyKey: 'k1' })))
    expect(await store.submit(newJob('second', { idempotencyKey: 'k1' }))).toEqual({
      outcome: 'mismatch',
      jobId,
      type: 'first',
    })
    expect(await store.submit(newJob('first', { idempotencyKey: 'k1', inputHash: '01' }))).toMatchObject({
      outcome: 'mismatch',
    })
    expect(await store.submit(newJob('first', { idempotencyKey: 'k1' }))).toMatchObject({
      outcome: 'idempotent',
      jobId,
    })
  })

  it('keeps the keys of tenants apart', async () => {
    const a = await store.submit(newJob('t', { idempotencyKey: 'same', tenant: 'a' }))
    const b = await store.submit(newJob('t', { idempotencyKey: 'same', tenant: 'b' }))
    expect(created(a)).not.toBe(created(b))
  })

  it('binds a key to the job that answered it, so that a retry after that job ended makes no second one', async () => {
    const single = { coalescingKey: 'aa', singleFlight: true }
    const first = await running(store, 'single', single)
    const joined = await store.submit(newJob('single', { ...single, idempotencyKey: 'late' }))
    expect(joined).toMatchObject({ outcome: 'in-flight', jobId: first.id })
    await store.cycle([ending(first)], undefined)
    expect(await store.submit(newJob('single', { ...single, idempotencyKey: 'late' }))).toMatchObject({
      outcome: 'idempotent',
      jobId: first.id,
      status: 'COMPLETED',
    })
  })

  it('answers with a result that is fresh, and runs anew when it is not asked for one [A20]', async () => {
    const scope = { coalescingKey: 'bb', freshForMs: 60_000 }
    const job = await running(store, 'fresh', scope)
    await store.cycle([ending(job)], undefined)
    expect(await store.submit(newJob('fresh', scope))).toMatchObject({ outcome: 'fresh', jobId: job.id })
    created(await store.submit(newJob('fresh', { coalescingKey: 'bb' })))
  })

  it('lets a row that the database refuses fail alone, and the rest of its batch pass', async () => {
    const bad = newJob('batch', { input: '{"x":"\\u0000"}' })
    const [first, second, third] = await Promise.allSettled([
      store.submit(newJob('batch')),
      store.submit(bad),
      store.submit(newJob('batch', { idempotencyKey: 'beside' })),
    ])
    expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('does not let another transaction that holds a key stall the submits beside it', async () => {
    const holder = await database.pool().connect()
    await holder.query('BEGIN')
    const blocker = newJob('blocked')
    await holder.query(
      `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at) VALUES ($1, 'blocked', now(), now(), now())`,
      [blocker.id],
    )
    await holder.query(
      `INSERT INTO async_job_keys (tenant, key, job_id, type, input_hash, created_at) VALUES ('', 'held', $1, 'blocked', '', now())`,
      [blocker.id],
    )
    const held = store.submit(newJob('blocked', { idempotencyKey: 'held' }))
    const beside = store.submit(newJob('blocked', { idempotencyKey: 'free' }))
    created(await beside)
    await expect(held).rejects.toMatchObject({ code: 'database-unavailable' })
    await holder.query('ROLLBACK')
    holder.release()
    created(await store.submit(newJob('blocked', { idempotencyKey: 'held' })))
  })

  it('frees a key when its job is purged', async () => {
    const job = created(await store.submit(newJob('purged', { idempotencyKey: 'again' })))
    await database.query('DELETE FROM async_jobs WHERE id = $1', [job])
    expect(created(await store.submit(newJob('purged', { idempotencyKey: 'again' })))).not.toBe(job)
  })

  it('is committed when it is answered [G1]', async () => {
    const id = created(await store.submit(newJob('durable')))
    const { rows } = await database.query('SELECT status FROM async_jobs WHERE id = $1', [id])
    expect(rows).toEqual([{ status: 'PENDING' }])
    expect(await claim(store, { type: 'durable', workerId: await newWorker(store) })).toHaveLength(1)
  })
})

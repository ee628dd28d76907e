import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler, type EventName } from '../../server/index.ts'
import { client, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withApp } from '../support/executor.ts'
import { cutHints, shadowNotify } from '../support/notify.ts'
import { recordingPool, type Sent } from '../support/recording.ts'
import { startReplica } from '../support/replicas.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const noop = defineHandler({ type: 'noop', handle: () => {} })
const isNotify = ({ text }: Sent): boolean => /notify/i.test(text)
const count = (app: TestApp, name: EventName): number => app.events.filter((event) => event.name === name).length

/** Submits one after the other. @returns the statements that this caused, and how long it took. */
async function submitting(hints: boolean, jobs: number): Promise<{ sent: Sent[]; ms: number }> {
  const { pool, sent } = recordingPool(database.url, { max: 1 })
  const still = { hints: { enabled: hints }, processing: { enabled: false } }
  try {
    return await withApp(database, { pool, handlers: [noop], ...still }, async (app) => {
      if (hints) await app.seen('hints:connected')
      const from = performance.now()
      sent.length = 0
      for (let job = 0; job < jobs; job += 1) await app.asyncJobs.submit('noop')
      return { sent: [...sent], ms: performance.now() - from }
    })
  } finally {
    await pool.end()
  }
}

describe('hints between processes', () => {
  it('show the events of a job that another process runs long before they would look [G13 A36 A94]', async () => {
    const slow = { hints: { enabled: true }, processing: { pollInterval: 'PT8S' }, sse: { pollInterval: 'PT8S' } }
    const idle = { ...slow, processing: { ...slow.processing, enabled: false } }
    const replicas = await Promise.all([startReplica(database.url, idle), startReplica(database.url, slow)])
    const front = client(replicas[0].url)
    const from = performance.now()
    const names = (await front.readEvents(await front.submit('noop'))).map(({ event }) => event)
    expect(names.at(-1)).toBe('complete')
    expect(performance.now() - from).toBeLessThan(4_000)
    await Promise.all(replicas.map((replica) => replica.kill()))
  })

  it('cost a submit nothing: same statements, and few notifications on a connection of their own [K39]', async () => {
    const without = await submitting(false, 300)
    const { sent, ms } = await submitting(true, 300)
    const notifications = sent.filter(isNotify)
    const submits = sent.filter((each) => !isNotify(each))
    expect(submits.map(({ text }) => text)).toEqual(without.sent.map(({ text }) => text))
    expect(submits).toHaveLength(300)
    expect(notifications.length).toBeGreaterThan(0)
    // One in 15 ms at most, however many are submitted.
    expect(notifications.length).toBeLessThanOrEqual(ms / 15 + 2)
    const senders = new Set(submits.map((each) => each.client))
    expect(notifications.filter((each) => senders.has(each.client))).toEqual([])
  })

  it('never fail a submit when their connection breaks off, or NOTIFY fails [K39 G13]', async () => {
    const own = await createTestDatabase()
    const notify = await shadowNotify(own)
    const { pool, sent } = recordingPool(own.url)
    await withApp(own, { pool, handlers: [noop], hints: { enabled: true } }, async (app) => {
      await app.seen('hints:connected')
      for (let round = 1; round <= 3; round += 1) {
        await app.ended(await app.submit('noop'))
        await cutHints(own, sent)
        await vi.waitFor(() => expect(count(app, 'hints:lost')).toBe(round))
        await app.ended(await app.submit('noop'))
        await vi.waitFor(() => expect(count(app, 'hints:connected')).toBe(round + 1), { timeout: 5_000 })
      }
      // What a server says whose queue of notifications is full.
      await notify.refuses('54000')
      for (let job = 0; job < 20; job += 1) await app.ended(await app.submit('noop'))
      expect(count(app, 'hints:lost')).toBeGreaterThan(3)
      expect(count(app, 'request:failed')).toBe(0)
    })
    await pool.end()
    await own.drop()
  })

  it('leave submits alone while a caller keeps a transaction with a job and a NOTIFY open [K39]', async () => {
    const holder = await database.pool().connect()
    await holder.query('BEGIN')
    await holder.query(
      `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at)
       VALUES (gen_random_uuid(), 'noop', now(), now(), now())`,
    )
    await holder.query(`SELECT pg_notify('async_jobs', 'held')`)
    await withApp(database, { handlers: [noop], hints: { enabled: true } }, async (app) => {
      await app.seen('hints:connected')
      const ids = await Promise.all(Array.from({ length: 50 }, () => app.submit('noop')))
      const ended = await Promise.all(ids.map((id) => app.ended(id)))
      expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
      expect(count(app, 'hints:lost')).toBe(0)
    })
    await holder.query('ROLLBACK')
    holder.release()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../server/store/port.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { ending, newJob, openStore, running } from '../../support/store.ts'

let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = openStore(database.pool())
})
afterAll(() => database?.drop())

describe('the order of changes', () => {
  it('grows version by one and time by a millisecond at least, also within one millisecond [K36 A35]', async () => {
    const job = await running(store, 'fast')
    let last = { version: job.version, at: job.lastUpdatedAt.getTime() }
    for (let n = 0; n < 200; n += 1) {
      const state = await store.reportProgress({ ...job, percent: n % 100 })
      expect(state?.version).toBe(last.version + 1)
      expect(state?.lastUpdatedAt.getTime()).toBeGreaterThan(last.at)
      last = { version: state?.version ?? 0, at: state?.lastUpdatedAt.getTime() ?? 0 }
    }
    const { ended } = await store.cycle([ending(job)], undefined)
    expect(ended.get(job.id)?.version).toBe(last.version + 1)
  })

  it('never shows a time that a JavaScript date cannot hold exactly', async () => {
    await running(store, 'exact')
    const { rows } = await database.query(
      `SELECT count(*)::int AS n FROM async_jobs WHERE date_trunc('milliseconds', last_updated_at) <> last_updated_at
        OR date_trunc('milliseconds', created_at) <> created_at`,
    )
    expect(rows).toEqual([{ n: 0 }])
  })

  it('reads in one statement what has changed, and what is gone', async () => {
    const [changed, same] = [await running(store, 'a'), await running(store, 'b')]
    const gone = newJob('gone')
    const seen = new Map([
      [changed.id, changed.version - 1],
      [same.id, same.version],
      [gone.id, 1],
    ])
    const changes = await store.readChanges(seen)
    expect([...changes.keys()].sort()).toEqual([changed.id, gone.id].sort())
    expect(changes.get(gone.id)).toBeNull()
    expect(changes.get(changed.id)).toMatchObject({ status: 'PROCESSING', version: changed.version })
  })

  it('takes its times from the database alone [G9 K18]', async () => {
    const { rows: before } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const job = await running(store, 'clock')
    const { rows: after } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const read = await store.read(job.id)
    const at = read?.createdAt.getTime() ?? 0
    expect(at).toBeGreaterThanOrEqual((before[0]?.now.getTime() ?? 0) - 1)
    expect(at).toBeLessThanOrEqual(after[0]?.now.getTime() ?? 0)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../server/store/port.ts'
import { storeConformance } from '../../testing/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openStore } from '../support/store.ts'

let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = openStore(database.pool())
})
afterAll(() => database?.drop())

describe('the store of this package', () => {
  for (const { name, run } of storeConformance(async () => ({ store, close: async () => {} }))) it(name, run)
})

describe('the conformance of a store', () => {
  /** Which checks a store fails that is ours but for some verbs. */
  async function failures(broken: Partial<Store>, about: RegExp): Promise<string[]> {
    const closed: string[] = []
    const failed: string[] = []
    const checks = storeConformance(async () => ({
      store: { ...store, ...broken },
      close: async () => void closed.push('closed'),
    })).filter(({ name }) => about.test(name))
    for (const { name, run } of checks) await run().catch(() => failed.push(name))
    expect(closed).toHaveLength(checks.length)
    return failed
  }

  it('is not met by a store that does not fence, and every check closes what it opened', async () => {
    const endAnyway: Store['cycle'] = async (endings, claim) => {
      for (const { id, status, failure } of endings) {
        await database.query(
          `UPDATE async_jobs SET fencing_token = fencing_token, version = version + 1, worker_id = NULL, status = $2, failure = $3 WHERE id = $1`,
          [id, status, failure],
        )
      }
      return claim === undefined ? { ended: new Map(), claimed: [] } : store.cycle([], claim)
    }
    const failed = await failures({ cycle: endAnyway }, /another one has replaced/)
    expect(failed.length).toBeGreaterThanOrEqual(5)
  })

  it('is not met by a store that forgets what it was asked', async () => {
    expect(await failures({ cancel: async () => undefined }, /cancelled/)).not.toEqual([])
    expect(await failures({ countPending: async () => 0 }, /counted/)).toHaveLength(1)
    expect(await failures({ readChanges: async () => new Map() }, /changes/i)).not.toEqual([])
    expect(await failures({ submit: (job) => store.submit({ ...job, idempotencyKey: null }) }, /key/)).not.toEqual([])
  })
})

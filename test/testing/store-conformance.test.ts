import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClaimRequest, Ending, Store } from '../../server/store/port.ts'
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
  it.each(storeConformance(async () => ({ store, close: async () => {} })))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

/** Our store, but for one thing that it forgets. */
const forgetful: readonly (readonly [string, (ours: Store) => Partial<Store>])[] = [
  ['the key', (ours) => ({ submit: (job) => ours.submit({ ...job, idempotencyKey: null }) })],
  ['the hash of the input', (ours) => ({ submit: (job) => ours.submit({ ...job, inputHash: '00' }) })],
  ['the tenant', (ours) => ({ submit: (job) => ours.submit({ ...job, tenant: '' }) })],
  ['single-flight', (ours) => ({ submit: (job) => ours.submit({ ...job, singleFlight: false }) })],
  ['to refuse', (ours) => ({ submit: (job) => ours.submit({ ...job, rejects: false }) })],
  ['freshness', (ours) => ({ submit: (job) => ours.submit({ ...job, freshForMs: null }) })],
  ['the window', (ours) => ({ submit: (job) => ours.submit({ ...job, freshForMs: job.freshForMs && 60_000 }) })],
  ['the budget of attempts', (ours) => ({ submit: (job) => ours.submit({ ...job, maxAttempts: 9 }) })],
  ['the input', (ours) => ({ submit: (job) => ours.submit({ ...job, input: null }) })],
  ['which job it read', (ours) => ({ read: (id) => ours.read(id).then((job) => job && { ...job, id: '' }) })],
  ['whose job is cancelled', (ours) => ({ cancel: (_tenant, id) => ours.cancel(null, id) })],
  ['to cancel', () => ({ cancel: async () => undefined })],
  ['the limit of a count', (ours) => ({ countPending: (type) => ours.countPending(type, 1_000) })],
  [
    'what is gone',
    (ours) => ({
      readChanges: async (seen) => new Map([...(await ours.readChanges(seen))].filter(([, state]) => state)),
    }),
  ],
  [
    'the floor',
    (ours) => ({
      cycle: claimWith(ours, ({ shares }) => ({ shares: shares.map((share) => ({ ...share, floor: null })) })),
    }),
  ],
  ['the total', (ours) => ({ cycle: claimWith(ours, () => ({ total: 1_000 })) })],
  [
    'the shares',
    (ours) => ({
      cycle: claimWith(ours, ({ shares }) => ({ shares: shares.map((share) => ({ ...share, limit: 1_000 })) })),
    }),
  ],
  ['who reports', (ours) => ({ cycle: claimWith(ours, () => ({ fireAndForget: [] })) })],
  ['the output', (ours) => ({ cycle: endWith(ours, { output: null }) })],
  ['the delay', (ours) => ({ cycle: endWith(ours, { delayMs: null }) })],
  ['that a release spends nothing', (ours) => ({ cycle: endWith(ours, { unspent: false }) })],
  ['that a retry spends an attempt', (ours) => ({ cycle: endWith(ours, { unspent: true }) })],
  ['progress', () => ({ reportProgress: async () => undefined })],
  [
    'how long a lease is',
    (ours) => ({ registerWorker: (worker) => ours.registerWorker({ ...worker, leaseMs: 60_000 }) }),
  ],
  ['that leases end', () => ({ renewWorker: async () => true })],
  ['to end a lease', () => ({ removeWorker: async () => {} })],
  ['orphans', () => ({ recoverOrphans: async () => [] })],
  ['the limit of a sweep', (ours) => ({ recoverOrphans: (types) => ours.recoverOrphans(types, 1_000) })],
  [
    'how long a job was silent',
    (ours) => ({ recoverSilent: (types, { limit }) => ours.recoverSilent(types, { silentForMs: 0, limit }) }),
  ],
  ['what a worker holds', (ours) => ({ releaseUnheld: (workerId) => ours.releaseUnheld(workerId, new Map()) })],
  ['to purge', () => ({ purge: async () => 0 })],
  ['how old ended jobs must be', (ours) => ({ purge: ({ limit }) => ours.purge({ olderThanMs: 0, limit }) })],
  ['whose work completed', (ours) => ({ lastCompleted: (scope) => ours.lastCompleted({ ...scope, tenant: '' }) })],
]

function claimWith(ours: Store, change: (claim: ClaimRequest) => Partial<ClaimRequest>): Store['cycle'] {
  return (endings, claim) => ours.cycle(endings, claim && { ...claim, ...change(claim) })
}

function endWith(ours: Store, change: Partial<Ending>): Store['cycle'] {
  return (endings, claim) =>
    ours.cycle(
      endings.map((ending) => ({ ...ending, ...change })),
      claim,
    )
}

/** Takes endings whoever sends them: the token is the one that the job has now. */
function unfenced(ours: Store): Store['cycle'] {
  return async (endings, claim) => {
    const { rows } = await database.query<{ id: string; fencing_token: number }>(
      'SELECT id, fencing_token FROM async_jobs WHERE id = ANY($1)',
      [endings.map(({ id }) => id)],
    )
    const tokens = new Map(rows.map((row) => [row.id, row.fencing_token]))
    const now = endings.map((ending) => ({ ...ending, fencingToken: tokens.get(ending.id) ?? ending.fencingToken }))
    return ours.cycle(now, claim)
  }
}

describe('a store that does not conform', () => {
  /** The checks that a store does not pass, up to the first, or all of them. */
  async function failures(broken: Partial<Store>, all = false): Promise<string[]> {
    const failed: string[] = []
    let open = 0
    const checks = storeConformance(async () => {
      open += 1
      return { store: { ...store, ...broken }, close: async () => void (open -= 1) }
    })
    for (const { name, run } of checks) {
      await run().catch(() => failed.push(name))
      expect(open).toBe(0)
      if (failed.length > 0 && !all) break
    }
    return failed
  }

  it.each(forgetful)('is found out when it forgets %s', async (_what, broken) => {
    expect(await failures(broken(store))).toHaveLength(1)
  })

  it('is found out by every check of fencing when it does not fence endings', async () => {
    const failed = await failures({ cycle: unfenced(store) }, true)
    expect(failed.filter((name) => name.endsWith('that another one has replaced is refused'))).toHaveLength(5)
  })
})

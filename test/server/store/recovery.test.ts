import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../../server/store/port.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, newJob, newWorker, openStore, running } from '../../support/store.ts'

let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = openStore(database.pool())
})
afterAll(() => database?.drop())

const kill = (): Promise<unknown> => database.query('DELETE FROM async_job_workers')

describe('recovery', () => {
  it('fails a job whose worker is dead when its one attempt is spent [A53 A82 S1]', async () => {
    const job = await running(store, 'orphan')
    await kill()
    expect(await store.recoverOrphans(['orphan'], 10)).toMatchObject([
      { id: job.id, status: 'FAILED', failure: { code: 'worker-lost' } },
    ])
  })

  it('puts the job back while attempts remain [S1]', async () => {
    const job = await running(store, 'again', { maxAttempts: 2 })
    await kill()
    expect(await store.recoverOrphans(['again'], 10)).toMatchObject([{ id: job.id, status: 'PENDING' }])
    const [second] = await claim(store, { type: 'again', workerId: await newWorker(store) })
    expect(second).toMatchObject({ id: job.id, attempt: 2, fencingToken: 2 })
  })

  it('leaves jobs of types that are registered elsewhere alone [A53]', async () => {
    const job = await running(store, 'theirs')
    await kill()
    expect(await store.recoverOrphans(['ours'], 10)).toEqual([])
    expect(await store.read(job.id)).toMatchObject({ status: 'PROCESSING' })
  })

  it('leaves the jobs of a living worker alone, however wrong the clock of this process is [K18 G9]', async () => {
    const job = await running(store, 'alive')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    try {
      expect(await store.recoverOrphans(['alive'], 10)).toEqual([])
    } finally {
      vi.useRealTimers()
    }
    expect(await store.read(job.id)).toMatchObject({ status: 'PROCESSING' })
  })

  it('never touches a job that waits, however long [K21 S17]', async () => {
    const { jobId } = (await store.submit(newJob('patient'))) as { jobId: string }
    await database.query(
      `UPDATE async_jobs SET run_at = run_at - interval '9 days', created_at = created_at - interval '9 days',
      last_updated_at = last_updated_at - interval '9 days' WHERE id = $1`,
      [jobId],
    )
    expect(await store.recoverOrphans(['patient'], 10)).toEqual([])
    expect(await store.recoverSilent(['patient'], { silentForMs: 1, limit: 10 })).toEqual([])
    expect(await store.read(jobId)).toMatchObject({ status: 'PENDING' })
  })

  it('finds orphans beyond one batch at the next sweep', async () => {
    const workerId = await newWorker(store)
    await Promise.all(Array.from({ length: 25 }, () => store.submit(newJob('many'))))
    await claim(store, { type: 'many', workerId, total: 25 })
    await kill()
    const sweeps = [10, 10, 5, 0].map(async () => (await store.recoverOrphans(['many'], 10)).length)
    expect((await Promise.all(sweeps)).reduce((sum, n) => sum + n, 0)).toBe(25)
  })

  it('never lets a lease that ran out live again', async () => {
    const workerId = await newWorker(store, -1)
    await vi.waitFor(async () => expect(await store.renewWorker(workerId, 30_000)).toBe(false))
    await store.recoverOrphans(['any'], 1)
    expect(await store.renewWorker(workerId, 30_000)).toBe(false)
  })

  it('gives back what a worker owns but does not hold, without spending the attempt', async () => {
    const workerId = await newWorker(store)
    await Promise.all([store.submit(newJob('lost')), store.submit(newJob('lost'))])
    const [held, unheld] = await claim(store, { type: 'lost', workerId, total: 2 })
    const released = await store.releaseUnheld(workerId, new Map([[held?.id ?? '', held?.fencingToken ?? 0]]))
    expect(released).toMatchObject([{ id: unheld?.id, status: 'PENDING' }])
    const [again] = await claim(store, { type: 'lost', workerId })
    expect(again).toMatchObject({ id: unheld?.id, attempt: 1, fencingToken: 2 })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClaimedJob, Store } from '../../../server/store/port.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, ending, newWorker, openStore, running } from '../../support/store.ts'

let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = openStore(database.pool())
})
afterAll(() => database?.drop())

const failure = { code: 'handler-error', title: 'The job failed' }

/** A job that was taken from its first owner and runs again elsewhere: the claim of the ghost, and the living one. */
async function takenOver(type: string): Promise<{ ghost: ClaimedJob; owner: ClaimedJob }> {
  const ghost = await running(store, type, { maxAttempts: 3 })
  await database.query(`DELETE FROM async_job_workers`)
  await store.recoverOrphans([type], 10)
  const [owner] = await claim(store, { type, workerId: await newWorker(store) })
  return { ghost, owner: owner as ClaimedJob }
}

async function stateOf(id: string): Promise<unknown> {
  return (await database.query('SELECT * FROM async_jobs WHERE id = $1', [id])).rows[0]
}

describe('every write of an attempt is fenced [G5 A17]', () => {
  it.each([
    ['completion', ending],
    ['failure', (job: ClaimedJob) => ending(job, { status: 'FAILED', failure })],
    ['release', (job: ClaimedJob) => ending(job, { status: 'PENDING', unspent: true })],
    ['output', (job: ClaimedJob) => ending(job, { output: '{"rows":1}' })],
  ])('refuses the %s of an attempt that another one has replaced', async (name, endingOf) => {
    const { ghost, owner } = await takenOver(`ghost-${name}`)
    const before = await stateOf(owner.id)
    const { ended } = await store.cycle([endingOf(ghost)], undefined)
    expect(ended.size).toBe(0)
    expect(await stateOf(owner.id)).toEqual(before)
    expect((await store.read(owner.id))?.output).toBeUndefined()
  })

  it('refuses the progress of an attempt that another one has replaced', async () => {
    const { ghost, owner } = await takenOver('ghost-progress')
    const { id, fencingToken } = ghost
    expect(await store.reportProgress({ id, fencingToken, percent: 50 })).toBeUndefined()
    expect(await store.reportProgress({ id, fencingToken: owner.fencingToken, percent: 50 })).toMatchObject({
      percentComplete: 50,
    })
  })

  it('refuses whatever is reported after a cancel [A39 A44]', async () => {
    const job = await running(store, 'cancelled')
    await store.cancel(null, job.id)
    expect((await store.cycle([ending(job)], undefined)).ended.size).toBe(0)
    expect(await store.reportProgress({ ...job, percent: 10 })).toBeUndefined()
    expect(await store.read(job.id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('ends a job once, however often its ending is sent [G6]', async () => {
    const job = await running(store, 'once')
    const results = await Promise.all(Array.from({ length: 5 }, () => store.cycle([ending(job)], undefined)))
    expect(results.map(({ ended }) => ended.size).sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 1])
    expect(await store.read(job.id)).toMatchObject({ status: 'COMPLETED', version: 3 })
  })
})

import assert from 'node:assert/strict'
import type { ClaimedJob, Ending } from '../../server/store/port.ts'
import { type Behaviours, counts, type Scene } from './scene.ts'

const never = new AbortController().signal

const completion = ({ id, fencingToken }: ClaimedJob): Ending => {
  return { id, fencingToken, status: 'COMPLETED', failure: null, output: null, delayMs: null, unspent: false }
}

/** Submits a job in the transaction that completes another one. @returns the id of the one that was submitted. */
async function submitAndComplete(scene: Scene, job: ClaimedJob, fails: boolean): Promise<string> {
  const { store } = scene
  const idempotencyKey = `${scene.type} ${job.id}`
  const [next, again] = [scene.job({ idempotencyKey }), scene.job({ idempotencyKey })]
  const ended = store.transaction?.(async (tx, end) => {
    assert.equal((await store.submitWithin?.(tx, next))?.outcome, 'created')
    assert.equal((await store.submitWithin?.(tx, again))?.outcome, 'idempotent')
    assert.equal((await store.countPendingWithin?.(tx, scene.type, 10)) ?? 1, 1, 'the transaction sees it')
    assert.equal(await store.read(next.id), undefined, 'others do not see it before the commit')
    if (fails) throw new Error('the work fails')
    if ((await end(completion(job))) === undefined) throw new Error('the ending is refused')
  }, never)
  if (fails) await assert.rejects(Promise.resolve(ended), /the work fails/)
  else await ended
  return next.id
}

/** What a store without transactions is not asked for. */
const where =
  (check: (scene: Scene) => Promise<void>) =>
  async (scene: Scene): Promise<void> => {
    const { store } = scene
    if (store.transaction !== undefined && store.submitWithin !== undefined) await check(scene)
  }

export const transacting: Behaviours = {
  'many submits are answered each in its place': async (scene) => {
    if (scene.store.submitMany === undefined) return
    const first = await scene.submit({ idempotencyKey: scene.type })
    const jobs = Array.from({ length: 500 }, () => scene.job())
    const answers = await scene.store.submitMany([scene.job({ idempotencyKey: scene.type }), ...jobs])
    const said = answers.map((answer) => ('error' in answer ? 'error' : answer.outcome))
    assert.deepEqual(counts(said), { idempotent: 1, created: 500 })
    assert.deepEqual(
      answers.map((answer) => 'jobId' in answer && answer.jobId),
      [first.jobId, ...jobs.map(({ id }) => id)],
    )
  },

  'a completion and the work before it are kept together': where(async (scene) => {
    const job = await scene.running()
    const next = await submitAndComplete(scene, job, false)
    assert.equal((await scene.read(job.id)).status, 'COMPLETED')
    assert.equal((await scene.read(next)).status, 'PENDING')
  }),

  'nothing of a completion is kept when the work before it fails': where(async (scene) => {
    const job = await scene.running()
    const next = await submitAndComplete(scene, job, true)
    assert.equal((await scene.read(job.id)).status, 'PROCESSING')
    assert.equal(await scene.store.read(next), undefined)
    assert.equal((await scene.end(job))?.status, 'COMPLETED')
  }),

  'nothing of the work is kept when its completion is refused': where(async (scene) => {
    const job = await scene.running()
    await scene.store.cancel(null, job.id)
    await assert.rejects(submitAndComplete(scene, job, false), /the ending is refused/)
    assert.equal((await scene.read(job.id)).status, 'CANCELLED')
    assert.equal(await scene.store.countPending(scene.type, 10), 0)
  }),
}

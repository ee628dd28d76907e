import assert from 'node:assert/strict'
import { type Behaviours, eventually, failure } from './scene.ts'

export const ending: Behaviours = {
  'an attempt ends well': async (scene) => {
    const job = await scene.running()
    await scene.store.reportProgress({ ...job, percent: 40 })
    const state = await scene.end(job)
    assert.deepEqual(
      { status: state?.status, percentComplete: state?.percentComplete, version: state?.version },
      { status: 'COMPLETED', percentComplete: 100, version: 4 },
    )
    assert.deepEqual(await scene.read(job.id), { ...(await scene.read(job.id)), ...state })
  },

  'an attempt fails and keeps how far it came': async (scene) => {
    const job = await scene.running({ maxAttempts: 3 })
    await scene.store.reportProgress({ ...job, percent: 40 })
    const state = await scene.end(job, { status: 'FAILED', failure })
    const expected = { status: 'FAILED', percentComplete: 40, failure }
    for (const { status, percentComplete, failure: found } of [state ?? assert.fail(), await scene.read(job.id)]) {
      assert.deepEqual({ status, percentComplete, failure: found }, expected)
    }
    assert.deepEqual(await scene.claim(), [])
  },

  'a retry waits for its delay and spends the attempt': async (scene) => {
    const job = await scene.running({ maxAttempts: 3 })
    await scene.store.reportProgress({ ...job, percent: 40 })
    const state = await scene.end(job, { status: 'PENDING', delayMs: 200 })
    assert.deepEqual([state?.status, state?.percentComplete, state?.failure], ['PENDING', null, null])
    const later = await scene.running({ maxAttempts: 3 })
    await scene.end(later, { status: 'PENDING', delayMs: 3_600_000 })
    const workerId = await scene.worker()
    await eventually(async () => {
      const [again, ...more] = await scene.claim({ workerId, total: 2 })
      assert.ok(again, 'it is due again')
      assert.deepEqual([again.id, again.attempt, again.fencingToken, more.length], [job.id, 2, 2, 0])
    })
  },

  'a release puts the job back at once and spends no attempt': async (scene) => {
    const job = await scene.running()
    assert.equal((await scene.end(job, { status: 'PENDING', unspent: true }))?.status, 'PENDING')
    const [again] = await scene.claim()
    assert.deepEqual([again?.id, again?.attempt, again?.fencingToken], [job.id, 1, 2])
  },

  'one call ends attempts and claims the next': async (scene) => {
    const job = await scene.running()
    const { jobId: next } = await scene.submit()
    const ending = { id: job.id, fencingToken: job.fencingToken, failure: null, output: null, delayMs: null }
    const shares = [{ type: scene.type, priority: 1, limit: 5, floor: null }]
    const { ended, claimed } = await scene.store.cycle([{ ...ending, status: 'COMPLETED', unspent: false }], {
      workerId: await scene.worker(),
      shares,
      total: 5,
      fireAndForget: [],
    })
    assert.deepEqual([...ended.keys()], [job.id])
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [next],
    )
  },

  'an ending is taken once, however often it is sent': async (scene) => {
    const job = await scene.running()
    const states = await Promise.all(Array.from({ length: 5 }, () => scene.end(job)))
    assert.equal(states.filter((state) => state !== undefined).length, 1)
    assert.equal((await scene.read(job.id)).version, 3)
  },
}

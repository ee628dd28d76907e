import assert from 'node:assert/strict'
import type { ClaimedJob, NewJob } from '../../server/store/port.ts'
import { type Behaviours, eventually, type Scene } from './scene.ts'

/** A job whose worker is gone. */
async function orphan(scene: Scene, more: Partial<NewJob> = {}): Promise<ClaimedJob> {
  const workerId = await scene.worker()
  const job = await scene.running(more, { workerId })
  await scene.store.removeWorker(workerId)
  return job
}

export const recovering: Behaviours = {
  'a job whose worker is dead fails when its attempts are spent': async (scene) => {
    const { id, version } = await orphan(scene)
    const [state, ...more] = await scene.store.recoverOrphans([scene.type], 10)
    assert.deepEqual([state?.id, state?.status, state?.version, more.length], [id, 'FAILED', version + 1, 0])
    assert.ok(state?.failure?.title, 'it says why')
    assert.deepEqual((await scene.read(id)).failure, state.failure)
  },

  'a job whose worker is dead is put back while attempts remain': async (scene) => {
    const { id } = await orphan(scene, { maxAttempts: 2 })
    const [state] = await scene.store.recoverOrphans([scene.type], 10)
    assert.deepEqual([state?.id, state?.status, state?.failure], [id, 'PENDING', null])
    const [again] = await scene.claim()
    assert.deepEqual([again?.id, again?.attempt, again?.fencingToken], [id, 2, 2])
  },

  'a worker whose lease ran out is dead': async (scene) => {
    const { id } = await scene.running({}, { workerId: await scene.worker(1) })
    await eventually(async () => {
      const states = await scene.store.recoverOrphans([scene.type], 10)
      assert.deepEqual(
        states.map((state) => state.id),
        [id],
      )
    })
  },

  'jobs of living workers, waiting jobs and fire-and-forget jobs are no orphans': async (scene) => {
    const jobs = [await scene.running(), await scene.reported()].map(({ id }) => id)
    jobs.push((await scene.submit()).jobId)
    assert.deepEqual(await scene.store.recoverOrphans([scene.type], 10), [])
    const statuses = await Promise.all(jobs.map(async (id) => (await scene.read(id)).status))
    assert.deepEqual(statuses, ['PROCESSING', 'PROCESSING', 'PENDING'])
  },

  'orphans of types that are not asked for are left alone': async (scene) => {
    const { id } = await orphan(scene)
    assert.deepEqual(await scene.store.recoverOrphans([`${scene.type}-2`], 10), [])
    assert.equal((await scene.read(id)).status, 'PROCESSING')
  },

  'an orphan goes to one sweep, and a sweep takes no more than its limit': async (scene) => {
    const workerId = await scene.worker()
    await Promise.all(Array.from({ length: 25 }, () => scene.submit()))
    await scene.claim({ workerId, total: 25 })
    await scene.store.removeWorker(workerId)
    const recovered: string[] = []
    for (let sweeps = 0; recovered.length < 25 && sweeps < 10; sweeps += 1) {
      const found = await Promise.all([1, 2, 3].map(() => scene.store.recoverOrphans([scene.type], 5)))
      for (const states of found) assert.ok(states.length <= 5, 'no more than the limit')
      recovered.push(...found.flat().map(({ id }) => id))
    }
    assert.equal(new Set(recovered).size, 25)
    assert.equal(recovered.length, 25)
  },
}

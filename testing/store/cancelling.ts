import assert from 'node:assert/strict'
import { v7 as uuidv7 } from 'uuid'
import type { Behaviours } from './scene.ts'

export const cancelling: Behaviours = {
  'a job that waits is cancelled and never claimed': async (scene) => {
    const { jobId } = await scene.submit()
    const cancelled = await scene.store.cancel(null, jobId)
    assert.equal(cancelled?.status, 'CANCELLED')
    assert.equal(cancelled.version, 2)
    assert.deepEqual(await scene.read(jobId), cancelled)
    assert.deepEqual(await scene.claim(), [])
  },

  'a job that runs is cancelled, and whatever its run reports later is refused': async (scene) => {
    const job = await scene.running()
    assert.equal((await scene.store.cancel(null, job.id))?.status, 'CANCELLED')
    const cancelled = await scene.read(job.id)
    assert.equal(await scene.end(job, { output: '1' }), undefined)
    assert.equal(await scene.store.reportProgress({ ...job, percent: 50 }), undefined)
    assert.deepEqual(await scene.read(job.id), cancelled)
  },

  'a job is cancelled once, and not when it has ended or is not there': async (scene) => {
    const { jobId } = await scene.submit()
    const cancels = await Promise.all(Array.from({ length: 5 }, () => scene.store.cancel(null, jobId)))
    assert.equal(cancels.filter((job) => job !== undefined).length, 1)
    const { id } = await scene.completed()
    assert.equal(await scene.store.cancel(null, id), undefined)
    assert.equal((await scene.read(id)).status, 'COMPLETED')
    assert.equal(await scene.store.cancel(null, uuidv7()), undefined)
  },

  'a tenant cancels jobs of its own only': async (scene) => {
    const { jobId } = await scene.submit({ tenant: 'a' })
    assert.equal(await scene.store.cancel('b', jobId), undefined)
    assert.equal((await scene.read(jobId)).status, 'PENDING')
    assert.equal((await scene.store.cancel('a', jobId))?.status, 'CANCELLED')
  },
}

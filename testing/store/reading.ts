import assert from 'node:assert/strict'
import { v7 as uuidv7 } from 'uuid'
import type { Behaviours } from './scene.ts'

export const reading: Behaviours = {
  'a job that is not there reads as undefined': async ({ store }) => {
    assert.equal(await store.read(uuidv7()), undefined)
  },

  'reads of one moment get each its own job': async (scene) => {
    const jobs = await Promise.all([1, 2, 3].map(() => scene.submit()))
    const ids = jobs.map(({ jobId }) => jobId)
    const read = await Promise.all([...ids, uuidv7()].map((id) => scene.store.read(id)))
    assert.deepEqual(
      read.map((job) => job?.id),
      [...ids, undefined],
    )
  },

  'input and output are given back as they were given': async (scene) => {
    const value = { text: 'ä"\\\n€😀', list: [1, 2.5, null, true], nested: { empty: {} } }
    const job = await scene.running({ input: JSON.stringify(value) })
    assert.deepEqual(job.input, value)
    assert.equal('output' in (await scene.read(job.id)), false)
    await scene.end(job, { output: JSON.stringify(value) })
    assert.deepEqual((await scene.read(job.id)).output, value)
  },

  'waiting jobs are counted up to a limit': async (scene) => {
    assert.equal(await scene.store.countPending(scene.type, 10), 0)
    await scene.running()
    await Promise.all(Array.from({ length: 5 }, () => scene.submit()))
    assert.equal(await scene.store.countPending(scene.type, 10), 5)
    assert.equal(await scene.store.countPending(scene.type, 3), 3)
  },

  'changes since a version are told, and jobs that are gone': async (scene) => {
    const [changed, { jobId: same }, gone] = [await scene.running(), await scene.submit(), uuidv7()]
    const changes = await scene.store.readChanges(
      new Map([
        [changed.id, 1],
        [same, 1],
        [gone, 1],
      ]),
    )
    assert.deepEqual([...changes.keys()].sort(), [changed.id, gone].sort())
    assert.equal(changes.get(gone), null)
    const { id, status, version } = changes.get(changed.id) ?? {}
    assert.deepEqual({ id, status, version }, { id: changed.id, status: 'PROCESSING', version: 2 })
    assert.equal((await scene.store.readChanges(new Map())).size, 0)
  },

  'each change grows the version by one and the time by a millisecond at least': async (scene) => {
    const job = await scene.running()
    const last = await scene.read(job.id)
    assert.equal(last.version, 2)
    for (let n = 1; n <= 50; n += 1) {
      const state = await scene.store.reportProgress({ ...job, percent: n })
      assert.equal(state?.version, last.version + 1)
      assert.ok(state.lastUpdatedAt.getTime() > last.lastUpdatedAt.getTime(), 'the time has grown')
      Object.assign(last, state)
    }
    assert.deepEqual(await scene.read(job.id), last)
  },
}

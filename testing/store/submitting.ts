import assert from 'node:assert/strict'
import type { Behaviours } from './scene.ts'
import { counts } from './scene.ts'

export const submitting: Behaviours = {
  'the database is one that the store can work with': async ({ store }) => {
    await store.checkSchema()
  },

  'a submit makes a job that waits': async (scene) => {
    const job = scene.job({ tenant: 'a tenant' })
    assert.deepEqual(await scene.store.submit(job), { outcome: 'created', jobId: job.id, status: 'PENDING' })
    const { createdAt, lastUpdatedAt, ...rest } = await scene.read(job.id)
    assert.deepEqual(rest, {
      id: job.id,
      tenant: 'a tenant',
      type: scene.type,
      status: 'PENDING',
      version: 1,
      percentComplete: null,
      failure: null,
    })
    assert.equal(lastUpdatedAt.getTime(), createdAt.getTime())
  },

  'a key stands for one job, however many submit with it at once': async (scene) => {
    const submits = Array.from({ length: 30 }, () => scene.submit({ idempotencyKey: scene.type }))
    const answers = await Promise.all(submits)
    assert.deepEqual(counts(answers.map(({ outcome }) => outcome)), { created: 1, idempotent: 29 })
    assert.equal(new Set(answers.map(({ jobId }) => jobId)).size, 1)
    assert.equal(await scene.store.countPending(scene.type, 100), 1)
  },

  'a key still stands for its job when that has ended': async (scene) => {
    const { id: jobId } = await scene.completed({ idempotencyKey: scene.type })
    const again = await scene.submit({ idempotencyKey: scene.type })
    assert.deepEqual(again, { outcome: 'idempotent', jobId, status: 'COMPLETED' })
  },

  'a key that stands for another type or another input is refused': async (scene) => {
    const { jobId } = await scene.submit({ idempotencyKey: scene.type })
    const mismatch = { outcome: 'mismatch', jobId, type: scene.type }
    assert.deepEqual(await scene.submit({ idempotencyKey: scene.type, type: `${scene.type}-2` }), mismatch)
    assert.deepEqual(await scene.submit({ idempotencyKey: scene.type, inputHash: '01' }), mismatch)
  },

  'a key that two inputs claim at once goes to one of them': async (scene) => {
    const submits = ['01', '02'].map((inputHash) => scene.submit({ idempotencyKey: scene.type, inputHash }))
    const outcomes = (await Promise.all(submits)).map(({ outcome }) => outcome)
    assert.deepEqual(counts(outcomes), { created: 1, mismatch: 1 })
  },

  'the keys of two tenants are two keys': async (scene) => {
    const [a, b] = await Promise.all(['a', 'b'].map((tenant) => scene.submit({ idempotencyKey: scene.type, tenant })))
    assert.deepEqual([a?.outcome, b?.outcome], ['created', 'created'])
    assert.notEqual(a?.jobId, b?.jobId)
  },
}

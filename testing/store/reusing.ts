import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Behaviours, counts } from './scene.ts'

const scope = { coalescingKey: 'ab', singleFlight: true }
const fresh = { coalescingKey: 'ab', freshForMs: 60_000 }

export const reusing: Behaviours = {
  'a job in flight stands for the same work, however many submit at once': async (scene) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.submit(scope)))
    assert.deepEqual(counts(answers.map(({ outcome }) => outcome)), { created: 1, 'in-flight': 19 })
    assert.equal(new Set(answers.map(({ jobId }) => jobId)).size, 1)
  },

  'a job in flight stands for the same work while it runs, and not when it has ended': async (scene) => {
    const job = await scene.running(scope)
    assert.deepEqual(await scene.submit(scope), { outcome: 'in-flight', jobId: job.id, status: 'PROCESSING' })
    await scene.end(job)
    assert.equal((await scene.submit(scope)).outcome, 'created')
  },

  'a job in flight stands for nothing of another scope, type or tenant': async (scene) => {
    await scene.submit(scope)
    const others = [{ coalescingKey: 'cd' }, { type: `${scene.type}-2` }, { tenant: 'b' }]
    for (const other of others) assert.equal((await scene.submit({ ...scope, ...other })).outcome, 'created')
  },

  'a key that a job in flight answered stays with it': async (scene) => {
    const job = await scene.running(scope)
    const keyed = { ...scope, idempotencyKey: scene.type }
    assert.equal((await scene.submit(keyed)).outcome, 'in-flight')
    await scene.end(job)
    assert.deepEqual(await scene.submit(keyed), { outcome: 'idempotent', jobId: job.id, status: 'COMPLETED' })
  },

  'a key that a job in flight refused stays free': async (scene) => {
    const job = await scene.running(scope)
    const keyed = { ...scope, rejects: true, idempotencyKey: scene.type }
    assert.deepEqual(await scene.submit(keyed), { outcome: 'in-flight', jobId: job.id, status: 'PROCESSING' })
    await scene.end(job)
    assert.equal((await scene.submit(keyed)).outcome, 'created')
  },

  'a job that completed within the window stands for the same work, unless a new run is asked for': async (scene) => {
    const { id: jobId } = await scene.completed(fresh)
    assert.deepEqual(await scene.submit(fresh), { outcome: 'fresh', jobId, status: 'COMPLETED' })
    assert.equal((await scene.submit({ ...fresh, tenant: 'b' })).outcome, 'created')
    assert.equal((await scene.submit({ ...fresh, freshForMs: null })).outcome, 'created')
  },

  'a job that completed before the window stands for nothing': async (scene) => {
    await scene.completed(fresh)
    await wait(20)
    assert.equal((await scene.submit({ ...fresh, freshForMs: 10 })).outcome, 'created')
  },

  'a job that failed or was cancelled is never fresh': async (scene) => {
    const failed = await scene.running(fresh)
    await scene.end(failed, { status: 'FAILED', failure: { code: 'x', title: 'X' } })
    const { jobId } = await scene.submit(fresh)
    await scene.store.cancel(null, jobId)
    assert.equal((await scene.submit(fresh)).outcome, 'created')
  },

  'a submit is answered by its key first, then by a fresh job, then by one in flight': async (scene) => {
    const first = await scene.completed({ ...fresh, ...scope, idempotencyKey: scene.type })
    const anew = await scene.submit({ ...scope, freshForMs: null })
    assert.equal(anew.outcome, 'created')
    const both = { ...fresh, ...scope }
    assert.deepEqual(await scene.submit(both), { outcome: 'fresh', jobId: first.id, status: 'COMPLETED' })
    assert.equal((await scene.submit({ ...both, idempotencyKey: scene.type })).outcome, 'idempotent')
    assert.deepEqual(await scene.submit(scope), { outcome: 'in-flight', jobId: anew.jobId, status: 'PENDING' })
  },

  'it is known when work of a scope completed last': async (scene) => {
    const { type, store } = scene
    const query = { tenant: '', type, coalescingKey: 'ab' }
    assert.equal(await store.lastCompleted(query), undefined)
    const { id } = await scene.completed(fresh)
    await scene.submit({ ...fresh, freshForMs: null })
    const last = await store.lastCompleted(query)
    assert.equal(last?.at.getTime(), (await scene.read(id)).lastUpdatedAt.getTime())
    // Times are truncated to milliseconds, and may run ahead by some when a job changes quickly.
    assert.ok(last.ageMs > -1_000 && last.ageMs < 60_000, `an age of ${last.ageMs} ms`)
    assert.equal(await store.lastCompleted({ ...query, tenant: 'b' }), undefined)
  },
}

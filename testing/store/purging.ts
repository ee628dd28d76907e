import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Behaviours, eventually, failure, type Scene } from './scene.ts'

/** Purges until a job is gone. */
function purgeUntilGone({ store }: Scene, id: string): Promise<void> {
  return eventually(async () => {
    const count = await store.purge({ olderThanMs: 0, limit: 100 })
    assert.ok(count <= 100, 'no more than the limit')
    assert.equal(await store.read(id), undefined)
  })
}

async function purgeAll({ store }: Scene, olderThanMs: number): Promise<void> {
  // The ids of what has just ended must be of the past.
  await wait(20)
  for (let batch = 0; batch < 10_000; batch += 1) {
    if ((await store.purge({ olderThanMs, limit: 100 })) < 100) return
  }
  assert.fail('it never says that nothing is left')
}

export const purging: Behaviours = {
  'jobs that ended long enough ago are purged, and no others': async (scene) => {
    const [done, failed] = [await scene.completed(), await scene.running()]
    await scene.end(failed, { status: 'FAILED', failure })
    const { jobId: cancelled } = await scene.submit()
    await scene.store.cancel(null, cancelled)
    const [running, { jobId: waiting }] = [await scene.running(), await scene.submit()]
    await purgeAll(scene, 3_600_000)
    const ended = [done.id, failed.id, cancelled]
    for (const id of ended) assert.ok(await scene.store.read(id), 'it has not ended long ago')
    for (const id of ended) await purgeUntilGone(scene, id)
    assert.equal((await scene.read(running.id)).status, 'PROCESSING')
    assert.equal((await scene.read(waiting)).status, 'PENDING')
  },

  'a purged job is gone for whoever watches it, and its key is free': async (scene) => {
    const { id } = await scene.completed({ idempotencyKey: scene.type, input: '1' })
    await purgeUntilGone(scene, id)
    assert.deepEqual([...(await scene.store.readChanges(new Map([[id, 3]])))], [[id, null]])
    assert.equal((await scene.submit({ idempotencyKey: scene.type })).outcome, 'created')
  },
}

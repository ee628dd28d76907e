import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { type Behaviours, eventually } from './scene.ts'

export const reporting: Behaviours = {
  'the key of a claim tells a reporter of its job, and no other key does': async (scene) => {
    const { id, fencingToken, reportKey } = await scene.reported()
    assert.ok(reportKey, 'a job that a reporter ends has a key')
    const expected = { type: scene.type, fencingToken, status: 'PROCESSING' }
    assert.deepEqual(await scene.store.readReported(id, reportKey), expected)
    assert.equal(await scene.store.readReported(id, uuidv7()), undefined)
    assert.equal(await scene.store.readReported(uuidv7(), reportKey), undefined)
  },

  'the key of a claim goes when the job is claimed again, and stays when it has ended': async (scene) => {
    const first = await scene.reported({ maxAttempts: 2 })
    await scene.end(first, { status: 'PENDING' })
    const [again] = await scene.claim({ fireAndForget: [scene.type] })
    assert.ok(first.reportKey && again?.reportKey && again.id === first.id)
    assert.equal(await scene.store.readReported(first.id, first.reportKey), undefined)
    await scene.end(again)
    assert.equal((await scene.store.readReported(again.id, again.reportKey))?.status, 'COMPLETED')
  },

  'a job of which nothing was heard for too long fails, or is put back while attempts remain': async (scene) => {
    const [once, twice] = [await scene.reported(), await scene.reported({ maxAttempts: 2 })]
    assert.deepEqual(await scene.store.recoverSilent([scene.type], { silentForMs: 60_000, limit: 10 }), [])
    assert.deepEqual(await scene.store.recoverSilent([`${scene.type}-2`], { silentForMs: 0, limit: 10 }), [])
    const recovered = new Map<string, string>()
    await eventually(async () => {
      const states = await scene.store.recoverSilent([scene.type], { silentForMs: 0, limit: 1 })
      assert.ok(states.length <= 1, 'no more than the limit')
      for (const { id, status } of states) recovered.set(id, status)
      assert.equal(recovered.size, 2)
    })
    assert.deepEqual(Object.fromEntries(recovered), { [once.id]: 'FAILED', [twice.id]: 'PENDING' })
    assert.ok((await scene.read(once.id)).failure?.title, 'it says why')
  },

  'any progress renews the time that a job may be silent': async (scene) => {
    const [silent, heard] = [await scene.reported(), await scene.reported()]
    await wait(1_000)
    await scene.store.reportProgress({ ...heard, percent: 0 })
    const states = await scene.store.recoverSilent([scene.type], { silentForMs: 900, limit: 10 })
    assert.deepEqual(
      states.map(({ id }) => id),
      [silent.id],
    )
  },

  'jobs that have a worker are never silent': async (scene) => {
    await scene.running()
    await wait(5)
    assert.deepEqual(await scene.store.recoverSilent([scene.type], { silentForMs: 0, limit: 10 }), [])
  },
}

import assert from 'node:assert/strict'
import { v7 as uuidv7 } from 'uuid'
import { type Behaviours, eventually } from './scene.ts'

export const leasing: Behaviours = {
  'a lease that lives is renewed': async (scene) => {
    const id = await scene.worker()
    assert.equal(await scene.store.renewWorker(id, 60_000), true)
    assert.equal(await scene.store.renewWorker(id, 60_000), true)
  },

  'a lease that ran out, was ended or never began is not renewed': async (scene) => {
    const [late, ended] = [await scene.worker(1), await scene.worker()]
    await scene.store.removeWorker(ended)
    await eventually(async () => assert.equal(await scene.store.renewWorker(late, 1), false))
    for (const id of [late, ended, uuidv7()]) assert.equal(await scene.store.renewWorker(id, 60_000), false)
  },

  'what a worker owns but does not hold is given back, and spends no attempt': async (scene) => {
    const workerId = await scene.worker()
    await Promise.all([scene.submit(), scene.submit()])
    const [held, unheld] = await scene.claim({ workerId, total: 2 })
    assert.ok(held && unheld)
    const released = await scene.store.releaseUnheld(workerId, new Map([[held.id, held.fencingToken]]))
    assert.deepEqual(
      released.map(({ id, status }) => ({ id, status })),
      [{ id: unheld.id, status: 'PENDING' }],
    )
    const [again] = await scene.claim({ workerId })
    assert.deepEqual([again?.id, again?.attempt, again?.fencingToken], [unheld.id, 1, 2])
    // The claim that the worker knew of is not the one that the job has now.
    const older = new Map([
      [held.id, held.fencingToken],
      [unheld.id, unheld.fencingToken],
    ])
    assert.deepEqual(
      (await scene.store.releaseUnheld(workerId, older)).map(({ id }) => id),
      [unheld.id],
    )
    assert.equal((await scene.read(held.id)).status, 'PROCESSING')
  },

  'what another worker owns is not given back': async (scene) => {
    const job = await scene.running()
    assert.deepEqual(await scene.store.releaseUnheld(await scene.worker(), new Map()), [])
    assert.equal((await scene.read(job.id)).status, 'PROCESSING')
  },
}

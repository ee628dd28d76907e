import assert from 'node:assert/strict'
import type { ClaimedJob, Ending } from '../../server/store/port.ts'
import { type Behaviours, failure, type Scene } from './scene.ts'

/** A job that was taken from its first owner and runs again elsewhere: the claim of the ghost, and the living one. */
async function takenOver(scene: Scene): Promise<{ ghost: ClaimedJob; owner: ClaimedJob }> {
  const workerId = await scene.worker()
  const ghost = await scene.running({ maxAttempts: 3 }, { workerId })
  await scene.store.removeWorker(workerId)
  await scene.store.recoverOrphans([scene.type], 10)
  const [owner] = await scene.claim()
  assert.equal(owner?.id, ghost.id, 'the orphan is claimed again')
  assert.ok(owner.fencingToken > ghost.fencingToken, 'the token has grown')
  return { ghost, owner }
}

function refuses(more: Partial<Ending>): (scene: Scene) => Promise<void> {
  return async (scene) => {
    const { ghost, owner } = await takenOver(scene)
    const before = await scene.read(owner.id)
    assert.equal(await scene.end(ghost, more), undefined)
    assert.deepEqual(await scene.read(owner.id), before)
    assert.equal((await scene.end(owner))?.status, 'COMPLETED')
  }
}

export const fencing: Behaviours = {
  'the completion of an attempt that another one has replaced is refused': refuses({}),
  'the output of an attempt that another one has replaced is refused': refuses({ output: '{"rows":1}' }),
  'the failure of an attempt that another one has replaced is refused': refuses({ status: 'FAILED', failure }),
  'the retry of an attempt that another one has replaced is refused': refuses({ status: 'PENDING', delayMs: 1 }),
  'the release of an attempt that another one has replaced is refused': refuses({ status: 'PENDING', unspent: true }),

  'the progress of an attempt that another one has replaced is refused': async (scene) => {
    const { ghost, owner } = await takenOver(scene)
    const before = await scene.read(owner.id)
    assert.equal(await scene.store.reportProgress({ ...ghost, percent: 50 }), undefined)
    assert.deepEqual(await scene.read(owner.id), before)
    assert.equal((await scene.store.reportProgress({ ...owner, percent: 60 }))?.percentComplete, 60)
  },

  'reports on a job that waits or has ended are refused': async (scene) => {
    const job = await scene.running()
    await scene.end(job, { status: 'PENDING', unspent: true })
    assert.equal(await scene.end(job), undefined)
    assert.equal(await scene.store.reportProgress({ ...job, percent: 50 }), undefined)
    const [again] = await scene.claim()
    assert.ok(again && (await scene.end(again)))
    assert.equal(await scene.store.reportProgress({ ...again, percent: 50 }), undefined)
    assert.equal(await scene.end(again, { status: 'FAILED', failure }), undefined)
    assert.equal((await scene.read(job.id)).status, 'COMPLETED')
  },
}

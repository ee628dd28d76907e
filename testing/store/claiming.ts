import assert from 'node:assert/strict'
import { type Behaviours, counts } from './scene.ts'

export const claiming: Behaviours = {
  'a claim makes the job run: one more attempt, a new token, a new version': async (scene) => {
    const { jobId } = await scene.submit({ tenant: 'a', maxAttempts: 3 })
    const [job] = await scene.claim()
    const { id, tenant, type, priority, attempt, maxAttempts, fencingToken, version, reportKey, input } = job ?? {}
    assert.deepEqual(
      { id, tenant, type, priority, attempt, maxAttempts, fencingToken, version, reportKey, input },
      {
        id: jobId,
        tenant: 'a',
        type: scene.type,
        priority: 1,
        attempt: 1,
        maxAttempts: 3,
        fencingToken: 1,
        version: 2,
        reportKey: null,
        input: undefined,
      },
    )
    assert.equal((await scene.read(jobId)).status, 'PROCESSING')
  },

  'a job goes to one claim, however many claim at once': async (scene) => {
    await Promise.all(Array.from({ length: 60 }, () => scene.submit()))
    const claims = await Promise.all(Array.from({ length: 6 }, () => scene.claim({ total: 30 })))
    const rest = await scene.claim({ total: 60 })
    const ids = [...claims.flat(), ...rest].map(({ id }) => id)
    assert.equal(ids.length, 60)
    assert.equal(new Set(ids).size, 60)
  },

  'a claim takes the oldest, and no more than it asks for': async (scene) => {
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) ids.push((await scene.submit()).jobId)
    const claimed = await scene.claim({ total: 3 })
    assert.deepEqual(claimed.map(({ id }) => id).sort(), ids.slice(0, 3).sort())
    assert.equal((await scene.claim({ total: 0, shares: [] })).length, 0)
    assert.equal((await scene.claim({ total: 3 })).length, 1)
  },

  'each type has its own share of a claim, and all together the total': async (scene) => {
    const [deep, other, third] = [scene.type, `${scene.type}-2`, `${scene.type}-3`]
    await Promise.all(Array.from({ length: 10 }, () => scene.submit()))
    await Promise.all([scene.submit({ type: other }), scene.submit({ type: third })])
    const shares = [deep, other].map((type) => ({ type, priority: 1, limit: 3, floor: null }))
    const claimed = await scene.claim({ shares, total: 5 })
    assert.deepEqual(counts(claimed.map(({ type }) => type)), { [deep]: 3, [other]: 1 })
    assert.equal((await scene.claim({ shares, total: 2 })).length, 2)
  },

  'a claim with a floor looks at nothing that was due before it': async (scene) => {
    await scene.submit()
    const share = { type: scene.type, priority: 1, limit: 1 }
    const above = await scene.claim({ shares: [{ ...share, floor: new Date(Date.now() + 86_400_000) }] })
    assert.deepEqual(above, [])
    const [job] = await scene.claim({ shares: [{ ...share, floor: new Date(0) }] })
    assert.ok(job !== undefined && job.runAt instanceof Date)
  },
}

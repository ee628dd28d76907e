import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Settings } from '../../server/config/settings.ts'
import { client } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Replica, startReplica } from '../support/replicas.ts'

let database: TestDatabase
let replicas: Replica[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()))
  replicas = []
})

async function replica(settings: Settings): Promise<Replica> {
  const started = await startReplica(database.url, settings)
  replicas.push(started)
  return started
}

/** Submits through one process that runs nothing and watches there how another one runs the job. */
async function acrossProcesses(settings: Settings): Promise<{ names: string[]; ms: number }> {
  const front = client((await replica({ ...settings, processing: { ...settings.processing, enabled: false } })).url)
  await replica(settings)
  const from = performance.now()
  const names = (await front.readEvents(await front.submit('noop'))).map(({ event }) => event)
  return { names, ms: performance.now() - from }
}

describe('several processes on one database', () => {
  it('show the events of a job that another one runs at their poll interval when there are no hints [G13 A36]', async () => {
    const hintless = {
      hints: { enabled: false },
      processing: { pollInterval: 'PT0.2S' },
      sse: { pollInterval: 'PT0.2S' },
    }
    const { names, ms } = await acrossProcesses(hintless)
    expect(names.at(-1)).toBe('complete')
    expect(ms).toBeLessThan(3_000)
  })

  it('fail a job whose process was killed, within lease and scan interval [G7 A53]', async () => {
    const settings = { processing: { lease: 'PT1S' }, recovery: { scanInterval: 'PT0.3S' } }
    const [victim, survivor] = [await replica(settings), await replica({ ...settings, processing: { enabled: false } })]
    const front = client(survivor.url)
    const id = await front.submit('minute')
    await victim.started(id)
    const rescuer = await replica(settings)
    const from = performance.now()
    await victim.kill()
    expect((await front.readEvents(id)).at(-1)).toMatchObject({ event: 'failed', data: { failureCode: 'worker-lost' } })
    expect(performance.now() - from).toBeLessThan(1_000 + 300 + 1_000)
    expect(rescuer.process.exitCode).toBeNull()
  })

  it('take over a job that may be tried twice, when its process was killed [G7 G4 K01]', async () => {
    const settings = { processing: { lease: 'PT1S' }, recovery: { scanInterval: 'PT0.3S' } }
    const victim = await replica(settings)
    const id = await client(victim.url).submit('again')
    await victim.started(id)
    const survivor = await replica(settings)
    await victim.kill()
    const front = client(survivor.url)
    expect(await front.ended(id)).toMatchObject({ status: 'COMPLETED' })
  })

  it('lose nothing when one of them is told to stop: what it ran goes to the other [G8]', async () => {
    const settings = { processing: { pollInterval: 'PT0.1S', stopGrace: 'PT0.1S' } }
    const first = await replica(settings)
    const id = await client(first.url).submit('minute')
    await first.started(id)
    const second = await replica(settings)
    await first.kill('SIGTERM')
    await second.started(id)
    const response = await client(second.url).fetch(`/jobs/${id}`, { method: 'DELETE' })
    expect(response.status).toBe(202)
  })
})

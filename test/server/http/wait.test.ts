import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { type Gate, gate } from '../../support/gate.ts'

let database: TestDatabase
let app: TestApp
const gates = new Map<string, { first: Gate; second: Gate }>()

const handlers = [
  defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
  defineHandler({ type: 'sums', outputSchema: {}, handle: () => ({ sum: 3 }) }),
  defineHandler({
    type: 'fails',
    handle: () => {
      throw new JobFailureError({ title: 'The file is empty', code: 'empty-file' })
    },
  }),
  defineHandler({
    type: 'steps',
    handle: async ({ jobId, progress }) => {
      await gates.get(jobId)?.first.promise
      await progress(50)
      await gates.get(jobId)?.second.promise
    },
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers, freshness: { enabled: true, perType: { sums: 'PT10M' } } })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

async function submitSteps(): Promise<{ id: string; first: Gate; second: Gate }> {
  const [first, second] = [gate(), gate()]
  const { jobId: id } = await app.asyncJobs.submit('steps')
  gates.set(id, { first, second })
  return { id, first, second }
}

const wait = (seconds: number | string): RequestInit => ({ headers: { prefer: `wait=${seconds}` } })

describe('a submit that prefers to wait [A74]', () => {
  it('is answered as the status resource would, once the job has ended', async () => {
    const response = await app.fetch('/jobs/sums', { method: 'POST', ...wait(20) })
    const body = (await response.json()) as { jobId: string }
    expect(response.status).toBe(200)
    expect(body).toMatchObject({ status: 'COMPLETED', output: { sum: 3 } })
    const status = await app.fetch(`/jobs/${body.jobId}/status`)
    expect(await status.json()).toEqual(body)
    for (const name of ['etag', 'expires', 'cache-control']) {
      expect(response.headers.get(name)).toBe(status.headers.get(name))
    }
    const url = `${app.url}/jobs/${body.jobId}/status`
    expect(response.headers.get('location')).toBe(url)
    expect(response.headers.get('content-location')).toBe(url)
    expect(response.headers.get('preference-applied')).toBe('wait=20')
    expect(response.headers.get('retry-after')).toBeNull()
  })

  it('is answered by the 422 of a job that fails', async () => {
    const response = await app.fetch('/jobs/fails', { method: 'POST', ...wait(20) })
    const body = (await response.json()) as { jobId: string }
    expect(response.status).toBe(422)
    expect(body).toMatchObject({ code: 'job-failed', failureCode: 'empty-file', jobStatus: 'FAILED' })
    expect(await (await app.fetch(`/jobs/${body.jobId}/status`)).json()).toEqual(body)
    expect(response.headers.get('content-location')).toBe(`${app.url}/jobs/${body.jobId}/status`)
  })

  it('is answered by 202 as usual when the job takes longer, and the job goes on', async () => {
    const from = performance.now()
    const response = await app.fetch('/jobs/slow', { method: 'POST', ...wait(1) })
    expect(performance.now() - from).toBeGreaterThan(990)
    expect(response.status).toBe(202)
    expect(response.headers.get('preference-applied')).toBe('wait=1')
    expect(response.headers.get('retry-after')).toBe('5')
    const { jobId } = (await response.json()) as { jobId: string }
    expect(await (await app.fetch(`/jobs/${jobId}/status`)).json()).toMatchObject({ jobId, percentComplete: null })
  })

  it('is answered at once by a job that is still fresh', async () => {
    await app.ended(await app.submit('sums'))
    const response = await app.fetch('/jobs/sums', { method: 'POST', ...wait(20) })
    expect(response.status).toBe(200)
  })

  it.each([['wait'], ['respond-async'], ['wait=soon']])('is not kept waiting for %s', async (prefer) => {
    const response = await app.fetch('/jobs/slow', { method: 'POST', headers: { prefer } })
    expect(response.status).toBe(202)
    expect(response.headers.get('preference-applied')).toBeNull()
  })
})

describe('a status that prefers to wait [A74]', () => {
  it('is answered when the job ends', async () => {
    const { id, first, second } = await submitSteps()
    const answer = app.fetch(`/jobs/${id}/status`, wait(20))
    first.open()
    second.open()
    const response = await answer
    expect(await response.json()).toMatchObject({ status: 'COMPLETED' })
    expect(response.headers.get('preference-applied')).toBe('wait=20')
  })

  it('is answered at the next change to a client that names the version it knows', async () => {
    const { id, first, second } = await submitSteps()
    await app.seen('attempt:start', ({ jobId }) => jobId === id)
    const tag = (await app.fetch(`/jobs/${id}/status`)).headers.get('etag') ?? ''
    const answer = app.fetch(`/jobs/${id}/status`, { headers: { prefer: 'wait=20', 'if-none-match': tag } })
    first.open()
    const response = await answer
    expect(await response.json()).toMatchObject({ status: 'PROCESSING', percentComplete: 50 })
    const unchanged = { prefer: 'wait=1', 'if-none-match': response.headers.get('etag') ?? '' }
    expect((await app.fetch(`/jobs/${id}/status`, { headers: unchanged })).status).toBe(304)
    second.open()
  })

  it('is told together with all others that wait for the job [G13]', async () => {
    const { id, second } = await submitSteps()
    const answers = Array.from({ length: 50 }, () => app.fetch(`/jobs/${id}/status`, wait(20)))
    gates.get(id)?.first.open()
    second.open()
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
  })

  it('is answered at once, with the present state, when the server stops', async () => {
    const arrived = gate()
    const other = await startApp({
      pool: database.pool(),
      processing: { enabled: false },
      handlers,
      before: (host) =>
        host.use((req, _res, next) => {
          if (req.get('prefer') !== undefined) arrived.open()
          next()
        }),
    })
    const id = await other.submit('slow')
    const answer = other.fetch(`/jobs/${id}/status`, wait(20))
    await arrived.promise
    const from = performance.now()
    const stopped = other.asyncJobs.stop({ graceMs: 0 })
    expect((await answer).status).toBe(200)
    expect(performance.now() - from).toBeLessThan(2_000)
    await stopped
    await other.close()
  })

  it('is not kept waiting where all places are taken, and gives its own back when the client leaves [G14]', async () => {
    const sse = { maxStreams: 1 }
    const elsewhere = [defineHandler({ type: 'elsewhere', handle: () => {} })]
    await withApp(database, { handlers: elsewhere, processing: { enabled: false }, sse }, async (small) => {
      const path = `/jobs/${await small.submit('elsewhere')}/status`
      const leave = new AbortController()
      const left = small.fetch(path, { ...wait(20), signal: leave.signal }).catch(() => 'left')
      const applied = async (): Promise<string | null> =>
        (await small.fetch(path, wait(0))).headers.get('preference-applied')
      await expect.poll(applied).toBeNull()
      leave.abort()
      expect(await left).toBe('left')
      await expect.poll(applied).toBe('wait=0')
    })
  })

  it('waits no longer than the configuration lets it', async () => {
    await withApp(database, { handlers, http: { maxWait: 'PT1S' } }, async (short) => {
      const response = await short.fetch('/jobs/slow', { method: 'POST', ...wait(600) })
      expect(response.headers.get('preference-applied')).toBe('wait=1')
    })
  })
})

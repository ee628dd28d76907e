import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, isJobCancelledError, isJobFailedError, isJobNotFoundError } from '../../client/index.ts'
import { defineHandler, JobFailureError } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { gate } from '../support/gate.ts'

let database: TestDatabase
let app: TestApp

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({
    type: 'steps',
    handle: async ({ progress, sleep }) => {
      for (const percent of [25, 50, 75]) {
        await progress(percent)
        await sleep(150)
      }
    },
  }),
  defineHandler({
    type: 'fails',
    handle: () => {
      throw new JobFailureError({ title: 'é漢😀', code: 'on-purpose', detail: 'two\r\n\r\nlines' })
    },
  }),
  defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
  defineHandler<{ month: string }>({
    type: 'report',
    inputSchema: { type: 'object', required: ['month'], properties: { month: { type: 'string' } } },
    outputSchema: { type: 'object' },
    handle: ({ input }) => ({ month: input.month, rows: 3 }),
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), mount: '/api', handlers, retryAfterSeconds: 1 })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

/** A client whose streams are refused, as a proxy may do. */
const pollingClient = (): ReturnType<typeof createClient> =>
  createClient({
    baseUrl: app.url,
    retryAfterMs: 100,
    fetch: (request) =>
      request.url.endsWith('/events')
        ? Promise.resolve(new Response('<html>no</html>', { status: 502 }))
        : fetch(request),
  })

describe('the client and the server', () => {
  it('submit, show progress and resolve when the work has ended, in one chain [A01 A03]', async () => {
    const seen: (number | null)[] = []
    const job = await createClient({ baseUrl: app.url })
      .submit('steps')
      .waitForCompletion({ onProgress: ({ percentComplete }) => void seen.push(percentComplete) })
    expect(job).toMatchObject({ status: 'COMPLETED', percentComplete: 100 })
    expect(seen).toEqual(expect.arrayContaining([25, 50, 75]))
  })

  it('do the same where no stream can be had, by polling [A33]', async () => {
    const job = await pollingClient().submit('noop').waitForCompletion({ timeoutMs: 20_000 })
    expect(job).toMatchObject({ status: 'COMPLETED' })
  }, 30_000)

  it('tell why a job failed, in the words of its handler [A24 A50]', async () => {
    const wait = createClient({ baseUrl: app.url }).submit('fails').waitForCompletion()
    const error: unknown = await wait.catch((reason: unknown) => reason)
    expect(isJobFailedError(error) && error.failure).toMatchObject({
      code: 'on-purpose',
      title: 'é漢😀',
      detail: 'two\r\n\r\nlines',
    })
  })

  it('end a wait when the job is cancelled, and refuse to cancel twice [A38]', async () => {
    const handle = createClient({ baseUrl: app.url }).submit('slow')
    const wait = handle.waitForCompletion().catch((reason: unknown) => reason)
    await handle.cancel()
    expect(isJobCancelledError(await wait)).toBe(true)
    await expect(handle.cancel()).rejects.toMatchObject({ status: 409 })
  })

  it('take an input and give the output with the final state', async () => {
    const handle = createClient({ baseUrl: app.url }).submit('report', { input: { month: '2026-11' } })
    expect(await handle.waitForCompletion()).toMatchObject({ output: { month: '2026-11', rows: 3 } })
    const wrong = createClient({ baseUrl: app.url }).submit('report', { input: { month: 11 } })
    await expect(Promise.resolve(wrong)).rejects.toMatchObject({ status: 400, problem: { code: 'invalid-input' } })
  })

  it('answer the same job to the same key, from one submit to the next', async () => {
    const client = createClient({ baseUrl: app.url })
    const [first, second] = [
      await client.submit('noop', { idempotencyKey: 'once' }),
      await client.submit('noop', { idempotencyKey: 'once' }),
    ]
    expect(second).toMatchObject({ jobId: first.jobId, outcome: 'idempotent' })
  })

  it('resume a wait by the id alone, and say so when there is no such job [A32]', async () => {
    const { jobId } = await createClient({ baseUrl: app.url }).submit('steps')
    expect(await createClient({ baseUrl: app.url }).job(jobId).waitForCompletion()).toMatchObject({ jobId })
    const missing = createClient({ baseUrl: app.url }).job('01890000-0000-7000-8000-000000000000')
    const error: unknown = await missing.waitForCompletion().catch((reason: unknown) => reason)
    expect(isJobNotFoundError(error)).toBe(true)
  })

  it('leave nothing open when a wait is aborted', async () => {
    const abort = new AbortController()
    const streaming = gate()
    const wait = createClient({ baseUrl: app.url })
      .submit('slow')
      .waitForCompletion({ signal: abort.signal, onProgress: () => streaming.open() })
      .catch((reason: unknown) => reason)
    await streaming.promise
    abort.abort(new Error('enough'))
    expect(await wait).toMatchObject({ message: 'enough' })
  })

  it('never miss the end of a job that ends at once: 1,000 waits all settle [K89]', async () => {
    const client = createClient({ baseUrl: app.url })
    const waits = Array.from({ length: 1_000 }, () => client.submit('noop').waitForCompletion())
    const jobs = await Promise.all(waits)
    expect(jobs.every(({ status }) => status === 'COMPLETED')).toBe(true)
  }, 60_000)
})

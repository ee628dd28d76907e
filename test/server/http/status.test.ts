import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let app: TestApp

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({
    type: 'steps',
    handle: async ({ progress, signal }) => {
      await progress(10)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    },
  }),
  defineHandler({
    type: 'fails',
    handle: () => {
      throw new JobFailureError({ title: '', detail: 'line 1' })
    },
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers, retention: 'PT6H' })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})
afterEach(() => {
  vi.useRealTimers()
})

const imfFixdate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const sixHours = 6 * 3_600_000

async function status(id: string, headers: HeadersInit = {}, of = app) {
  const response = await of.fetch(`/jobs/${id}/status`, { headers, redirect: 'manual' })
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, string | number | null>
  return { code: response.status, headers: response.headers, body }
}

/** Until when a terminal job stays readable, by its own account. */
function expectExpiry({ headers, body }: Awaited<ReturnType<typeof status>>, retentionMs: number): void {
  expect(headers.get('expires')).toMatch(imfFixdate)
  const end = Date.parse(String(body['lastUpdatedAt'])) + retentionMs
  expect(Date.parse(String(headers.get('expires')))).toBe(Math.floor(end / 1_000) * 1_000)
}

/** Starts a job and waits until it has reported 10 %. */
async function running(): Promise<string> {
  const id = await app.submit('steps')
  for await (const { data } of app.stream(id)) if (data['percentComplete'] === 10) return id
  throw new Error('the job ended')
}

describe('the status of a job', () => {
  it('carries Retry-After and no Expires while the job is active [A24 A25 A28 A74 S7]', async () => {
    const { code, headers, body } = await status(await running())
    expect(code).toBe(200)
    expect(headers.get('retry-after')).toBe('5')
    expect(headers.has('expires')).toBe(false)
    expect(body).toMatchObject({ type: 'steps', status: 'PROCESSING', percentComplete: 10 })
    expect(body['createdAt']).toMatch(instant)
    expect(body['lastUpdatedAt']).toMatch(instant)
  })

  it('carries Expires, an IMF-fixdate of last update and retention, and no Retry-After once it has ended [A25 A74]', async () => {
    const [completed, failed] = [await app.submit('noop'), await app.submit('fails')]
    await app.ended(completed)
    await app.ended(failed)
    const cancelled = await running()
    await app.fetch(`/jobs/${cancelled}`, { method: 'DELETE' })
    for (const id of [completed, failed, cancelled]) {
      const answer = await status(id)
      expect(answer.headers.has('retry-after')).toBe(false)
      expectExpiry(answer, sixHours)
    }
  })

  it('is 200 without a redirect when the job is COMPLETED or CANCELLED [A26 A27 A75]', async () => {
    const completed = await app.submit('noop')
    await app.ended(completed)
    expect(await status(completed)).toMatchObject({ code: 200, body: { status: 'COMPLETED', percentComplete: 100 } })
    const cancelled = await running()
    const before = await status(cancelled)
    await app.fetch(`/jobs/${cancelled}/status`, { method: 'DELETE' })
    const after = await status(cancelled)
    expect(after).toMatchObject({ code: 200, body: { status: 'CANCELLED', createdAt: before.body['createdAt'] } })
    for (const { headers } of [await status(completed), after]) expect(headers.has('location')).toBe(false)
  })

  it('is a 422 problem with a sentence of ours when the job failed without a title [A24 A80]', async () => {
    const id = await app.submit('fails')
    await app.ended(id)
    const { code, body } = await status(id)
    expect(code).toBe(422)
    expect(body).toMatchObject({ code: 'job-failed', title: 'The job failed', detail: 'line 1', jobStatus: 'FAILED' })
    expect(body['status']).toBe(422)
  })
})

describe('the ETag of a status', () => {
  it('is the version, and only an equal one is answered 304 [K59]', async () => {
    const id = await running()
    const first = await status(id)
    const tag = String(first.headers.get('etag'))
    expect(tag).toBe(`"${String(first.body['version'])}"`)
    for (const field of [tag, `W/${tag}`, `"0", ${tag}`, `W/"x",${tag} , "y"`, '*']) {
      const { code, headers } = await status(id, { 'if-none-match': field })
      expect(code).toBe(304)
      expect(headers.get('etag')).toBe(tag)
      expect(headers.get('retry-after')).toBe('5')
    }
    for (const field of ['"0"', tag.replaceAll('"', ''), `"${tag}"`, '', `"${String(first.body['version'])}0"`]) {
      expect((await status(id, { 'if-none-match': field })).code).toBe(200)
    }
    await app.fetch(`/jobs/${id}`, { method: 'DELETE' })
    const last = await status(id, { 'if-none-match': tag })
    expect(last).toMatchObject({ code: 200, body: { status: 'CANCELLED' } })
    const same = await status(id, { 'if-none-match': String(last.headers.get('etag')) })
    expect(same.code).toBe(304)
    expect(same.headers.get('expires')).toBe(last.headers.get('expires'))
  })

  it('never makes a failed job a 304 [K59 A24]', async () => {
    const id = await app.submit('fails')
    await app.ended(id)
    const tag = String((await status(id)).headers.get('etag'))
    expect((await status(id, { 'if-none-match': tag })).code).toBe(422)
    expect((await status(id, { 'if-none-match': '*' })).code).toBe(422)
  })

  it('lets no cache answer for the server [K59]', async () => {
    const id = await app.submit('noop')
    await app.ended(id)
    expect((await status(id)).headers.get('cache-control')).toBe('private, no-cache')
    const problem = await app.fetch('/jobs/x/status')
    expect(problem.headers.get('cache-control')).toBe('no-store')
  })
})

describe('the times of an answer', () => {
  it('are those of an injected clock, exactly [A84]', async () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z')
    const own = await createTestDatabase()
    const other = await startApp({ pool: own.pool(), handlers, retention: 'PT1H', clock: () => new Date(now) })
    const id = await other.submit('steps')
    // Nothing else may change the job once the clock has moved.
    await expect.poll(async () => (await other.asyncJobs.status(id)).percentComplete).toBe(10)
    now += 1_500
    await other.fetch(`/jobs/${id}`, { method: 'DELETE' })
    const { headers, body } = await status(id, {}, other)
    expect(body).toMatchObject({ createdAt: '2026-03-01T12:00:00.000Z', lastUpdatedAt: '2026-03-01T12:00:01.500Z' })
    expect(headers.get('expires')).toBe('Sun, 01 Mar 2026 13:00:01 GMT')
    await other.close()
    await own.drop()
  })

  it("are the database's, while the clock of the process is an hour ahead [K98 G9]", async () => {
    const now = (): number => performance.timeOrigin + performance.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now() + 3_600_000 })
    const began = now() - 1_000
    const ids = await Promise.all(Array.from({ length: 100 }, () => app.submit('noop')))
    const active = await status(await running())
    for (const id of ids) await app.ended(id)
    const end = now() + 1_000
    expect(Date.now() - end).toBeGreaterThan(3_000_000)
    expect(Number(active.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    for (const id of ids) {
      const answer = await status(id)
      for (const name of ['createdAt', 'lastUpdatedAt']) {
        const at = Date.parse(String(answer.body[name]))
        expect(at).toBeGreaterThan(began)
        expect(at).toBeLessThan(end)
      }
      expectExpiry(answer, sixHours)
    }
  })
})

describe('what an answer may be of', () => {
  it('is asked for with Accept: what excludes it is 406', async () => {
    const id = await app.submit('noop')
    const accepting = async (path: string, accept: string): Promise<number> => {
      const response = await app.fetch(path, { headers: { accept } })
      await response.body?.cancel()
      return response.status
    }
    for (const accept of [
      '*/*',
      'application/*',
      'text/html, */*;q=0.1',
      'application/json;q=0.5',
      'APPLICATION/JSON',
    ]) {
      expect(await accepting(`/jobs/${id}/status`, accept)).toBe(200)
    }
    for (const accept of [
      'text/event-stream',
      'text/html',
      'application/json;q=0',
      'nonsense',
      ';;;',
      'application/xml',
    ]) {
      expect(await accepting(`/jobs/${id}/status`, accept)).toBe(406)
    }
    for (const accept of ['*/*', 'text/*', 'text/event-stream', 'application/json, text/event-stream;q=0.1']) {
      expect(await accepting(`/jobs/${id}/events`, accept)).toBe(200)
    }
    for (const accept of ['application/json', 'text/html', 'text/event-stream;q=0']) {
      expect(await accepting(`/jobs/${id}/events`, accept)).toBe(406)
    }
  })

  it('is decided before anything is done: a submit that is 406 makes no job', async () => {
    const count = async (): Promise<unknown> => (await database.query('SELECT count(*) FROM async_jobs')).rows[0]
    const before = await count()
    const response = await app.fetch('/jobs/noop', { method: 'POST', headers: { accept: 'text/html' } })
    expect(response.status).toBe(406)
    expect(await count()).toEqual(before)
  })
})

import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterEach, describe, expect, it } from 'vitest'
import { type Client, createClient, isHttpError, isJobFailedError, isJobNotFoundError } from '../../client/index.ts'
import { declaredCodes, operations } from '../../testing/contract/document.ts'
import { fakeOperations, reportOperations } from '../../testing/fake/fake-operations.ts'
import { createFakeServer, type FakeServer, type FakeServerOptions, JobFailureError } from '../../testing/fake/index.ts'
import { checkedFetch, type CheckedResponse, type Fetch } from '../../testing/index.ts'
import { rejection } from '../client/fixtures.ts'

const nobody = '018f2c5e-7b1a-7c3d-9e4f-0123456789ab'
const base = 'http://test/api'
const json = { 'content-type': 'application/json' }

const checked: CheckedResponse[] = []
let server: FakeServer
/** Every answer of the fake in this file has passed the check of the document. */
let send: Fetch
let client: Client

function open(types: FakeServerOptions['types'], options: Partial<FakeServerOptions> = {}): void {
  server = createFakeServer({ types, mountPath: '/api', retryAfterSeconds: 0, ...options })
  send = checkedFetch({ baseUrl: base, fetch: server.fetch, onChecked: (one) => checked.push(one) })
  client = createClient({ baseUrl: base, fetch: send })
}
afterEach(() => server?.close())

/** The status of an answer, and the code where it is a problem. */
async function answer(method: string, path: string, init: RequestInit = {}): Promise<string> {
  const response = await send(base + path, { method, ...init })
  if (response.headers.get('content-type') !== 'application/problem+json') return String(response.status)
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}

/** Opens a stream. @returns what reads the names of its events, to its end. */
async function openStream(path: string): Promise<() => Promise<string[]>> {
  const { body } = await send(base + path)
  return () => namesIn(body!)
}

async function namesIn(body: NonNullable<Response['body']>): Promise<string[]> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const names: string[] = []
  for await (const { event } of events as unknown as AsyncIterable<{ event: string }>) names.push(event)
  return names
}

describe('a scripted job of the fake server', () => {
  it('reports progress and completes with an output', async () => {
    open({
      accounts: async (job) => {
        job.progress(40)
        await Promise.resolve()
        return { rated: (job.input as { accounts: number }).accounts }
      },
    })
    const seen: (number | null)[] = []
    const onProgress = ({ percentComplete }: { percentComplete: number | null }): void =>
      void seen.push(percentComplete)
    const job = await client.submit('accounts', { input: { accounts: 3 } }).waitForCompletion({ onProgress })
    expect(job).toMatchObject({ status: 'COMPLETED', percentComplete: 100, output: { rated: 3 } })
    expect(seen).toEqual([null, null, 40])
  })

  it('fails in the words of a JobFailureError, and keeps other errors for the test', async () => {
    open({
      fails: () => {
        throw new JobFailureError({ code: 'statement-unreadable', title: 'It cannot be read', detail: 'Line 3' })
      },
      breaks: () => {
        throw new Error('secret')
      },
    })
    const error = await rejection(client.submit('fails').waitForCompletion())
    expect(isJobFailedError(error) && error.failure).toEqual({
      code: 'statement-unreadable',
      title: 'It cannot be read',
      detail: 'Line 3',
    })
    const broken = await rejection(client.submit('breaks').waitForCompletion())
    expect(isJobFailedError(broken) && broken.failure).toEqual({ code: 'handler-error', title: 'The job failed' })
    expect((await server.submitted('breaks')).handlerError).toEqual(new Error('secret'))
  })

  it('is told to stop when the client cancels, and nothing that it does later counts', async () => {
    let reason: unknown
    open({
      slow: (job) =>
        new Promise((resolve) => {
          job.signal.addEventListener('abort', () => {
            reason = job.signal.reason
            resolve('late')
          })
        }),
    })
    const job = client.submit('slow')
    for await (const { data } of job.events()) if ('status' in data && data.status === 'PROCESSING') break
    expect(await job.cancel()).toMatchObject({ status: 'CANCELLED' })
    expect(await job.status()).toMatchObject({ status: 'CANCELLED' })
    expect(reason).toMatchObject({ reason: 'cancelled' })
    const again = await rejection(job.cancel())
    expect(isHttpError(again) && again.problem).toMatchObject({ status: 409, code: 'job-already-ended' })
  })
})

describe('a job that is moved by hand', () => {
  it('waits, follows each step, and refuses steps after its end', async () => {
    open({ accounts: 'manual' })
    const handle = client.submit('accounts')
    const events = handle.events()
    const job = await server.submitted('accounts')
    const next = async (): Promise<unknown> => (await events.next()).value
    expect(await next()).toMatchObject({ event: 'status', data: { status: 'PENDING', version: 1 } })
    job.start()
    expect(await next()).toMatchObject({ event: 'status', data: { status: 'PROCESSING', percentComplete: null } })
    job.progress(40.9)
    expect(await next()).toMatchObject({ event: 'progress', data: { percentComplete: 40 } })
    job.fail({ title: 'It broke', code: 'mine' })
    expect(await next()).toMatchObject({ event: 'failed', data: { failureCode: 'mine', version: 4 } })
    expect([job.progress(50), job.complete(), job.fail({ title: 'x' }), job.cancel(), job.start()]).not.toContain(true)
    expect(() => job.progress(101)).toThrow(TypeError)
  })

  it('is found by its id, and not once it is removed', async () => {
    open({ accounts: 'manual' })
    const { jobId } = await client.submit('accounts')
    const job = server.job(jobId)
    expect(server.jobs).toEqual([job])
    const waiting = rejection(client.job(jobId).waitForCompletion())
    job.remove()
    expect(isJobNotFoundError(await waiting)).toBe(true)
    expect(server.jobs).toEqual([])
    expect(() => server.job(jobId)).toThrow(RangeError)
  })
})

describe('the fake server on the wire', () => {
  it('answers the same key with the same job, whatever the order of the input and the quotation marks', async () => {
    open({ any: 'manual' })
    const submit = (headers: Record<string, string>, input: string): Promise<string> =>
      answer('POST', '/jobs/any', { headers: { ...json, ...headers }, body: input })
    expect(await submit({ 'idempotency-key': '"k"' }, '{"a":1,"b":2}')).toBe('202')
    const replay = await client.submit('any', { idempotencyKey: 'k', input: { b: 2, a: 1 } })
    expect(replay).toMatchObject({ jobId: server.jobs[0]?.id, outcome: 'idempotent' })
    expect(await submit({ 'idempotency-key': 'k' }, '{"a":2}')).toBe('422 idempotency-key-reused')
    expect(server.jobs).toHaveLength(1)
  })

  it('has Retry-After while a job is active, Expires once it has ended, an ETag and 304', async () => {
    open({ accounts: 'manual' }, { retryAfterSeconds: 7, retentionMs: 60_000 })
    const submitted = await send(`${base}/jobs/accounts`, { method: 'POST' })
    const { jobId } = (await submitted.json()) as { jobId: string }
    const url = `${base}/jobs/${jobId}/status`
    expect(submitted.headers.get('location')).toBe(url)
    const active = await send(url)
    expect([active.headers.get('retry-after'), active.headers.get('expires')]).toEqual(['7', null])
    const headers = { 'if-none-match': active.headers.get('etag') ?? '' }
    expect(await answer('GET', `/jobs/${jobId}/status`, { headers })).toBe('304')
    const job = server.job(jobId)
    job.complete()
    const ended = await send(url, { headers })
    expect([ended.status, ended.headers.get('retry-after')]).toEqual([200, null])
    const whole = Math.floor((job.state.lastUpdatedAt.getTime() + 60_000) / 1000) * 1000
    expect(Date.parse(ended.headers.get('expires') ?? '')).toBe(whole)
  })

  it('waits as Prefer asks: for the end, for news, or until the time is over', async () => {
    open({ quick: () => 'done', fails: 'manual', slow: 'manual' }, { maxWaitSeconds: 0 })
    expect(await answer('POST', '/jobs/slow', { headers: { prefer: 'wait=5' } })).toBe('202')
    open({ quick: () => 'done', fails: 'manual' })
    const headers = { prefer: 'wait=20' }
    const quick = await send(`${base}/jobs/quick`, { method: 'POST', headers })
    expect(await quick.json()).toMatchObject({ status: 'COMPLETED', output: 'done' })
    expect(quick.headers.get('preference-applied')).toBe('wait=20')
    const failing = answer('POST', '/jobs/fails', { headers })
    const job = await server.submitted('fails')
    const news = answer('GET', `/jobs/${job.id}/status`, { headers: { ...headers, 'if-none-match': '"1"' } })
    job.progress(10)
    expect(await news).toBe('200')
    const end = answer('GET', `/jobs/${job.id}/status`, { headers })
    job.fail({ title: 'It broke' })
    expect(await failing).toBe('422 job-failed')
    expect(await end).toBe('422 job-failed')
  })

  it('streams one job and many jobs, and says when there is nothing more to come', async () => {
    open({ quick: () => undefined, slow: 'manual' })
    await client.submit('quick').waitForCompletion()
    await client.submit('slow')
    const [quick, slow] = server.jobs.map(({ id }) => id)
    const many = await openStream(`/job-events?job=${quick},${slow},${nobody}`)
    const one = await openStream(`/jobs/${slow}/events`)
    server.job(slow!).progress(10)
    server.job(slow!).cancel()
    expect(await one()).toEqual(['status', 'status', 'progress', 'cancelled'])
    expect(await many()).toEqual(['complete', 'status', 'unknown', 'status', 'progress', 'cancelled', 'end'])
    const seen = { 'last-event-id': String(server.job(slow!).state.version) }
    expect(await answer('GET', `/jobs/${slow}/events`, { headers: seen })).toBe('204')
    const end = { 'last-event-id': 'end' }
    expect(await answer('GET', `/job-events?job=${slow}`, { headers: end })).toBe('204')
  })

  it('refuses what the server refuses', async () => {
    open({ any: 'manual' })
    const onJob = [
      ['GET', `/jobs/${nobody}/status`],
      ['GET', `/jobs/${nobody}/events`],
      ['DELETE', `/jobs/${nobody}`],
      ['DELETE', `/jobs/${nobody}/status`],
    ] as const
    for (const [method, path] of onJob) {
      expect(await answer(method, path)).toBe('404 job-not-found')
      expect(await answer(method, path.replace(nobody, 'x'))).toBe('404 job-not-found')
      expect(await answer(method, `${path}?wrong=1`)).toBe('400 invalid-request')
      expect(await answer(method, path, { headers: { accept: 'image/png' } })).toBe('406 not-acceptable')
    }
    expect(await answer('GET', '/job-events')).toBe('400 invalid-request')
    expect(await answer('GET', '/job-events?job=x')).toBe('400 invalid-request')
    expect(await answer('GET', `/job-events?job=${nobody}`, { headers: { accept: 'text/html' } })).toBe(
      '406 not-acceptable',
    )
    expect(await answer('POST', '/jobs/nothing')).toBe('400 unknown-type')
    expect(await answer('POST', '/jobs/any', { headers: { accept: 'text/html' } })).toBe('406 not-acceptable')
    expect(await answer('POST', '/jobs/any', { headers: { 'idempotency-key': '' } })).toBe('400 invalid-request')
    expect(await answer('POST', '/jobs/any', { headers: json, body: '{' })).toBe('400 malformed-body')
    expect(await answer('POST', '/jobs/any', { body: 'x' })).toBe('415 unsupported-media-type')
    expect(await answer('POST', '/job-batches')).toBe('400 invalid-request')
    expect(await answer('GET', '/jobs')).toBe('404 route-not-found')
    expect(await answer('PUT', `/jobs/${nobody}`)).toBe('405 method-not-allowed')
    expect(await answer('GET', '/jobs/%/status')).toBe('400 malformed-url')
    expect(await answer('POST', `/jobs/${nobody}/completion`)).toBe('404 route-not-found')
  })

  it('gives a HEAD the header fields of the GET', async () => {
    open({ any: 'manual' })
    const { jobId } = await client.submit('any')
    const response = await send(`${base}/jobs/${jobId}/status`, { method: 'HEAD' })
    expect([response.headers.get('etag'), await response.text()]).toEqual(['"1"', ''])
    expect(await answer('HEAD', `/jobs/${jobId}/events`)).toBe('200')
  })

  it('lets a test look at requests, answer in its place, and break the connection', async () => {
    const asked: string[] = []
    open(
      { any: 'manual', broken: 'manual' },
      {
        onRequest: async (request) => {
          asked.push(`${request.method} ${new URL(request.url).pathname}`)
          if (request.url.endsWith('/broken')) throw new TypeError('no network')
          const headers = { ...json, 'retry-after': '2' }
          const problem = { type: 'about:blank', title: 'Busy', status: 503, code: 'queue-full' }
          if ((await request.text()) === '"busy"')
            return new Response(JSON.stringify(problem), { status: 503, headers })
          return undefined
        },
      },
    )
    client = createClient({ baseUrl: base, fetch: server.fetch })
    expect(await rejection(client.submit('any', { input: 'busy' }))).toMatchObject({ status: 503, retryAfterMs: 2000 })
    expect(await rejection(client.submit('broken'))).toMatchObject({ name: 'NetworkError' })
    await client.submit('any', { input: 'fine' })
    expect(server.jobs.map(({ input }) => input)).toEqual(['fine'])
    expect(asked).toEqual(['POST /api/jobs/any', 'POST /api/jobs/broken', 'POST /api/jobs/any'])
  })

  it('ends what is open when the request is given up and when it is closed', async () => {
    open({ slow: 'manual' })
    const { jobId } = await client.submit('slow')
    const abort = new AbortController()
    const { signal } = abort
    const stream = await send(`${base}/jobs/${jobId}/events`, { signal })
    const broken = rejection(stream.text())
    const waiting = rejection(send(`${base}/jobs/${jobId}/status`, { headers: { prefer: 'wait=20' }, signal }))
    const left = await send(`${base}/jobs/${jobId}/events`)
    const late = answer('GET', `/jobs/${jobId}/status`, { headers: { prefer: 'wait=20' } })
    abort.abort(new Error('left'))
    expect([await broken, await waiting]).toEqual([new Error('left'), new Error('left')])
    server.close()
    expect(await left.text()).toContain('event: status')
    expect(await late).toBe('200')
    expect(server.job(jobId).signal.aborted).toBe(true)
  })
})

describe('the fake server and the document', () => {
  it('have the same operations, but for the reports of workers', () => {
    open({})
    const faked = Object.keys(fakeOperations({} as Parameters<typeof fakeOperations>[0]))
    const documented = operations().map(({ id }) => id)
    expect([...faked, ...reportOperations].toSorted()).toEqual(documented.toSorted())
  })

  it('agree: the answers that this file had were all of the document, and of every operation', () => {
    open({})
    const seen = new Set(checked.map(({ operationId }) => operationId))
    const left: readonly string[] = reportOperations
    expect(operations().filter(({ id }) => !seen.has(id) && !left.includes(id))).toEqual([])
    expect(checked.every(({ code }) => code === undefined || declaredCodes().includes(code))).toBe(true)
  })
})

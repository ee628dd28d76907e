import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problems } from '../../../server/errors.ts'
import { routes } from '../../../server/http/router.ts'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  checkResponse,
  declared,
  declaredCodes,
  exercised,
  exercisedCodes,
  operations,
} from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { gate } from '../../support/gate.ts'
import { shut } from '../../support/outage.ts'
import { sendRaw, toResponse } from '../../support/raw-http.ts'

const nobody = '01890000-0000-7000-8000-000000000000'
const json = { 'content-type': 'application/json' }

let database: TestDatabase
let app: TestApp
/** The token of the job that is only started. */
const started = gate<string>()
const startedToo = gate<string>()
/** One job in each state. */
const jobs = { active: '', completed: '', failed: '', cancelled: '' }

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    processing: { pollInterval: 'PT0.1S', lease: 'PT2S', maxPending: 1 },
    sse: { pollInterval: 'PT0.1S', heartbeat: 'PT1S', maxStreams: 4, maxStreamsPerCaller: 3 },
    authorize: (req) => req.get('x-role') !== 'nobody',
    callerOf: (req) => req.get('x-caller') ?? 'anyone',
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler<unknown>({ type: 'any', inputSchema: {}, handle: () => {} }),
      defineHandler({ type: 'crowded', handle: () => {} }),
      defineHandler({ type: 'started', start: ({ reportToken }) => started.open(reportToken) }),
      defineHandler({ type: 'started-too', start: ({ reportToken }) => startedToo.open(reportToken) }),
      defineHandler({ type: 'alone', coalesce: 'reject', handle: ({ sleep }) => sleep('PT1M') }),
      defineHandler({ type: 'keyed', requireIdempotencyKey: true, handle: () => {} }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
      defineHandler({
        type: 'fails',
        handle: () => {
          throw new JobFailureError({ title: 'The file is empty' })
        },
      }),
    ],
  })
  jobs.completed = await app.submit('noop')
  jobs.failed = await app.submit('fails')
  jobs.cancelled = await app.submit('slow')
  await app.fetch(`/jobs/${jobs.cancelled}`, { method: 'DELETE' })
  jobs.active = await app.submit('slow')
  await app.seen('attempt:start', ({ jobId }) => jobId === jobs.active)
  await app.ended(jobs.completed)
  await app.ended(jobs.failed)
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

/** The status of a checked answer, and the code where it is a problem. */
async function answer(method: string, path: string, init: RequestInit = {}): Promise<string> {
  const response = await app.fetch(path, { method, ...init })
  const isProblem = response.headers.get('content-type') === 'application/problem+json'
  if (!isProblem) {
    await response.body?.cancel()
    return String(response.status)
  }
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}

/** The routes that report on a job, each with a body that it takes. */
const reports = { progress: { percentComplete: 1 }, completion: {}, failure: { title: 'It broke' } }

type Place = readonly [id: string, kind: keyof typeof reports]

/** Reports on a job. */
function report([id, kind]: Place, token: string | undefined, body: unknown = reports[kind]): Promise<string> {
  const headers = { ...json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  return answer('POST', `/jobs/${id}/${kind}`, { headers, body: JSON.stringify(body) })
}

/** A batch of one job. */
const oneJob = { headers: json, body: JSON.stringify({ jobs: [{ type: 'noop' }] }) }

const kinds = Object.keys(reports) as (keyof typeof reports)[]

/** The routes that read or change a job, each with its method. */
const onJobs = (id: string): [string, string][] => [...onJob(id), ['GET', `/job-events?job=${id}`]]

/** Those that are of one job alone. */
const onJob = (id: string): [string, string][] => [
  ['GET', `/jobs/${id}/status`],
  ['GET', `/jobs/${id}/events`],
  ['DELETE', `/jobs/${id}`],
  ['DELETE', `/jobs/${id}/status`],
]

describe('the contract', () => {
  it('has the operations that the router serves, and no other', () => {
    const served = Object.entries(routes).map(([id, [method, path]]) => `${id} ${method} ${path}`)
    const documented = operations().map(({ id, method, template }) => {
      return `${id} ${method} ${template.replaceAll(/\{(\w+)\}/g, ':$1')}`
    })
    expect(served.toSorted()).toEqual(documented.toSorted())
  })

  it('has the problem codes of the table, and no other', () => {
    expect(Object.keys(problems).toSorted()).toEqual(declaredCodes().toSorted())
  })

  it('holds for every state of a job', async () => {
    expect(await answer('GET', `/jobs/${jobs.active}/status`)).toBe('200')
    expect(await answer('GET', `/jobs/${jobs.completed}/status`)).toBe('200')
    expect(await answer('GET', `/jobs/${jobs.cancelled}/status`)).toBe('200')
    expect(await answer('GET', `/jobs/${jobs.failed}/status`)).toBe('422 job-failed')
    for (const id of Object.values(jobs)) expect(await answer('GET', `/jobs/${id}/events`)).toBe('200')
    const first = await app.fetch(`/jobs/${jobs.completed}/status`)
    const headers = { 'if-none-match': String(first.headers.get('etag')) }
    expect(await answer('GET', `/jobs/${jobs.completed}/status`, { headers })).toBe('304')
    const last = await app.readEvents(jobs.completed)
    const seen = { 'last-event-id': String(last.at(-1)?.id) }
    expect(await answer('GET', `/jobs/${jobs.completed}/events`, { headers: seen })).toBe('204')
    const done = { 'last-event-id': 'end' }
    expect(await answer('GET', `/job-events?job=${jobs.completed}`)).toBe('200')
    expect(await answer('GET', `/job-events?job=${jobs.completed}`, { headers: done })).toBe('204')
    for (const [method, path] of onJob(jobs.completed).slice(2)) {
      expect(await answer(method, path)).toBe('409 job-already-ended')
    }
    for (const cancel of ['', '/status']) {
      expect(await answer('DELETE', `/jobs/${await app.submit('slow')}${cancel}`)).toBe('202')
    }
  })

  it('holds for requests that wait', async () => {
    const headers = { prefer: 'wait=20' }
    expect(await answer('POST', '/jobs/noop', { headers })).toBe('200')
    expect(await answer('POST', '/jobs/fails', { headers })).toBe('422 job-failed')
    expect(await answer('GET', `/jobs/${jobs.completed}/status`, { headers })).toBe('200')
    expect(await answer('GET', `/jobs/${jobs.failed}/status`, { headers })).toBe('422 job-failed')
  })

  it('holds for requests that are refused', async () => {
    for (const [method, path] of onJob(nobody)) {
      const accept = path.endsWith('/events') ? 'text/html' : 'image/png'
      expect(await answer(method, path)).toBe('404 job-not-found')
      expect(await answer(method, `${path}?wrong=1`)).toBe('400 invalid-request')
      expect(await answer(method, path, { headers: { accept } })).toBe('406 not-acceptable')
    }
    expect(await answer('GET', '/job-events')).toBe('400 invalid-request')
    expect(await answer('GET', '/job-events?job=x')).toBe('400 invalid-request')
    expect(await answer('GET', `/job-events?job=${Array.from({ length: 500 }, () => nobody).join(',')}`)).toBe('431')
    const html = { headers: { accept: 'text/html' } }
    expect(await answer('GET', `/job-events?job=${nobody}`, html)).toBe('406 not-acceptable')
    expect(await answer('POST', '/jobs/nobody')).toBe('400 unknown-type')
    expect(await answer('POST', '/jobs/noop', { headers: { accept: 'text/html' } })).toBe('406 not-acceptable')
    expect(await answer('POST', '/jobs/any')).toBe('400 invalid-input')
    expect(await answer('POST', '/jobs/any', { body: '{', headers: json })).toBe('400 malformed-body')
    expect(await answer('POST', '/jobs/any', { body: 'x' })).toBe('415 unsupported-media-type')
    const deep = '['.repeat(200) + ']'.repeat(200)
    expect(await answer('POST', '/jobs/any', { body: deep, headers: json })).toBe('400 body-too-deep')
    const long = JSON.stringify('x'.repeat(103_000))
    expect(await answer('POST', '/jobs/any', { body: long, headers: json })).toBe('413 body-too-large')
    const key = { 'idempotency-key': 'contract' }
    expect(await answer('POST', '/jobs/noop', { headers: key })).toBe('202')
    expect(await answer('POST', '/jobs/slow', { headers: key })).toBe('422 idempotency-key-reused')
  })

  it('holds for what a caller may not do, or not so often', async () => {
    const headers = { 'x-role': 'nobody' }
    expect(await answer('POST', '/jobs/noop', { headers })).toBe('403 not-authorized')
    for (const [method, path] of onJob(jobs.active))
      expect(await answer(method, path, { headers })).toBe('404 job-not-found')
    expect(await answer('POST', '/jobs/keyed')).toBe('400 idempotency-key-required')
    expect(await answer('POST', '/jobs/alone')).toBe('202')
    expect(await answer('POST', '/jobs/alone')).toBe('409 job-in-flight')
    const abort = new AbortController()
    const open = (caller: string): Promise<Response> =>
      app.fetch(`/jobs/${jobs.active}/events`, { headers: { 'x-caller': caller }, signal: abort.signal })
    for (const caller of ['a', 'a', 'a']) expect((await open(caller)).status).toBe(200)
    expect(await answer('GET', `/jobs/${jobs.active}/events`, { headers: { 'x-caller': 'a' } })).toBe(
      '429 too-many-streams-of-caller',
    )
    const many = `/job-events?job=${jobs.active}`
    expect(await answer('GET', many, { headers: { 'x-caller': 'a' } })).toBe('429 too-many-streams-of-caller')
    expect((await open('b')).status).toBe(200)
    expect(await answer('GET', many, { headers: { 'x-caller': 'b' } })).toBe('503 too-many-streams')
    expect(await answer('GET', `/jobs/${jobs.active}/events`, { headers: { 'x-caller': 'b' } })).toBe(
      '503 too-many-streams',
    )
    abort.abort()
  })

  it('holds for reports', async () => {
    const id = await app.submit('started')
    const token = await started.promise
    for (const kind of kinds) {
      const path = `/jobs/${id}/${kind}`
      const headers = { ...json, authorization: `Bearer ${token}` }
      expect(await report([id, kind], undefined)).toBe('401 report-token-required')
      expect(await report([id, kind], nobody)).toBe('404 job-not-found')
      expect(await report([nobody, kind], token)).toBe('404 job-not-found')
      expect(await report(['x', kind], token)).toBe('404 job-not-found')
      for (const name of ['wrong', ''])
        expect(await report([id, kind], token, { [name]: 1 })).toBe('400 invalid-request')
      const body = JSON.stringify(reports[kind])
      expect(await answer('POST', path, { headers: { ...headers, accept: 'text/html' }, body })).toBe(
        '406 not-acceptable',
      )
      expect(await answer('POST', path, { body: 'x' })).toBe('415 unsupported-media-type')
      const long = JSON.stringify('x'.repeat(103_000))
      expect(await answer('POST', path, { headers, body: long })).toBe('413 body-too-large')
    }
    expect(await report([id, 'progress'], token)).toBe('204')
    expect(await report([id, 'completion'], token)).toBe('204')
    for (const kind of kinds) expect(await report([id, kind], token)).toBe('409 report-refused')
  })

  it('holds for a report of a failure', async () => {
    const id = await app.submit('started-too')
    expect(await report([id, 'failure'], await startedToo.promise)).toBe('204')
    expect(await app.ended(id)).toMatchObject({ title: 'It broke', failureCode: 'handler-error' })
  })

  it('holds for what is no operation', async () => {
    expect(await answer('GET', '/jobs')).toBe('404 route-not-found')
    expect(await answer('PUT', `/jobs/${nobody}/status`)).toBe('405 method-not-allowed')
    expect(await answer('GET', '/jobs/%/status')).toBe('400 malformed-url')
    const raw = await sendRaw(app.url, 'POST /jobs/noop HTTP/1.1\r\nHost: evil example\r\n\r\n')
    await checkResponse('POST', '/jobs/noop', toResponse(raw))
    expect(JSON.parse(raw.body)).toMatchObject({ status: 400, code: 'invalid-host' })
    raw.socket.destroy()
  })

  it('holds when too many jobs wait', async () => {
    await database.query(
      `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at)
       SELECT gen_random_uuid(), 'crowded', now() + interval '1 hour', now(), now()`,
    )
    const response = await app.fetch('/jobs/crowded', { method: 'POST' })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await response.json()).toMatchObject({ code: 'queue-full' })
  })

  it('holds for batches', async () => {
    const batch = (body: unknown, headers = {}): Promise<string> =>
      answer('POST', '/job-batches', { headers: { ...json, ...headers }, body: JSON.stringify(body) })
    expect(await batch({ jobs: [{ type: 'noop' }, { type: 'nobody' }] })).toBe('200')
    expect(await batch({ jobs: [] })).toBe('400 invalid-request')
    expect(await batch({ jobs: [{ type: 'noop' }] }, { accept: 'text/html' })).toBe('406 not-acceptable')
    expect(await batch({ jobs: ['x'.repeat(1_050_000)] })).toBe('413 body-too-large')
    expect(await answer('POST', '/job-batches', { body: 'x' })).toBe('415 unsupported-media-type')
  })

  it('holds when the schema is broken: 500 on every route', async () => {
    await database.query('ALTER TABLE async_jobs RENAME COLUMN failure TO misplaced')
    try {
      for (const [method, path] of onJobs(jobs.active)) expect(await answer(method, path)).toBe('500 internal-error')
      await database.query('ALTER TABLE async_jobs RENAME COLUMN run_at TO misplaced_too')
      expect(await answer('POST', '/jobs/noop')).toBe('500 internal-error')
      expect(await answer('POST', '/job-batches', oneJob)).toBe('500 internal-error')
      await database.query('ALTER TABLE async_jobs RENAME COLUMN report_key TO misplaced_key')
      for (const kind of kinds) expect(await report([nobody, kind], nobody)).toBe('500 internal-error')
    } finally {
      await database.query('ALTER TABLE async_jobs RENAME COLUMN misplaced TO failure')
      await database.query('ALTER TABLE async_jobs RENAME COLUMN misplaced_too TO run_at')
    }
  })

  it('holds when the database is away: 503 on every route', async () => {
    await shut(database)
    for (const kind of kinds) expect(await report([nobody, kind], nobody)).toBe('503 database-unavailable')
    for (const [method, path] of [...onJobs(jobs.active), ['POST', '/jobs/noop'] as const]) {
      expect(await answer(method, path)).toBe('503 database-unavailable')
    }
    expect(await answer('POST', '/job-batches', oneJob)).toBe('503 database-unavailable')
  })

  it('is covered by this file, to the last status and problem', () => {
    expect(declared().filter((status) => !exercised().has(status))).toEqual([])
    expect(declaredCodes().filter((code) => !exercisedCodes().has(code))).toEqual([])
  })
})

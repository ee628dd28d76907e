import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const inputSchema = {
  type: 'object',
  required: ['n'],
  properties: { n: { type: 'integer' }, text: { type: 'string' } },
}

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    mount: '/api',
    processing: { enabled: false, maxPending: 4 },
    freshness: { enabled: true, perType: { cached: 'PT1H' } },
    tenantOf: (req) => req.get('x-tenant') ?? 'a',
    authorize: (_req, _action, { type }) => type !== 'secret',
    http: { maxBodyBytes: 100, maxBatchBytes: 4_000 },
    handlers: [
      defineHandler<{ n: number }>({ type: 'mail', inputSchema, handle: () => {} }),
      defineHandler({ type: 'keyed', requireIdempotencyKey: true, handle: () => {} }),
      defineHandler({ type: 'secret', handle: () => {} }),
      defineHandler({ type: 'crowded', handle: () => {} }),
      defineHandler({ type: 'cached', handle: () => {} }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

interface Result {
  status: number
  job?: { jobId: string; statusUrl: string; outcome: string }
  problem?: { code: string; status: number; errors?: { pointer: string }[] }
}

async function post(
  jobs: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; results: Result[] }> {
  const response = await app.fetch('/job-batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jobs }),
  })
  return { status: response.status, ...((await response.json()) as { results: Result[] }) }
}

const said = ({ results }: { results: Result[] }): string[] =>
  results.map(({ status, job, problem }) => `${status} ${job?.outcome ?? problem?.code}`)

describe('POST /job-batches', () => {
  it('answers each job in its place, as a submit of its own would be', async () => {
    const answer = await post([
      { type: 'mail', input: { n: 1 } },
      { type: 'mail', input: { n: 'x' } },
      { type: 'nobody' },
      { type: 'keyed' },
      { type: 'keyed', idempotencyKey: 'k' },
      { type: 'keyed', idempotencyKey: 'k' },
      { type: 'mail', input: { n: 1 }, idempotencyKey: 'k' },
      { type: 'secret' },
      { type: 'mail' },
      { type: 'mail', input: null },
    ])
    expect(answer.status).toBe(200)
    expect(said(answer)).toEqual([
      '202 created',
      '400 invalid-input',
      '400 unknown-type',
      '400 idempotency-key-required',
      '202 created',
      '202 idempotent',
      '422 idempotency-key-reused',
      '403 not-authorized',
      '400 invalid-input',
      '400 invalid-input',
    ])
    expect(answer.results[1]?.problem?.errors?.[0]?.pointer).toBe('#/jobs/1/input/n')
    const url = String(answer.results[0]?.job?.statusUrl)
    expect(url.startsWith(`${app.url}/jobs/`)).toBe(true)
    expect((await fetch(url)).status).toBe(200)
  })

  it('bounds each input as a submit of its own does, and the whole body', async () => {
    const long = 'x'.repeat(100)
    expect(said(await post([{ type: 'mail', input: { n: 1, text: long } }, { type: 'cached' }]))).toEqual([
      '413 body-too-large',
      '202 created',
    ])
    const response = await app.fetch('/job-batches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jobs: [{ type: 'mail', input: { n: 1, text: 'x'.repeat(4_000) } }] }),
    })
    expect(response.status).toBe(413)
  })

  it('refuses what does not fit the document as a whole, and submits nothing of it', async () => {
    const bad: unknown[] = [
      [],
      [{}],
      [{ type: 'a b' }],
      [{ type: 'mail', more: 1 }],
      [{ type: 'mail', idempotencyKey: '' }],
      [{ type: 'mail', idempotencyKey: 'a b' }],
      [{ type: 'mail', idempotencyKey: 'x'.repeat(256) }],
      'none',
      Array.from({ length: 1_001 }, () => 1),
    ]
    const before = await database.query('SELECT FROM async_jobs')
    for (const jobs of bad) {
      const both = Array.isArray(jobs) && jobs.length === 1 ? [{ type: 'crowded' }, ...(jobs as unknown[])] : jobs
      expect((await post(both)).status).toBe(400)
    }
    const empty = await app.fetch('/job-batches', { method: 'POST' })
    expect(empty.status).toBe(400)
    expect((await database.query('SELECT FROM async_jobs')).rowCount).toBe(before.rowCount)
  })

  it('keeps tenants apart, and counts waiting jobs by their type [K74]', async () => {
    const one = await post([{ type: 'keyed', idempotencyKey: 'shared' }], { 'x-tenant': 'one' })
    const two = await post([{ type: 'keyed', idempotencyKey: 'shared' }], { 'x-tenant': 'two' })
    expect([...said(one), ...said(two)]).toEqual(['202 created', '202 created'])
    const jobId = String(one.results[0]?.job?.jobId)
    expect((await app.fetch(`/jobs/${jobId}/status`, { headers: { 'x-tenant': 'two' } })).status).toBe(404)
    const crowd = await post(Array.from({ length: 6 }, () => ({ type: 'crowded' })))
    expect(said(crowd)).toEqual([...Array(4).fill('202 created'), '503 queue-full', '503 queue-full'])
  })

  it('runs anew what is fresh when it is asked to', async () => {
    await database.query(`UPDATE async_jobs SET status = 'COMPLETED' WHERE type = 'cached'`)
    expect(said(await post([{ type: 'cached' }]))).toEqual(['202 fresh'])
    expect(said(await post([{ type: 'cached' }], { 'cache-control': 'no-cache' }))).toEqual(['202 created'])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../support/contract.ts'
import { type Caller, type EmbeddedApp, startEmbeddedApp } from './embedded-app.ts'

let app: EmbeddedApp
let ann: Caller
let bob: Caller

beforeAll(async () => {
  app = await startEmbeddedApp()
  ann = app.as('ann')
  bob = app.as('bob')
})
afterAll(() => app?.close())

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

let imports = 0
/** Starts an import that no other submit asks for; it runs until somebody reports its end. */
async function startImport(caller: Caller): Promise<{ id: string; token: string }> {
  imports += 1
  const id = await caller.submit('import', json({ url: `https://example.com/${imports}.csv` }))
  return { id, token: (await app.import(id)).reportToken }
}

const reportBodies: Record<string, unknown> = {
  reportProgress: { percentComplete: 99 },
  completeJob: { output: { rows: 1 } },
  failJob: { title: 'not yours' },
}

/** Every request that the document has for one job, and HEAD. */
function requests(id: string): { name: string; path: string; init: RequestInit }[] {
  const documented = operations()
    .filter((operation) => operation.template.startsWith('/jobs/{job}') && operation.id !== 'submitJob')
    .map((operation) => ({
      name: operation.id,
      path: operation.template.replace('{job}', id),
      init: {
        method: operation.method.toUpperCase(),
        ...(operation.id in reportBodies ? json(reportBodies[operation.id]) : {}),
      },
    }))
  const head = { name: 'HEAD', path: `/jobs/${id}/status`, init: { method: 'HEAD' } }
  return [...documented, head]
}

describe('the migration tool of the application', () => {
  it('applies the tables of the package and its own, once, also when processes start together', () => {
    expect(app.migrated).toEqual(['0001_async_jobs', '0002_products'])
  })
})

describe('a caller without a token', () => {
  it('is refused on every route', async () => {
    const { id } = await startImport(ann)
    for (const { name, path, init } of requests(id)) {
      const response = await fetch(app.url + path, init)
      expect(`${name} ${response.status}`).toBe(`${name} 401`)
      // The application lets workers pass, and async-jobs asks them for the token of their job.
      const text = name in reportBodies ? 'report-token-required' : name === 'HEAD' ? '' : 'Who are you?'
      expect(await response.text()).toContain(text)
    }
    expect((await fetch(`${app.url}/jobs/prices`, { method: 'POST' })).status).toBe(401)
    expect((await fetch(`${app.url}/prices`)).status).toBe(401)
  })
})

describe('two tenants', () => {
  it('do not see each other on any route of the document', async () => {
    const [theirs, own] = [await startImport(ann), await startImport(bob)]
    const before = await ann.status(theirs.id)
    expect(requests(theirs.id)).toHaveLength(8)
    for (const { name, path, init } of requests(theirs.id)) {
      const asUser = await bob.fetch(path, init)
      expect(`${name} ${asUser.status}`).toBe(`${name} 404`)
    }
    const many = await bob.fetch(`/job-events?job=${theirs.id}`)
    expect(await many.text()).toMatch(/^event: unknown\n.*\n\nevent: end\n/)
    expect(await ann.status(theirs.id)).toEqual(before)
    expect((await bob.fetch(`/jobs/${own.id}/status`)).status).toBe(200)
  })

  it('cannot report with the token of another job', async () => {
    const [theirs, own] = [await startImport(ann), await startImport(bob)]
    const before = await ann.status(theirs.id)
    const worker = app.as(own.token)
    for (const { name, path, init } of requests(theirs.id).filter(({ name }) => name in reportBodies)) {
      expect(`${name} ${(await worker.fetch(path, init)).status}`).toBe(`${name} 404`)
    }
    expect(await ann.status(theirs.id)).toEqual(before)
  })

  it('use the same key for two jobs, and each is answered with its own again', async () => {
    const submit = (caller: Caller, url: string): Promise<Response> =>
      caller.fetch('/jobs/import', { method: 'POST', ...json({ url }, { 'idempotency-key': 'monday' }) })
    const bodies = []
    for (const caller of [ann, bob, ann, bob]) bodies.push(await (await submit(caller, 'https://a.example')).json())
    expect(bodies).toMatchObject([
      { outcome: 'created' },
      { outcome: 'created', jobId: expect.not.stringMatching(bodies[0].jobId) },
      { outcome: 'idempotent', jobId: bodies[0].jobId },
      { outcome: 'idempotent', jobId: bodies[1].jobId },
    ])
    const reused = await submit(bob, 'https://b.example')
    expect([reused.status, await reused.json()]).toMatchObject([422, { code: 'idempotency-key-reused' }])
  })

  it('join what is in flight within their own tenant only', async () => {
    const submit = async (caller: Caller): Promise<unknown> =>
      (await caller.fetch('/jobs/import', { method: 'POST', ...json({ url: 'https://shared.example' }) })).json()
    const [first, foreign, joined] = [await submit(ann), await submit(bob), await submit(ann)]
    const { jobId } = first as { jobId: string }
    expect(first).toMatchObject({ outcome: 'created' })
    expect(foreign).toMatchObject({ outcome: 'created', jobId: expect.not.stringMatching(jobId) })
    expect(joined).toMatchObject({ outcome: 'in-flight', jobId })
  })

  it('have prices of their own, as old as their own last refresh', async () => {
    for (const [token, costCents] of Object.entries({ ann: 100, bob: 200 })) {
      const put = json({ costCents }, { authorization: `Bearer ${token}` })
      expect((await fetch(`${app.url}/products/tea`, { method: 'PUT', ...put })).status).toBe(204)
    }
    const stale = { refreshedAt: null, fresh: false }
    const read = async (token: string): Promise<unknown> =>
      (await fetch(`${app.url}/prices`, { headers: { authorization: `Bearer ${token}` } })).json()
    expect(await read('ann')).toEqual({ prices: [{ sku: 'tea', priceCents: null }], ...stale })

    const id = await ann.submit('prices')
    expect((await ann.readEvents(id)).at(-1)).toMatchObject({ event: 'complete' })
    const { lastUpdatedAt } = await ann.status(id)
    expect(await read('ann')).toEqual({
      prices: [{ sku: 'tea', priceCents: 120 }],
      refreshedAt: lastUpdatedAt,
      fresh: true,
    })
    expect(await read('bob')).toEqual({ prices: [{ sku: 'tea', priceCents: null }], ...stale })

    const again = await ann.fetch('/jobs/prices', { method: 'POST' })
    expect(await again.json()).toMatchObject({ outcome: 'fresh', jobId: id })
    const anew = await ann.fetch('/jobs/prices', { method: 'POST', headers: { 'cache-control': 'no-cache' } })
    expect(await anew.json()).toMatchObject({ outcome: 'created' })
    const foreign = await bob.fetch('/jobs/prices', { method: 'POST' })
    expect(await foreign.json()).toMatchObject({ outcome: 'created', jobId: expect.not.stringMatching(id) })
  })
})

describe('a tenant', () => {
  it('watches what a worker reports, to the end', async () => {
    const { id, token } = await startImport(ann)
    const worker = app.as(token)
    const seen: string[] = []
    const reports = [
      ['progress', { percentComplete: 40 }],
      ['completion', { output: { rows: 7 } }],
    ] as const
    const answers: number[] = []
    for await (const { event } of ann.stream(id)) {
      seen.push(event)
      const [what, body] = reports[answers.length] ?? []
      if (what === undefined) continue
      answers.push((await worker.fetch(`/jobs/${id}/${what}`, { method: 'POST', ...json(body) })).status)
    }
    expect(answers).toEqual([204, 204])
    expect(seen).toEqual(['status', 'progress', 'complete'])
    const { status, headers } = await ann.fetch(`/jobs/${id}/status`, { method: 'HEAD' })
    expect(status).toBe(200)
    const etag = headers.get('etag') ?? ''
    expect((await ann.fetch(`/jobs/${id}/status`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(await ann.status(id)).toMatchObject({ status: 'COMPLETED', output: { rows: 7 } })
    expect((await worker.fetch(`/jobs/${id}/completion`, { method: 'POST' })).status).toBe(409)
  })

  it('reads a failure in the words of the worker', async () => {
    const { id, token } = await startImport(bob)
    const failure = json({ title: 'The file is empty', failureCode: 'empty' })
    expect((await app.as(token).fetch(`/jobs/${id}/failure`, { method: 'POST', ...failure })).status).toBe(204)
    expect(await bob.status(id)).toMatchObject({ status: 422, title: 'The file is empty', failureCode: 'empty' })
  })

  it('cancels by either route, and the worker is told to stop', async () => {
    for (const suffix of ['', '/status']) {
      const { id, token } = await startImport(ann)
      const path = `/jobs/${id}${suffix}`
      expect((await ann.fetch(path, { method: 'DELETE' })).status).toBe(202)
      expect((await ann.fetch(path, { method: 'DELETE' })).status).toBe(409)
      const report = json({ percentComplete: 1 })
      expect((await app.as(token).fetch(`/jobs/${id}/progress`, { method: 'POST', ...report })).status).toBe(409)
      expect((await ann.readEvents(id)).map(({ event }) => event)).toEqual(['cancelled'])
    }
  })

  it('has viewers, who read and watch and do nothing else', async () => {
    const ada = app.as('ada')
    const { id, token } = await startImport(ann)
    expect((await ada.fetch('/jobs/prices', { method: 'POST' })).status).toBe(403)
    expect((await ada.fetch(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await ada.fetch(`/jobs/${id}/status`, { method: 'DELETE' })).status).toBe(404)
    expect(await ada.status(id)).toMatchObject({ status: 'PROCESSING' })
    await app.as(token).fetch(`/jobs/${id}/completion`, { method: 'POST', ...json({ output: { rows: 0 } }) })
    expect((await ada.readEvents(id)).at(-1)).toMatchObject({ event: 'complete' })
  })

  it('gets problems from the router, and answers of the application on its own paths', async () => {
    const unknown = await ann.fetch('/jobs/nothing', { method: 'POST' })
    expect(await unknown.json()).toMatchObject({ code: 'unknown-type' })
    const bad = { method: 'PUT', ...json({ costCents: 'x' }, { authorization: 'Bearer ann' }) }
    expect((await fetch(`${app.url}/products/tea`, bad)).status).toBe(400)
  })
})

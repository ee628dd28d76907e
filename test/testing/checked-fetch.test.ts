import { describe, expect, it } from 'vitest'
import { checkedFetch, checkEvent, type CheckedResponse, checkResponse, ContractError } from '../../testing/index.ts'
import { defineHandler } from '../../server/index.ts'
import { createClient } from '../../client/index.ts'
import { startApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'

const id = '018f2c5e-7b1a-7c3d-9e4f-0123456789ab'
const at = '2026-01-02T03:04:05.678Z'
const caching = { 'content-type': 'application/json', 'cache-control': 'private, no-cache', etag: '"3"' }
const job = {
  jobId: id,
  type: 'accounts',
  status: 'COMPLETED',
  version: 3,
  createdAt: at,
  lastUpdatedAt: at,
  percentComplete: null,
}

const answer = (body: unknown, status = 200, headers: Record<string, string> = caching): Response =>
  new Response(JSON.stringify(body), { status, headers })

/** A server that answers everything with this, behind the check. */
function served(response: Response): Promise<Response> {
  const send = checkedFetch({ baseUrl: 'http://test/api', fetch: async () => response })
  return send(`http://test/api/jobs/${id}/status`)
}

describe('the check of a response', () => {
  it('lets pass what is of the document, and leaves the body to the caller', async () => {
    const response = await served(answer(job))
    expect(await response.json()).toEqual(job)
  })

  it('names what a body lacks, a header field that is missing or malformed, and a status that is not declared', async () => {
    const { version: _version, ...without } = job
    await expect(served(answer(without))).rejects.toThrow(/status 200: .*must have required property 'version'/)
    const { etag: _etag, ...untagged } = caching
    await expect(served(answer(job, 200, untagged))).rejects.toThrow(/ETag is missing/)
    await expect(served(answer(job, 200, { ...caching, etag: '3' }))).rejects.toThrow(/ETag: .*pattern/)
    await expect(served(answer(job, 203))).rejects.toThrow(/203 is not declared/)
    await expect(served(answer(job, 203))).rejects.toBeInstanceOf(ContractError)
    await expect(
      served(new Response('<html>', { headers: { ...caching, 'content-type': 'text/html' } })),
    ).rejects.toThrow(/answered text\/html/)
  })

  it('wants a problem where the document has no operation', async () => {
    const problem = { type: 'about:blank', title: 'There is nothing here', status: 404, code: 'route-not-found' }
    const headers = { 'content-type': 'application/problem+json' }
    expect(await checkResponse('GET', '/nothing', answer(problem, 404, headers))).toEqual({
      operationId: undefined,
      status: 404,
      code: 'route-not-found',
    })
    await expect(checkResponse('GET', '/nothing', answer({}, 404))).rejects.toThrow(/is no problem/)
    await expect(checkResponse('PUT', `/jobs/${id}`, answer(problem, 405, headers))).rejects.toThrow(/has no Allow/)
  })

  it('refuses requests that are not below the base URL, rather than let them pass unchecked', async () => {
    const send = checkedFetch({ baseUrl: 'http://test/api', fetch: async () => answer(job) })
    await expect(send('http://test/apis/jobs')).rejects.toThrow(/is not below/)
  })

  it('knows the base URL in whatever way it is written, as `fetch` does', async () => {
    for (const baseUrl of ['http://test:80/api', 'HTTP://Test/api/']) {
      const send = checkedFetch({ baseUrl, fetch: async () => answer(job) })
      expect((await send(`${baseUrl.replace(/\/$/, '')}/jobs/${id}/status`)).status).toBe(200)
    }
    expect(() => checkedFetch({ baseUrl: '/api' })).toThrow(TypeError)
  })

  it('breaks a stream at the first event that is not of the document', async () => {
    const event = (version: number, sent = version): string =>
      `event: cancelled\nid: ${sent}\ndata: {"jobId":"${id}","version":${version},"lastUpdatedAt":"${at}"}\n\n`
    const open = (text: string): Promise<Response> => {
      const headers = { ...caching, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
      const send = checkedFetch({ baseUrl: 'http://test', fetch: async () => new Response(text, { headers }) })
      return send(`http://test/jobs/${id}/events`)
    }
    expect(await (await open(event(3))).text()).toBe(event(3))
    await expect((await open(event(3, 4))).text()).rejects.toThrow(/the id is 4, not 3/)
    await expect((await open('event: ready\ndata: {}\n\n')).text()).rejects.toThrow(/has no event ready/)
    expect(() => checkEvent({ event: 'end', id: 'end', data: '{"jobs":0}' }, '/job-events')).toThrow(/must be >= 1/)
  })

  it('holds for our own server under the client of a consumer', async () => {
    const database = await createTestDatabase()
    const handlers = [defineHandler({ type: 'noop', handle: () => {} })]
    const app = await startApp({ pool: database.pool(), handlers, mount: '/api' })
    const checked: CheckedResponse[] = []
    const fetch = checkedFetch({ baseUrl: app.url, onChecked: (one) => checked.push(one) })
    await createClient({ baseUrl: app.url, fetch }).submit('noop').waitForCompletion()
    await app.close()
    await database.drop()
    const seen = new Set(checked.map(({ operationId, status }) => `${operationId} ${status}`))
    expect(seen).toContain('submitJob 202')
    expect(seen).toContain('getJobStatus 200')
    expect(seen).toContain('streamEventsOfJobs 200')
  })
})

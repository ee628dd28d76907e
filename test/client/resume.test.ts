import { describe, expect, it } from 'vitest'
import createFetchClient from 'openapi-fetch'
import { createClient } from '../../client/index.ts'
import type { paths } from '../../generated/openapi.ts'
import { answer, inTurn, stall } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, rejection, serve, STATUS, SUBMIT } = is

describe('a handle', () => {
  it('becomes JSON, and continues from it in another client', async () => {
    const server = await serve()
    const submitted = clientOf(server).submit('accounts')
    await submitted
    const text = JSON.stringify({ kept: submitted })
    expect(JSON.parse(text)).toEqual({ kept: { jobId } })
    const { kept } = JSON.parse(text) as { kept: { jobId: string } }
    await expect(clientOf(server).job(kept).waitForCompletion()).resolves.toMatchObject({ status: 'COMPLETED' })
    expect(JSON.stringify(clientOf(server).job(kept))).toBe(JSON.stringify({ jobId }))
    expect(server.requests(SUBMIT)).toHaveLength(1)
  })

  it('has no JSON before the submit is answered, and says what to do', async () => {
    const server = await serve({ [SUBMIT]: stall })
    const controller = new AbortController()
    const submitted = clientOf(server).submit('accounts', { signal: controller.signal })
    expect(() => JSON.stringify(submitted)).toThrow(/await the handle first/)
    controller.abort('enough')
    expect(await rejection(submitted)).toBe('enough')
  })

  it.each(['', 'x', '../jobs', null, {}, { jobId: 'x' }])('of %j is of no job: nothing is sent', async (kept) => {
    const server = await serve()
    const handle = clientOf(server).job(kept as never)
    expect(await rejection(handle.status())).toMatchObject({ name: 'InvalidArgumentError', field: 'jobId' })
    expect(() => JSON.stringify(handle)).toThrow(/jobId/)
    expect(server.requests(STATUS)).toHaveLength(0)
  })
})

describe('a client of openapi-fetch', () => {
  it('can carry all requests, and its middleware sees them', async () => {
    const server = await serve({ [STATUS]: inTurn(answer(200, job('COMPLETED', 3)), answer(422, is.failedProblem(4))) })
    const openapiFetch = createFetchClient<paths>({ baseUrl: server.url })
    const seen: string[] = []
    openapiFetch.use({
      onRequest: ({ request, schemaPath }) => {
        seen.push(`${request.method} ${schemaPath}`)
        request.headers.set('X-Trace', 'on')
        return request
      },
    })
    const client = createClient({ baseUrl: server.url, openapiFetch, headers: { Authorization: 'Bearer x' } })
    await client.submit('accounts', { input: { year: 2026 }, idempotencyKey: 'k' }).waitForCompletion()
    await client.job(jobId).cancel()
    await expect(client.job(jobId).status()).resolves.toMatchObject({ status: 'FAILED' })
    expect(seen).toEqual([
      'POST /jobs/{job}',
      'GET /job-events',
      'GET /jobs/{job}/status',
      'DELETE /jobs/{job}',
      'GET /jobs/{job}/status',
    ])
    const [submit] = server.requests(SUBMIT)
    expect(submit!.body).toBe('{"year":2026}')
    expect(submit!.req.headers).toMatchObject({ 'idempotency-key': 'k', 'x-trace': 'on', authorization: 'Bearer x' })
    expect(server.requests(EVENTS)[0]!.req.url).toBe(`/job-events?job=${jobId}`)
    const other = jobId.replace(/.$/, '0')
    const waits = [jobId, other].map((id) =>
      client
        .job(id)
        .waitForCompletion()
        .catch(() => undefined),
    )
    const { req } = await server.arrived(EVENTS, 2)
    expect(req.url).toBe(`/job-events?job=${jobId},${other}`)
    await Promise.all(waits)
  })
})

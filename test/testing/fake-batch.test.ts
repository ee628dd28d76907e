import { expect, it } from 'vitest'
import { createFakeServer } from '../../testing/fake/index.ts'
import { checkedFetch } from '../../testing/index.ts'

it('the fake server answers each job of a batch in its place, and refuses what is no batch', async () => {
  const server = createFakeServer({ types: { any: 'manual' } })
  const send = checkedFetch({ baseUrl: 'http://test', fetch: server.fetch })
  const post = (jobs: readonly object[]): Promise<Response> =>
    send('http://test/job-batches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jobs }),
    })
  const jobs = [
    { type: 'any', idempotencyKey: 'k', input: 1 },
    { type: 'nothing' },
    { type: 'any', idempotencyKey: 'k' },
  ]
  expect(await (await post(jobs)).json()).toMatchObject({
    results: [
      { status: 202, job: { jobId: server.jobs[0]?.id, outcome: 'created' } },
      { status: 400, problem: { code: 'unknown-type' } },
      { status: 422, problem: { code: 'idempotency-key-reused' } },
    ],
  })
  expect((await post([])).status).toBe(400)
  server.close()
})

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import application from '../../examples/remote-worker/app.ts'
import { type Addresses, transcode } from '../../examples/remote-worker/transcode.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type PythonWorker, startPythonWorker } from './python-worker.ts'

let database: TestDatabase
let worker: PythonWorker
let app: TestApp
const addresses: { -readonly [Name in keyof Addresses]: Addresses[Name] } = { workerUrl: '', jobsUrl: '' }

beforeAll(async () => {
  worker = await startPythonWorker()
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers: [transcode(addresses)] })
  addresses.workerUrl = worker.url
  addresses.jobsUrl = `${app.url}/jobs`
})
afterAll(async () => {
  await app?.close()
  await worker?.stop()
  await database?.drop()
})

const submit = (input: { text: string; encoding: string }): Promise<string> =>
  app.submit('transcode', { body: JSON.stringify(input), headers: { 'content-type': 'application/json' } })

/** Runs a body with the worker at another address. */
async function withWorkerAt(url: string, body: () => Promise<void>): Promise<void> {
  addresses.workerUrl = url
  try {
    await body()
  } finally {
    addresses.workerUrl = worker.url
  }
}

describe('the worker in Python', () => {
  it('reports progress, and finishes the job with an output', async () => {
    const text = 'naïve\ncafé\n2 €\n'
    const id = await submit({ text, encoding: 'utf-16-le' })
    const events = await app.readEvents(id)
    expect(events.at(-1)).toMatchObject({ event: 'complete' })
    const encoded = Buffer.from(text, 'utf16le')
    expect(await app.ended(id)).toMatchObject({
      status: 'COMPLETED',
      percentComplete: 100,
      output: { bytes: encoded.length, sha256: createHash('sha256').update(encoded).digest('hex') },
    })
    expect(await worker.ended(id)).toBe('completed')
  })

  it('fails the job in words', async () => {
    const id = await submit({ text: 'free\n2 €\n', encoding: 'latin-1' })
    expect(await app.ended(id)).toMatchObject({
      jobStatus: 'FAILED',
      title: 'The text cannot be encoded',
      detail: "Line 2 has '€' in column 3, which latin-1 does not have.",
      failureCode: 'unencodable',
    })
    expect(await worker.ended(id)).toBe('failed')
  })

  it('stops its work when the job is cancelled', async () => {
    const id = await submit({ text: 'line\n'.repeat(15_000), encoding: 'ascii' })
    for await (const { event } of app.stream(id)) if (event === 'progress') break
    expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(202)
    expect(await worker.ended(id)).toBe('stopped')
    expect(await app.ended(id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('sends a report again that the API cannot take now, and stops when it is told that there is no such job', async () => {
    const answers = [503, 429, 404]
    const asked: string[] = []
    const api = createServer((req, res) => {
      asked.push(`${req.method} ${req.url} ${req.headers.authorization}`)
      req.resume().on('end', () => res.writeHead(answers.shift() ?? 500, { 'retry-after': '0' }).end())
    })
    api.listen(0, '127.0.0.1')
    await once(api, 'listening')
    const message = {
      jobsUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}/jobs`,
      jobId: 'some-job',
      reportToken: 'some-token',
      input: { text: 'one', encoding: 'ascii' },
    }
    const taken = await fetch(`${worker.url}/work`, { method: 'POST', body: JSON.stringify(message) })
    expect(taken.status).toBe(202)
    expect(await worker.ended('some-job')).toBe('stopped')
    expect(asked).toEqual(Array.from({ length: 3 }, () => 'POST /jobs/some-job/progress Bearer some-token'))
    await new Promise((resolve) => api.close(resolve))
  })
})

describe('the hand-over', () => {
  it('fails the job when there is no worker', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    await withWorkerAt(`http://127.0.0.1:${port}`, async () => {
      expect(await app.ended(await submit({ text: '', encoding: 'ascii' }))).toMatchObject({
        title: 'The transcoding worker cannot be reached',
        failureCode: 'worker-unreachable',
      })
    })
  })

  it('fails the job when the worker does not take it', async () => {
    await withWorkerAt(`${worker.url}/elsewhere`, async () => {
      expect(await app.ended(await submit({ text: '', encoding: 'ascii' }))).toMatchObject({
        title: 'The transcoding worker did not take the job',
        detail: 'It answered 404.',
        failureCode: 'worker-refused',
      })
    })
  })

  it('is what the application of the example registers', () => {
    const { handlers } = application
    const given = typeof handlers === 'function' ? handlers({ pool: database.pool() }) : handlers
    expect(given).toMatchObject([{ type: 'transcode', start: expect.any(Function) }])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp, type TestEvent } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { type Gate, gate } from '../../support/gate.ts'
import { sendRaw } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp
const words = 'line 1\r\n\r\nevent: complete\ndata: {}\n\nline 2\u2028\u0085'
const gates = new Map<string, Gate>()

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    sse: { heartbeat: 'PT0.3S', pollInterval: 'PT0.1S' },
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
      defineHandler({
        type: 'steps',
        handle: async ({ jobId, progress }) => {
          await progress(10)
          await gates.get(jobId)?.promise
          await progress(90)
        },
      }),
      defineHandler({
        type: 'fails',
        handle: () => {
          throw new JobFailureError({ title: words, detail: words, code: 'odd' })
        },
      }),
    ],
  })
  // Jobs of a type that nobody runs here stay PENDING.
  await database.query(
    `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at) VALUES ($1, 'elsewhere', now(), now(), now())`,
    [idle],
  )
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const idle = '01890000-0000-7000-8000-000000000001'

async function submitSteps(): Promise<{ id: string; go: () => void }> {
  const { jobId: id } = await app.asyncJobs.submit('steps')
  const made = gate()
  gates.set(id, made)
  return { id, go: () => made.open() }
}

describe('the stream of a job', () => {
  it('tells the state, each change and the end in order, and is then closed by the server [A29 A30 A31 A87]', async () => {
    const { id, go } = await submitSteps()
    const events: TestEvent[] = []
    for await (const event of app.stream(id)) {
      events.push(event)
      if (event.data['percentComplete'] === 10) go()
    }
    expect(events[0]?.event).toBe('status')
    expect(events.at(-1)?.event).toBe('complete')
    const versions = events.map((event) => Number(event.id))
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect(new Set(versions).size).toBe(versions.length)
    const instants = events.map(({ data }) => Date.parse(String(data['lastUpdatedAt'])))
    expect(new Set(instants).size).toBe(instants.length)
    const status = (await (await app.fetch(`/jobs/${id}/status`)).json()) as Record<string, unknown>
    expect(events.at(-1)?.data).toEqual({
      jobId: id,
      version: status['version'],
      lastUpdatedAt: status['lastUpdatedAt'],
    })
  })

  it('begins with the state when a client comes back, with no replay [A34]', async () => {
    const { id, go } = await submitSteps()
    for await (const { data } of app.stream(id)) if (data['percentComplete'] === 10) break
    for (const seen of ['1', '2', '999', 'x', '-1', '1e3', ' ']) {
      const again = app.stream(id, { headers: { 'last-event-id': seen } })
      expect((await again.next()).value).toMatchObject({ event: 'status', data: { percentComplete: 10 } })
      await again.return(undefined)
    }
    go()
    expect((await app.readEvents(id)).at(-1)?.event).toBe('complete')
  })

  it('of a job that has ended is the terminal event, at once [S14]', async () => {
    for (const [type, name] of [
      ['noop', 'complete'],
      ['fails', 'failed'],
    ] as const) {
      const id = await app.submit(type)
      await app.ended(id)
      expect((await app.readEvents(id)).map(({ event }) => event)).toEqual([name])
    }
  })

  it('is a 204 for a client that has seen the end, which stops a browser; any other id is answered anew [K72 S14]', async () => {
    const id = await app.submit('noop')
    const last = String((await app.readEvents(id)).at(-1)?.id)
    const come = async (seen: string): Promise<number> => {
      const response = await app.fetch(`/jobs/${id}/events`, { headers: { 'last-event-id': seen } })
      await response.body?.cancel()
      return response.status
    }
    expect(await come(last)).toBe(204)
    expect(await come(` ${last} `)).toBe(204)
    for (const seen of ['0', String(Number(last) + 1), `0${last}`, `${last}.0`]) expect(await come(seen)).toBe(200)
  })

  it('tells a failure in the words of the handler, and they forge nothing [K73]', async () => {
    const id = await app.submit('fails')
    await app.ended(id)
    const events = await app.readEvents(id)
    expect(events).toHaveLength(1)
    const data = { title: words.trim(), detail: words.trim(), failureCode: 'odd' }
    expect(events[0]).toMatchObject({ event: 'failed', data })
    const raw = await sendRaw(
      app.url,
      `GET /jobs/${id}/events HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`,
    )
    expect(raw.body.match(/^event:/gm)).toHaveLength(1)
    expect(raw.body.match(/^data:/gm)).toHaveLength(1)
  })

  it('tells a change that another process made [A36]', async () => {
    const stream = app.stream(idle)
    await stream.next()
    await database.query('UPDATE async_jobs SET percent_complete = 5, version = version + 1 WHERE id = $1', [idle])
    expect((await stream.next()).value).toMatchObject({ event: 'progress', data: { percentComplete: 5 } })
    await stream.return(undefined)
  })

  it('ends when its job is purged', async () => {
    const id = '01890000-0000-7000-8000-000000000002'
    await database.query(
      `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at) VALUES ($1, 'elsewhere', now(), now(), now())`,
      [id],
    )
    const events: string[] = []
    for await (const { event } of app.stream(id)) {
      events.push(event)
      await database.query('DELETE FROM async_jobs WHERE id = $1', [id])
    }
    expect(events).toEqual(['status'])
  })
})

describe('proxies before the stream', () => {
  it('are asked not to hold it back, not to change it and not to keep it [K65]', async () => {
    const response = await app.fetch(`/jobs/${idle}/events`, { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('cache-control')).toBe('private, no-cache, no-transform')
    expect(response.headers.get('content-encoding')).toBeNull()
    await response.body?.cancel()
  })

  it('have the header and a first byte of the body at once, though nothing happens [K66]', async () => {
    const proxy = await startFaultProxy(app.url, { idleMs: 60_000 })
    const began = performance.now()
    const response = await fetch(`${proxy.url}/jobs/${idle}/events`)
    expect(response.status).toBe(200)
    expect(performance.now() - began).toBeLessThan(500)
    await response.body?.cancel()
    await proxy.close()
  })

  it('see a sign of life at every heartbeat, and cut nothing that is idle [K65 K66 A67]', async () => {
    const proxy = await startFaultProxy(app.url, { idleMs: 1_000 })
    const controller = new AbortController()
    const response = await fetch(`${proxy.url}/jobs/${idle}/events`, { signal: controller.signal })
    let text = ''
    const began = performance.now()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      if ((text.match(/^:\n\n/gm) ?? []).length === 12) break
    }
    // Three times as long as the proxy allows a connection to be idle.
    expect(performance.now() - began).toBeGreaterThan(3_000)
    controller.abort()
    await proxy.close()
  })

  it('that are idle for too long cut what says nothing, as the test expects of them [K66]', async () => {
    const proxy = await startFaultProxy(app.url, { idleMs: 100 })
    const response = await fetch(`${proxy.url}/jobs/${idle}/events`)
    await expect(response.text()).rejects.toThrow('terminated')
    await proxy.close()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type JobProgress } from '../../client/index.ts'
import { defineHandler } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Gate, gate } from '../support/gate.ts'
import { answer, stall, stream } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, MANY_EVENTS, rejection, serve, STATUS } = is

let database: TestDatabase
let app: TestApp
/** The streams that are open at the server, and the requests that it got. */
let open = 0
let maxOpen = 0
const requests: string[] = []
const go = new Map<string, Gate>()

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'gated', handle: ({ jobId: id }) => go.get(id)?.promise }),
    ],
    before: (express) =>
      express.use((req, res, next) => {
        requests.push(`${req.method} ${req.path}`)
        if (!req.path.includes('events')) return next()
        maxOpen = Math.max(maxOpen, (open += 1))
        res.once('close', () => (open -= 1))
        next()
      }),
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

async function gated(): Promise<string> {
  const { jobId: id } = await app.asyncJobs.submit('gated')
  go.set(id, gate())
  return id
}

const count = (line: RegExp): number => requests.filter((request) => line.test(request)).length

describe('one client', () => {
  it('follows 200 jobs over one connection, and closes it when all have ended [K93]', async () => {
    const client = createClient({ baseUrl: app.url })
    const ids = await Promise.all(Array.from({ length: 200 }, gated))
    maxOpen = 0
    const waits = ids.map((id) => client.job(id).waitForCompletion())
    await expect.poll(() => open).toBe(1)
    for (const id of ids) go.get(id)?.open()
    expect(new Set((await Promise.all(waits)).map(({ jobId: id }) => id))).toEqual(new Set(ids))
    expect(maxOpen).toBe(1)
    await expect.poll(() => open).toBe(0)
  })

  it('takes another connection for the 201st', async () => {
    const client = createClient({ baseUrl: app.url })
    const ids = await Promise.all(Array.from({ length: 201 }, gated))
    const waits = ids.map((id) => client.job(id).waitForCompletion())
    await expect.poll(() => open).toBe(2)
    for (const id of ids) go.get(id)?.open()
    await Promise.all(waits)
  })

  it('takes in jobs that join later, and misses nothing of those that it follows already', async () => {
    const client = createClient({ baseUrl: app.url })
    const ids = [await gated(), await gated(), await gated()]
    const waits: Promise<unknown>[] = []
    for (const id of ids) {
      const seen = gate()
      waits.push(client.job(id).waitForCompletion({ onProgress: () => seen.open() }))
      await seen.promise
    }
    await expect.poll(() => open).toBe(1)
    for (const id of ids) go.get(id)?.open()
    await Promise.all(waits)
  })

  it('tells everybody who waits for the same job, also who comes later', async () => {
    const client = createClient({ baseUrl: app.url })
    const id = await gated()
    const first = gate()
    const waits = [client.job(id).waitForCompletion({ onProgress: () => first.open() })]
    await first.promise
    const second = gate<JobProgress>()
    waits.push(client.job(id).waitForCompletion({ onProgress: second.open }))
    expect(await second.promise).toMatchObject({ status: 'PROCESSING' })
    go.get(id)?.open()
    const [one, two] = await Promise.all(waits)
    expect(one).toEqual(two)
  })

  it('does not let one who leaves, or a job that is not there, disturb the others', async () => {
    const client = createClient({ baseUrl: app.url })
    const id = await gated()
    const seen = gate()
    const wait = client.job(id).waitForCompletion({ onProgress: () => seen.open() })
    await seen.promise
    const leave = new AbortController()
    const left = rejection(client.job(await gated()).waitForCompletion({ signal: leave.signal }))
    leave.abort('enough')
    expect(await left).toBe('enough')
    const nobody = '01890000-0000-7000-8000-000000000000'
    const from = performance.now()
    expect(await rejection(client.job(nobody).waitForCompletion())).toMatchObject({ name: 'JobNotFoundError' })
    // The stream says so, long before the first poll would.
    expect(performance.now() - from).toBeLessThan(900)
    go.get(id)?.open()
    await expect(wait).resolves.toMatchObject({ status: 'COMPLETED' })
  })

  it('knows a job by its id in capitals too', async () => {
    const client = createClient({ baseUrl: app.url })
    const id = await gated()
    requests.length = 0
    const seen = gate()
    const wait = client.job(id.toUpperCase()).waitForCompletion({ onProgress: () => seen.open() })
    await seen.promise
    expect(count(/status/)).toBe(0)
    go.get(id)?.open()
    await expect(wait).resolves.toMatchObject({ jobId: id })
  })

  it('polls nothing while its stream tells of its jobs', async () => {
    const client = createClient({ baseUrl: app.url, retryAfterMs: 100 })
    const id = await gated()
    const seen = gate()
    const wait = client.job(id).waitForCompletion({ onProgress: () => seen.open() })
    await seen.promise
    requests.length = 0
    await new Promise((resolve) => setTimeout(resolve, 500))
    go.get(id)?.open()
    await wait
    expect(count(/status/)).toBe(1)
  })

  it.each([400, 404, 405, 414, 431, 501])(
    'opens a stream for each job where a %d says that there is none for many',
    async (status) => {
      const server = await serve({ [MANY_EVENTS]: answer(status, 'no such thing') })
      const client = clientOf(server)
      for (let wait = 0; wait < 2; wait += 1) await client.job(jobId).waitForCompletion()
      expect(server.requests(MANY_EVENTS)).toHaveLength(1)
      expect(server.requests(EVENTS)).toHaveLength(2)
    },
  )

  it('polls by Retry-After while a proxy holds the stream back', async () => {
    const states = [job('PROCESSING', 2), job('COMPLETED', 3)]
    const server = await serve({ [EVENTS]: stall, [STATUS]: (exchange) => answer(200, states.shift())(exchange) })
    await clientOf(server).submit('accounts').waitForCompletion()
    expect(server.maxOpen(EVENTS)).toBe(1)
  })
})

describe('polling where there is no stream', () => {
  const applied = { 'Retry-After': '60', 'Preference-Applied': 'wait=0' }
  const unchanged = answer(304, undefined, { 'Retry-After': '60', 'Preference-Applied': 'wait=18' })

  it('asks the server to wait for news, and comes again at once when it has [A74]', async () => {
    const answers = [
      answer(200, job('PROCESSING', 2), applied),
      unchanged,
      answer(200, job('COMPLETED', 3), { 'Preference-Applied': 'wait=18' }),
    ]
    const server = await serve({
      [EVENTS]: answer(404),
      [STATUS]: async (exchange) => {
        const waits = exchange.req.headers['prefer'] === 'wait=18'
        if (waits) await new Promise((resolve) => setTimeout(resolve, 1_000))
        return answers.shift()?.(exchange)
      },
    })
    await clientOf(server, { retryAfterMs: 100 }).job(jobId).waitForCompletion()
    const sent = server.requests(STATUS).map(({ req: { headers } }) => [headers['prefer'], headers['if-none-match']])
    expect(sent).toEqual([
      ['wait=0', undefined],
      ['wait=18', '"2"'],
      ['wait=18', '"2"'],
    ])
  })

  it('keeps to Retry-After where the server does not wait', async () => {
    const active = answer(200, job('PROCESSING', 2), { 'Retry-After': '1' })
    const idle = answer(304, undefined, { 'Retry-After': '1', 'Preference-Applied': 'wait=0' })
    const answers = [active, idle, active, answer(200, job('COMPLETED', 3))]
    const server = await serve({ [EVENTS]: answer(404), [STATUS]: (exchange) => answers.shift()?.(exchange) })
    await clientOf(server).job(jobId).waitForCompletion()
    const at = server.requests(STATUS).map((exchange) => exchange.at)
    expect(at.slice(1).map((later, index) => later - at[index]! > 990)).toEqual([true, true, true])
  })

  it('lets go of a poll that waits as soon as the stream comes back', async () => {
    let refuse = true
    const server = await serve({
      [EVENTS]: (exchange) => {
        if (refuse) return answer(503, 'later', { 'Retry-After': '1' })(exchange)
        return stream(is.progress(10, 3), is.ending('complete', 4))(exchange)
      },
      [STATUS]: (exchange) => {
        if (exchange.nth === 1) return answer(200, job('PROCESSING', 2), applied)(exchange)
        if (exchange.nth > 2) return answer(200, job('COMPLETED', 4))(exchange)
        refuse = false
        return undefined
      },
    })
    const client = clientOf(server, { retryAfterMs: 100 })
    const begun = performance.now()
    await client.job(jobId).waitForCompletion()
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

import { describe, expect, it } from 'vitest'
import { createClient, type JobEvent } from '../../client/index.ts'
import { answer, endedStream, inTurn, stall, stream } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { accepted, CANCEL, clientOf, EVENTS, job, jobId, rejection, serve, STATUS, SUBMIT } = is

describe('a submit', () => {
  it('starts at once and resolves to the accepted job, without Location and Retry-After', async () => {
    const server = await serve({ [SUBMIT]: answer(202, accepted({ outcome: 'fresh' })) })
    const handle = clientOf(server).submit('accounts')
    await server.arrived(SUBMIT)
    expect(await handle).toEqual(accepted({ outcome: 'fresh' }))
  })

  it('carries input, key and no-cache, and nothing of them where they are not given', async () => {
    const server = await serve()
    const client = clientOf(server, { baseUrl: `${server.url}/` })
    await client.submit('a.b-c_D', { input: { rows: [1] }, idempotencyKey: 'k-1', noCache: true })
    await client.submit('accounts')
    const [full, bare] = server.requests(SUBMIT)
    expect(full!.req.url).toBe('/jobs/a.b-c_D')
    expect(full!.req.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'k-1',
      'cache-control': 'no-cache',
    })
    expect(full!.body).toBe('{"rows":[1]}')
    expect(bare!.body).toBe('')
    for (const name of ['content-type', 'idempotency-key']) expect(bare!.req.headers).not.toHaveProperty(name)
  })

  it('is never sent again, and rejects with the problem of the answer', async () => {
    const server = await serve({ [SUBMIT]: answer(503, is.problem(503, 'queue-full'), { 'Retry-After': '7' }) })
    const handle = clientOf(server).submit('accounts')
    const errors = await Promise.all([rejection(handle), rejection(handle.waitForCompletion())])
    expect(errors[0]).toBe(errors[1])
    expect(errors[0]).toMatchObject({
      name: 'HttpError',
      message: `POST ${server.url}/jobs/accounts answered 503: Problem queue-full (queue-full)`,
      status: 503,
      retryAfterMs: 7_000,
      problem: { code: 'queue-full' },
      request: { method: 'POST' },
    })
    expect(server.requests(SUBMIT)).toHaveLength(1)
  })

  it('rejects as a network error when the connection breaks, and is not sent again', async () => {
    const server = await serve({ [SUBMIT]: ({ res }) => void res.destroy() })
    const error = await rejection(clientOf(server).submit('accounts'))
    expect(error).toMatchObject({ name: 'NetworkError', cause: { name: 'TypeError' } })
    expect(server.requests(SUBMIT)).toHaveLength(1)
  })

  it.each<[string, ReturnType<typeof answer>]>([
    ['HTML', answer(200, '<html>Sign in</html>')],
    ['no body', answer(202)],
    ['an id that is none', answer(202, accepted({ jobId: '../admin' }))],
  ])('rejects with a typed error when the answer has %s', async (_what, script) => {
    const server = await serve({ [SUBMIT]: script })
    expect(await rejection(clientOf(server).submit('accounts'))).toMatchObject({ name: 'HttpError' })
  })

  it('ends with its signal, and its connection too', async () => {
    const server = await serve({ [SUBMIT]: stall })
    const controller = new AbortController()
    const outcome = rejection(clientOf(server).submit('accounts', { signal: controller.signal }))
    const { closed } = await server.arrived(SUBMIT)
    controller.abort('enough')
    expect(await outcome).toBe('enough')
    await closed
  })

  it('goes on for those who still want it when one wait for it is aborted', async () => {
    const server = await serve({ [SUBMIT]: stall })
    const controller = new AbortController()
    const handle = clientOf(server).submit('accounts')
    const kept = handle.then((value) => value)
    const wait = rejection(handle.waitForCompletion({ signal: controller.signal }))
    const exchange = await server.arrived(SUBMIT)
    controller.abort('enough')
    expect(await wait).toBe('enough')
    answer(202, accepted())(exchange)
    expect(await kept).toEqual(accepted())
  })

  it.each(['', '.', '..', 'a/b', 'a?b', 'a%2Fb', 'é', 'x'.repeat(101)])(
    'of the type %j rejects before anything is sent [K82]',
    async (type) => {
      const server = await serve()
      const error = await rejection(clientOf(server).submit(type).waitForCompletion())
      expect(error).toMatchObject({ name: 'InvalidArgumentError', field: 'type', found: JSON.stringify(type) })
      expect(server.requests(SUBMIT)).toHaveLength(0)
    },
  )

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(258)])('with the key %j rejects before anything is sent', async (key) => {
    const server = await serve()
    const error = await rejection(clientOf(server).submit('accounts', { idempotencyKey: key }))
    expect(error).toMatchObject({ name: 'InvalidArgumentError', field: 'idempotencyKey' })
    expect(server.requests(SUBMIT)).toHaveLength(0)
  })
})

describe('the handle of a known job', () => {
  it.each(['', '/', '..', `${jobId}/..`, `${jobId}?x`, `${jobId} `, 'accounts'])(
    'of the id %j rejects before anything is sent [K82]',
    async (id) => {
      let sent = 0
      const fetch = (): Promise<Response> => ((sent += 1), Promise.resolve(Response.error()))
      const handle = createClient({ baseUrl: 'http://127.0.0.1:9', fetch }).job(id)
      const attempts = [handle.waitForCompletion(), handle.status(), handle.cancel(), handle.events().next()]
      for (const error of await Promise.all(attempts.map(rejection))) {
        expect(error).toMatchObject({ name: 'InvalidArgumentError', field: 'jobId', found: JSON.stringify(id) })
      }
      expect(sent).toBe(0)
    },
  )

  it('sends nothing by itself and can be given through promises', async () => {
    const server = await serve()
    const handle = await Promise.resolve(clientOf(server).job(jobId))
    expect(server.requests(EVENTS)).toHaveLength(0)
    await handle.waitForCompletion()
  })

  it('reads the state of a job, also of a FAILED one', async () => {
    const failed = { ...is.failedProblem(3), detail: 'More' }
    const server = await serve({ [STATUS]: inTurn(answer(200, job('PENDING', 1)), answer(422, failed)) })
    const handle = clientOf(server).job(jobId)
    expect(await handle.status()).toEqual(job('PENDING', 1))
    const { createdAt, lastUpdatedAt } = failed
    expect(await handle.status()).toEqual({
      jobId,
      type: 'accounts',
      status: 'FAILED',
      version: 3,
      createdAt,
      lastUpdatedAt,
      percentComplete: null,
      failure: { code: 'handler-error', title: 'It broke', detail: 'More' },
    })
  })

  it('rejects as not found when there is no such job', async () => {
    const missing = answer(404, is.problem(404, 'job-not-found'))
    const server = await serve({ [STATUS]: missing, [CANCEL]: missing })
    const handle = clientOf(server).job(jobId)
    for (const error of [await rejection(handle.status()), await rejection(handle.cancel())]) {
      expect(error).toMatchObject({ name: 'JobNotFoundError', status: 404 })
    }
  })

  it('cancels, and says so when the job had ended', async () => {
    const tooLate = answer(409, is.problem(409, 'job-already-ended'))
    const server = await serve({ [CANCEL]: inTurn(answer(202, job('CANCELLED', 3)), tooLate) })
    const handle = clientOf(server).submit('accounts')
    expect(await handle.cancel()).toEqual(job('CANCELLED', 3))
    expect(await rejection(handle.cancel())).toMatchObject({ status: 409, problem: { code: 'job-already-ended' } })
  })
})

describe('events', () => {
  const collect = async (events: AsyncIterable<JobEvent>): Promise<string[]> => {
    const names: string[] = []
    for await (const { event, data } of events) names.push(`${event} ${data.version}`)
    return names
  }

  it('are those of the stream, up to the terminal one, and need no status', async () => {
    const frames = [is.snapshot('PROCESSING', 2), is.progress(50, 3), is.ending('complete', 4)]
    const server = await serve({ [EVENTS]: endedStream(...frames) })
    expect(await collect(clientOf(server).submit('accounts').events())).toEqual([
      'status 2',
      'progress 3',
      'complete 4',
    ])
    expect(server.requests(STATUS)).toHaveLength(0)
  })

  it('are made of polled states where there is no stream', async () => {
    const polled = [job('PENDING', 1), job('PENDING', 1), job('PROCESSING', 2), job('CANCELLED', 5)]
    const states = polled.map((state) => answer(200, state, { 'Retry-After': '0' }))
    const server = await serve({ [EVENTS]: answer(404), [STATUS]: inTurn(...states) })
    expect(await collect(clientOf(server).job(jobId).events())).toEqual(['status 1', 'status 2', 'cancelled 5'])
  })

  it('close the connection when the loop is left', async () => {
    const server = await serve({ [EVENTS]: stream(is.snapshot('PROCESSING', 2)) })
    for await (const { event } of clientOf(server).job(jobId).events()) {
      expect(event).toBe('status')
      break
    }
    await server.requests(EVENTS)[0]!.closed
  })

  it('close the connection on an abort, also while the consumer is busy', async () => {
    const server = await serve({ [EVENTS]: stream(is.snapshot('PROCESSING', 2)) })
    const controller = new AbortController()
    const events = clientOf(server).job(jobId).events({ signal: controller.signal })
    await events.next()
    controller.abort('enough')
    await server.requests(EVENTS)[0]!.closed
    expect(await rejection(events.next())).toBe('enough')
  })
})

describe('requests', () => {
  it('go to the base URL with the caller’s headers, whatever URLs an answer names', async () => {
    const server = await serve()
    const sent: Request[] = []
    let token = 0
    const client = clientOf(server, {
      headers: () => Promise.resolve({ Authorization: `Bearer ${(token += 1)}` }),
      fetch: (...args) => {
        expect(args).toHaveLength(1)
        sent.push(args[0])
        return fetch(...args)
      },
    })
    await client.submit('accounts').waitForCompletion()
    expect(sent.every((request) => request instanceof Request && request.url.startsWith(`${server.url}/job`))).toBe(
      true,
    )
    expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3'])
    expect(sent.slice(1).map(({ cache }) => cache)).toEqual(['no-store', 'no-store'])
    expect(server.requests(EVENTS)[0]!.req.headers.accept).toBe('text/event-stream')
  })

  it('follow no redirect, so that headers go nowhere else', async () => {
    const other = await serve()
    const redirect = answer(307, undefined, { Location: `${other.url}/jobs/accounts` })
    const server = await serve({ [SUBMIT]: redirect })
    const error = await rejection(clientOf(server, { headers: { 'X-Api-Key': 'secret' } }).submit('accounts'))
    expect(error).toMatchObject({ name: 'HttpError', status: 307 })
    expect(other.requests(SUBMIT)).toHaveLength(0)
  })

  it.each<[string, Parameters<typeof createClient>[0]]>([
    ['a base URL that is relative to nothing', { baseUrl: '/api' }],
    ['a header that is none', { baseUrl: 'http://127.0.0.1:9', headers: { 'a b': '' } }],
    [
      'a function for headers that throws',
      { baseUrl: 'http://127.0.0.1:9', headers: () => Promise.reject(new Error('No')) },
    ],
  ])('that cannot be built reject at once: %s', async (_what, options) => {
    const error = await rejection(createClient(options).job(jobId).waitForCompletion())
    expect(error).toMatchObject({
      name: 'AsyncJobsError',
      message: expect.stringMatching(/^The request could not be built/),
    })
    expect((error as Error).cause).toBeInstanceOf(Error)
  })

  it('need a base URL without query, and amounts that are numbers from 0', () => {
    expect(() => createClient({ baseUrl: '/api?x' })).toThrow(/^baseUrl: expected/)
    expect(() => createClient({ baseUrl: '/api', heartbeatMs: NaN })).toThrow(/^heartbeatMs: expected/)
    expect(() => createClient({ baseUrl: '/api', maxStreams: -1 })).toThrow(/^maxStreams: expected/)
  })
})

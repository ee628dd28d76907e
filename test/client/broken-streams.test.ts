import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.ts'
import {
  type Answer,
  answer,
  endedStream,
  type Exchange,
  inTurn,
  type Script,
  stream,
} from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, MANY_EVENTS, rejection, STATUS } = is

/** Sends these frames and breaks the connection. */
function brokenStream(...frames: string[]): Answer {
  return (exchange) => {
    stream()(exchange)
    exchange.res.write(frames.join(''), () => exchange.res.destroy())
  }
}

describe.each<[string, Script]>([
  ['one stream for all its waits', {}],
  ['a stream for each job, because the server has no other', { [MANY_EVENTS]: answer(404) }],
])('a client with %s', (_mode, only) => {
  const serve = (script: Script): ReturnType<typeof is.serve> => is.serve({ ...script, ...only })

  describe('the end of a stream', () => {
    const completed = answer(200, job('COMPLETED', 3))
    const active = answer(200, job('PROCESSING', 2))

    it.each<[string, Answer]>([
      ['is cut after progress', brokenStream(is.progress(10, 2))],
      ['lacks the blank line of its last event', endedStream(is.progress(10, 2), is.ending('complete', 3).trimEnd())],
      ['comes without a terminal event', endedStream(is.progress(10, 2))],
      ['comes in the middle of a line', endedStream('id: 3\nevent: comp')],
      ['follows what is no JSON', stream('event: status\ndata: {\n\n')],
      ['follows JSON that is no event', endedStream('event: complete\ndata: null\n\n')],
      ['follows an event beyond all bounds', stream(`data: ${'x'.repeat(300_000)}`)],
    ])('is no success when it %s: the status decides [K83]', async (_how, events) => {
      const failed = await serve({ [EVENTS]: events, [STATUS]: answer(422, is.failedProblem(3)) })
      const error = await rejection(clientOf(failed).job(jobId).waitForCompletion())
      expect(error).toMatchObject({ name: 'JobFailedError' })

      const server = await serve({ [EVENTS]: events, [STATUS]: completed })
      await expect(clientOf(server).job(jobId).waitForCompletion()).resolves.toMatchObject({ status: 'COMPLETED' })
    })

    it('before the job has ended leads to another stream [K83]', async () => {
      const server = await serve({
        [EVENTS]: inTurn(endedStream(is.progress(10, 2)), endedStream(is.ending('complete', 3))),
        [STATUS]: inTurn(active, completed),
      })
      await clientOf(server).job(jobId).waitForCompletion()
      expect(server.requests(EVENTS)).toHaveLength(2)
    })

    it('never leads to more than one connection, however often the server restarts [K88]', async () => {
      let restarts = 0
      const server = await serve({
        [EVENTS]: (exchange) =>
          restarts < 6
            ? stream(is.progress(restarts, restarts + 2))(exchange)
            : endedStream(is.ending('complete', 99))(exchange),
        [STATUS]: (exchange) =>
          answer(200, restarts < 6 ? job('PROCESSING', restarts + 1) : job('COMPLETED', 99))(exchange),
      })
      const onProgress = async (): Promise<void> => {
        restarts += 1
        await server.restart()
      }
      await clientOf(server).job(jobId).waitForCompletion({ onProgress })
      expect(restarts).toBe(6)
      expect(server.maxOpen(EVENTS)).toBe(1)
      expect(server.maxOpen(STATUS)).toBe(1)
      expect(server.requests(is.SUBMIT)).toHaveLength(0)
    })
  })

  describe('a stream', () => {
    it('that falls silent is dead after 2.5 heartbeats; a poll decides [K92]', async () => {
      const server = await serve({ [EVENTS]: stream(is.snapshot('PROCESSING', 2)) })
      const begun = performance.now()
      await clientOf(server, { heartbeatMs: 100 }).job(jobId).waitForCompletion()
      const took = performance.now() - begun
      expect(took).toBeGreaterThan(245)
      expect(took).toBeLessThan(600)
      await server.requests(EVENTS)[0]!.closed
    })

    it('lives on comments, and on bytes that are no event yet [K92]', async () => {
      const server = await serve({
        [EVENTS]: (exchange) => {
          const bytes = ':\n\n'.repeat(8) + is.ending('complete', 3)
          let sent = 0
          stream()(exchange)
          const timer = setInterval(() => {
            exchange.res.write(bytes.slice(sent, (sent += 4)))
            if (sent >= bytes.length) exchange.res.end()
          }, 25)
          exchange.res.once('close', () => clearInterval(timer))
        },
      })
      await clientOf(server, { heartbeatMs: 100 }).job(jobId).waitForCompletion()
      expect(server.requests(EVENTS)).toHaveLength(1)
      expect(server.requests(STATUS)).toHaveLength(1)
    })

    it('keeps characters whole that arrive byte by byte [K84]', async () => {
      const title = 'é漢😀'
      const { jobId: id, version, lastUpdatedAt, failureCode } = is.failedProblem(3)
      const data = JSON.stringify({ jobId: id, version, lastUpdatedAt, title, failureCode })
      const server = await serve({
        [EVENTS]: async (exchange) => {
          stream()(exchange)
          exchange.res.socket?.setNoDelay(true)
          for (const byte of Buffer.from(`event: failed\r\ndata: ${data}\r\n\r\n`)) {
            await new Promise((resolve) => exchange.res.write(Buffer.of(byte), resolve))
            await new Promise(setImmediate)
          }
        },
      })
      for await (const event of clientOf(server).job(jobId).events()) {
        expect(event).toEqual({ event: 'failed', data: JSON.parse(data) })
      }
    })

    it('skips events of names that it does not know', async () => {
      const frames = ['data: hello\n\n', 'event: news\ndata: {"version":9}\n\n', ':\n\n', 'retry: x\n\n']
      const server = await serve({ [EVENTS]: endedStream(...frames, is.ending('complete', 3)) })
      const events: string[] = []
      for await (const { event } of clientOf(server).job(jobId).events()) events.push(event)
      expect(events).toEqual(['complete'])
      expect(server.requests(STATUS)).toHaveLength(0)
    })
  })

  describe('where there is no stream', () => {
    const refusals: [string, Answer][] = [
      ['404', answer(404, 'nothing here')],
      ['406', answer(406, is.problem(406, 'not-acceptable'))],
      ['429', answer(429, undefined, { 'Retry-After': '1' })],
      ['500', answer(500, '<html>')],
      ['503', answer(503, is.problem(503, 'queue-full'), { 'Retry-After': '1' })],
      ['an HTML 200', answer(200, '<html>Sign in</html>')],
      ['a 200 without a type', ({ res }: Exchange) => void res.writeHead(200).end()],
      ['a 204', answer(204)],
      ['a broken connection', ({ res }: Exchange) => void res.destroy()],
    ]

    it.each(refusals)('but %s, a wait polls [K86]', async (_what, events) => {
      const active = answer(200, job('PROCESSING', 2), { 'Retry-After': '0' })
      const server = await serve({
        [EVENTS]: events,
        [STATUS]: inTurn(active, active, answer(200, job('COMPLETED', 3))),
      })
      const seen: number[] = []
      await clientOf(server)
        .job(jobId)
        .waitForCompletion({ onProgress: ({ version }) => void seen.push(version) })
      expect(seen).toEqual([2])
      expect(server.requests(EVENTS).length).toBeLessThanOrEqual(4)
    })

    it.each([401, 403])('but a %d, a wait rejects at once [K86]', async (status) => {
      const server = await serve({ [EVENTS]: answer(status, '<html>'), [STATUS]: answer(status, '<html>') })
      const error = await rejection(clientOf(server).job(jobId).waitForCompletion())
      expect(error).toMatchObject({
        name: 'HttpError',
        status,
        request: { method: 'GET', url: expect.stringMatching(/\/job(-|s.*\/)events/) as string },
      })
      expect(server.requests(STATUS)).toHaveLength(0)
    })

    it('because there is no such job, a wait rejects as not found [K86]', async () => {
      const missing = answer(404, is.problem(404, 'job-not-found'))
      const server = await serve({ [EVENTS]: missing, [STATUS]: missing })
      const error = await rejection(clientOf(server).job(jobId).waitForCompletion())
      expect(error).toMatchObject({ name: 'JobNotFoundError', status: 404, problem: { code: 'job-not-found' } })
    })

    it('and the connection is refused, a wait ends with a typed error at its deadline [K86]', async () => {
      const placeholder = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => placeholder.once('listening', resolve))
      const { port } = placeholder.address() as AddressInfo
      await new Promise((resolve) => placeholder.close(resolve))
      let attempts = 0
      const client = createClient({
        baseUrl: `http://127.0.0.1:${port}`,
        fetch: (request) => ((attempts += 1), fetch(request)),
      })
      const error = await rejection(client.job(jobId).waitForCompletion({ timeoutMs: 700 }))
      expect(error).toMatchObject({ name: 'WaitTimeoutError', cause: { name: 'NetworkError' } })
      expect(attempts).toBeLessThan(14)
    })

    it('a status of HTML or a foreign JSON is tried again, never taken for a job', async () => {
      const server = await serve({
        [EVENTS]: answer(404),
        [STATUS]: inTurn(answer(200, '<html>'), answer(200, { portal: true }), answer(200, job('COMPLETED', 3))),
      })
      await expect(clientOf(server).job(jobId).waitForCompletion()).resolves.toMatchObject({ status: 'COMPLETED' })
      expect(server.requests(STATUS)).toHaveLength(3)
    })
  })
})

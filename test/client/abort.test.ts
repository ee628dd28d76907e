import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { answer, type Exchange, stall, stream } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, rejection, serve, STATUS, SUBMIT } = is

const active = { [STATUS]: answer(200, job('PROCESSING', 2)) }

describe('an abort', () => {
  it('ends 1,000 waits on one signal within 50 ms and leaves no listener, no stream and no warning [K91]', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const server = await serve({ [EVENTS]: stream(is.snapshot('PROCESSING', 2)), ...active })
    const done = await serve()
    const controller = new AbortController()
    const { signal } = controller
    const finished = Array.from({ length: 1_000 }, () => clientOf(done).job(jobId).waitForCompletion({ signal }))
    await Promise.all(finished)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)

    const waits = Array.from({ length: 1_000 }, () => clientOf(server).job(jobId).waitForCompletion({ signal }))
    const outcomes = Promise.allSettled(waits)
    await server.arrived(EVENTS, 1_000)
    const reason = new Error('enough')
    const abortedAt = performance.now()
    controller.abort(reason)
    const settled = await outcomes
    expect(performance.now() - abortedAt).toBeLessThan(50)
    expect(settled.every((outcome) => outcome.status === 'rejected' && outcome.reason === reason)).toBe(true)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await Promise.all(server.requests(EVENTS).map(({ closed }) => closed))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('that came before the wait sends nothing for it', async () => {
    const server = await serve()
    const wait = clientOf(server)
      .job(jobId)
      .waitForCompletion({ signal: AbortSignal.abort('before') })
    expect(await rejection(wait)).toBe('before')
    expect(server.requests(EVENTS)).toHaveLength(0)
  })

  it.each<[string, Parameters<typeof serve>[0], string]>([
    ['the submit', { [SUBMIT]: stall }, SUBMIT],
    ['the headers of the stream', { [EVENTS]: stall, ...active }, EVENTS],
    ['the stream', { [EVENTS]: stream(), ...active }, EVENTS],
    ['the status', { [EVENTS]: answer(404), [STATUS]: stall }, STATUS],
  ])('closes the connection while %s stalls', async (_where, script, route) => {
    const server = await serve(script)
    const controller = new AbortController()
    const wait = rejection(clientOf(server).submit('accounts').waitForCompletion({ signal: controller.signal }))
    const { closed } = await server.arrived(route)
    controller.abort('enough')
    expect(await wait).toBe('enough')
    await closed
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('ends a wait also when the given fetch ignores signals', async () => {
    const server = await serve({ [EVENTS]: stall })
    const controller = new AbortController()
    const client = clientOf(server, { fetch: ({ url }) => fetch(url) })
    const wait = rejection(client.job(jobId).waitForCompletion({ signal: controller.signal }))
    await server.arrived(EVENTS)
    controller.abort('enough')
    expect(await wait).toBe('enough')
  })
})

describe('a deadline', () => {
  const stalledBody = ({ res }: Exchange): void => void res.writeHead(200, { 'Content-Length': '500' }).write('{')

  it.each<[string, Parameters<typeof serve>[0], string]>([
    ['the headers of the submit', { [SUBMIT]: stall }, SUBMIT],
    ['the headers of the status', { [EVENTS]: answer(404), [STATUS]: stall }, STATUS],
    ['the body of the status', { [EVENTS]: answer(404), [STATUS]: stalledBody }, STATUS],
    ['the headers of the stream', { [EVENTS]: stall }, EVENTS],
    ['the stream', { [EVENTS]: stream(is.snapshot('PROCESSING', 2)) }, EVENTS],
    ['the pause between two polls', { [EVENTS]: answer(404), [STATUS]: answer(200, job('PENDING', 1)) }, STATUS],
    ['the back-off', { [EVENTS]: answer(404), [STATUS]: answer(503, undefined, { 'Retry-After': '600' }) }, STATUS],
  ])('rejects in time in %s and closes the connection [K94] [K78]', async (_where, script, route) => {
    const server = await serve({ [SUBMIT]: answer(202, is.accepted()), ...script })
    const begun = performance.now()
    const error = await rejection(clientOf(server).submit('accounts').waitForCompletion({ timeoutMs: 400 }))
    const took = performance.now() - begun
    expect(error).toMatchObject({ name: 'WaitTimeoutError', timeoutMs: 400 })
    expect(took).toBeGreaterThanOrEqual(398)
    expect(took).toBeLessThan(600)
    await server.requests(route)[0]!.closed
  })

  it('says in its cause which request failed last', async () => {
    const server = await serve({ [EVENTS]: answer(404), [STATUS]: answer(500, is.problem(500, 'internal-error')) })
    const error = await rejection(clientOf(server).job(jobId).waitForCompletion({ timeoutMs: 300 }))
    expect(error).toMatchObject({ name: 'WaitTimeoutError', cause: { name: 'HttpError', status: 500 } })
  })

  it.each([2 ** 31, 2 ** 40, Infinity])(
    'beyond what timers keep does not fire at once: %d ms [K33]',
    async (timeoutMs) => {
      let end: (() => void) | undefined
      const server = await serve({
        [EVENTS]: (exchange) => {
          stream(is.snapshot('PROCESSING', 2))(exchange)
          end = () => exchange.res.end(is.ending('complete', 3))
        },
      })
      const onProgress = vi.fn<() => void>()
      const wait = clientOf(server).job(jobId).waitForCompletion({ timeoutMs, onProgress })
      await vi.waitFor(() => expect(onProgress).toHaveBeenCalled())
      end?.()
      await expect(wait).resolves.toMatchObject({ status: 'COMPLETED' })
    },
  )

  it('must be a number from 0', async () => {
    const server = await serve()
    for (const timeoutMs of [-1, NaN]) {
      const error = await rejection(clientOf(server).job(jobId).waitForCompletion({ timeoutMs }))
      expect(error).toMatchObject({ name: 'InvalidArgumentError', field: 'timeoutMs' })
    }
  })
})

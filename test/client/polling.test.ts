import { describe, expect, it } from 'vitest'
import { answer, type Exchange, inTurn } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, rejection, serve, STATUS, SUBMIT } = is

describe('polling', () => {
  const noStream = { [EVENTS]: answer(404) }
  const delays = (exchanges: readonly Exchange[]): number[] =>
    exchanges.slice(1).map(({ at }, index) => at - exchanges[index]!.at)

  it('waits the seconds of Retry-After, and little more [K77]', async () => {
    const active = answer(200, job('PROCESSING', 2), { 'Retry-After': '2' })
    const server = await serve({ ...noStream, [STATUS]: inTurn(active, answer(200, job('COMPLETED', 3))) })
    await clientOf(server).job(jobId).waitForCompletion()
    const [delay] = delays(server.requests(STATUS))
    expect(delay).toBeGreaterThan(1_990)
    expect(delay).toBeLessThan(2_500)
  })

  it('takes the first delay from the 202 and the next from each status [K80]', async () => {
    const active = answer(200, job('PROCESSING', 2), { 'Retry-After': '1' })
    const server = await serve({
      ...noStream,
      [SUBMIT]: answer(202, is.accepted(), { 'Retry-After': '3' }),
      [STATUS]: inTurn(active, answer(200, job('COMPLETED', 3))),
    })
    await clientOf(server).submit('accounts').waitForCompletion()
    const [first, second] = delays([server.requests(SUBMIT)[0]!, ...server.requests(STATUS)])
    expect(first).toBeGreaterThan(2_990)
    expect(second).toBeGreaterThan(990)
    expect(second).toBeLessThan(1_500)
  })

  it.each(['', 'abc', 'Friday, 02-Jan-26 03:04:08 GMT', new Date(0).toUTCString()])(
    'waits the default delay on Retry-After: %j [K78]',
    async (value) => {
      const active = answer(200, job('PROCESSING', 2), { 'Retry-After': value })
      const server = await serve({ ...noStream, [STATUS]: inTurn(active, answer(200, job('COMPLETED', 3))) })
      await clientOf(server, { retryAfterMs: 300 }).job(jobId).waitForCompletion()
      const [delay] = delays(server.requests(STATUS))
      expect(delay).toBeGreaterThan(290)
      expect(delay).toBeLessThan(600)
    },
  )

  it('honours a date, and has a floor under 0 [K78]', async () => {
    const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString()
    const at = (value: string) => answer(200, job('PROCESSING', 2), { 'Retry-After': value, Date: inSeconds(0) })
    const server = await serve({
      ...noStream,
      [STATUS]: inTurn(at('0'), at(inSeconds(1)), answer(200, job('COMPLETED', 3))),
    })
    await clientOf(server).job(jobId).waitForCompletion()
    const [afterZero, afterDate] = delays(server.requests(STATUS))
    expect(afterZero).toBeGreaterThan(95)
    expect(afterZero).toBeLessThan(400)
    expect(afterDate).toBeGreaterThan(990)
    expect(afterDate).toBeLessThan(1_500)
  })

  it('makes no tight loop of a Retry-After beyond what timers keep, and keeps the deadline [K76]', async () => {
    const active = answer(200, job('PROCESSING', 2), { 'Retry-After': '99999999999' })
    const server = await serve({ ...noStream, [STATUS]: active })
    const error = await rejection(clientOf(server).job(jobId).waitForCompletion({ timeoutMs: 500 }))
    expect(error).toMatchObject({ name: 'WaitTimeoutError' })
    expect(server.requests(STATUS)).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { answer, inTurn, stall } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { accepted, clientOf, rejection, serve, SUBMIT } = is

const later = answer(503, is.problem(503, 'database-unavailable'), { 'Retry-After': '0' })
const ok = answer(202, accepted())
const keys = (server: Awaited<ReturnType<typeof serve>>): unknown[] =>
  server.requests(SUBMIT).map(({ req }) => req.headers['idempotency-key'])

describe('a submit', () => {
  it('is never sent again by itself', async () => {
    const server = await serve({ [SUBMIT]: inTurn(later, ok) })
    expect(await rejection(clientOf(server).submit('accounts'))).toMatchObject({ name: 'HttpError', status: 503 })
    expect(keys(server)).toEqual([undefined])
  })

  it('that may be sent again carries one key, made for it, each time', async () => {
    const server = await serve({ [SUBMIT]: inTurn(later, answer(502, '<html>'), ok) })
    const client = clientOf(server, { retries: 5 })
    await expect(client.submit('accounts').waitForCompletion()).resolves.toMatchObject({ status: 'COMPLETED' })
    const [key, ...others] = keys(server)
    expect(key).toMatch(/^[\x21-\x7e]{16,255}$/)
    expect(others).toEqual([key, key])
    await client.submit('accounts')
    expect(keys(server).at(-1)).not.toBe(key)
  })

  it('is sent again with the key of its caller, after the time that the server asks for', async () => {
    const wait = answer(503, is.problem(503, 'database-unavailable'), { 'Retry-After': '1' })
    const server = await serve({ [SUBMIT]: inTurn(wait, ok) })
    await clientOf(server).submit('accounts', { retries: 1, idempotencyKey: 'mine' })
    const [first, second] = server.requests(SUBMIT)
    expect(second!.at - first!.at).toBeGreaterThan(990)
    expect(keys(server)).toEqual(['mine', 'mine'])
  })

  it('rejects with the last error when it was sent as often as it may', async () => {
    const server = await serve({ [SUBMIT]: later })
    const error = await rejection(clientOf(server).submit('accounts', { retries: 2 }))
    expect(error).toMatchObject({ status: 503 })
    expect(keys(server)).toHaveLength(3)
  })

  it.each([400, 409, 413, 422])('is not sent again after a %d', async (status) => {
    const server = await serve({ [SUBMIT]: answer(status, is.problem(status, 'invalid-input')) })
    expect(await rejection(clientOf(server).submit('accounts', { retries: 5 }))).toMatchObject({ status })
    expect(keys(server)).toHaveLength(1)
  })

  it('is sent again when it was cut, or got no answer for 2.5 heartbeats', async () => {
    const cut = ({ res }: { res: { destroy(): void } }): void => res.destroy()
    const server = await serve({ [SUBMIT]: inTurn(cut, stall, ok) })
    await clientOf(server, { retries: 3, heartbeatMs: 100 }).submit('accounts')
    expect(new Set(keys(server)).size).toBe(1)
    expect(keys(server)).toHaveLength(3)
  })

  it('is given up between two tries by an abort', async () => {
    const server = await serve({ [SUBMIT]: answer(503, 'later', { 'Retry-After': '60' }) })
    const controller = new AbortController()
    const outcome = rejection(clientOf(server).submit('accounts', { retries: 5, signal: controller.signal }))
    await (
      await server.arrived(SUBMIT)
    ).closed
    controller.abort('enough')
    expect(await outcome).toBe('enough')
  })
})

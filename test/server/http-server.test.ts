import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeHttpServer, createHttpServer } from '../../server/http-server.ts'
import { type AsyncJobs, createAsyncJobs, defineHandler } from '../../server/index.ts'
import { client, quick, silent, startApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { open, readAnswer } from '../support/raw-http.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.drop()
})

const handlers = [defineHandler({ type: 'slow', handle: ({ sleep }) => sleep(1_500) })]

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const asyncJobs: AsyncJobs = createAsyncJobs({
    ...quick,
    pool: database.pool(),
    handlers,
    ...(silent && { logger: silent }),
  })
  const server = createHttpServer(express().use(asyncJobs.router))
  await asyncJobs.start()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => closeHttpServer(server, () => asyncJobs.stop({ graceMs: 200 })),
  }
}

/** A connection that has served one request and is kept for the next. */
async function idleSocket(url: string): Promise<Socket> {
  const socket = open(url)
  socket.write('GET /jobs/x/status HTTP/1.1\r\nHost: a.example\r\n\r\n')
  expect((await readAnswer(socket)).status).toBe(404)
  return socket
}

/** Opens a stream; resolves with its first event. `ended` resolves when the server has ended the stream cleanly. */
async function follow(url: string, jobId: string): Promise<{ ended: Promise<void> }> {
  const events = client(url).stream(jobId)
  expect((await events.next()).value).toMatchObject({ event: 'status' })
  const ended = async (): Promise<void> => {
    while ((await events.next()).done !== true);
  }
  return { ended: ended() }
}

describe('the HTTP server', () => {
  it('keeps idle connections longer than the 60 s of load balancers, and waits for a header longer still [K62]', () => {
    const server = createHttpServer(() => {})
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
    expect(server.headersTimeout).toBeGreaterThan(server.keepAliveTimeout)
    expect(server.requestTimeout).toBeGreaterThanOrEqual(server.headersTimeout)
  })

  it('tells clients how long it keeps a connection [K62]', async () => {
    const server = createHttpServer((_req, res) => void res.end('x'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const socket = open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    expect((await readAnswer(socket)).headers.get('keep-alive')).toBe('timeout=65')
    await closeHttpServer(server, () => Promise.resolve())
    expect(socket.closed || (await once(socket, 'close'))).toBeTruthy()
  })

  it('stops within its grace beside 50 streams and 50 idle connections, whose clients finish elsewhere [K71 G8]', async () => {
    const first = await startServer()
    const jobId = await client(first.url).submit('slow')
    const streams = await Promise.all(Array.from({ length: 50 }, () => follow(first.url, jobId)))
    const idle = await Promise.all(Array.from({ length: 50 }, () => idleSocket(first.url)))
    const closed = Promise.all(idle.map((socket) => once(socket, 'close')))
    const began = performance.now()
    await first.stop()
    expect(performance.now() - began).toBeLessThan(200 + 1_000 + 1_500)
    await closed
    await Promise.all(streams.map(({ ended }) => ended))

    const second = await startApp({ pool: database.pool(), handlers })
    expect(await second.ended(jobId)).toMatchObject({ status: 'COMPLETED' })
    await second.close()
  })

  it('cuts what does not end, a second after the rest has', async () => {
    const server = createHttpServer((_req, res) => void res.writeHead(200).write('for ever'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const socket = open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    await once(socket, 'data')
    const began = performance.now()
    await closeHttpServer(server, () => Promise.resolve())
    expect(performance.now() - began).toBeLessThan(1_500)
  })
})

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createGzip, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { checkResponse } from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { open, type RawAnswer, readAnswer, toResponse } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    handlers: [defineHandler<unknown>({ type: 'any', inputSchema: {}, handle: () => {} })],
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const head = (...fields: string[]): string =>
  ['POST /jobs/any HTTP/1.1', 'Host: a.example', 'Content-Type: application/json', ...fields, '', ''].join('\r\n')

/** Expects the answer while the body is still being sent, and the end of the connection. */
async function expectTooLarge(socket: Socket, answer: Promise<RawAnswer>): Promise<RawAnswer> {
  const began = performance.now()
  const raw = await answer
  expect(raw.status).toBe(413)
  expect(JSON.parse(raw.body)).toMatchObject({ code: 'body-too-large' })
  await checkResponse('POST', '/jobs/any', toResponse(raw))
  await raw.closed
  expect(socket.destroyed).toBe(true)
  expect(performance.now() - began).toBeLessThan(3_000)
  return raw
}

/** Writes the same bytes again and again for as long as the other side takes them. */
async function pour(socket: Socket, bytes: Buffer): Promise<void> {
  while (!socket.destroyed) {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    else await new Promise(setImmediate)
  }
}

/** How much memory the process takes on during a body, at its peak, in bytes. */
async function growth(body: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss
  let peak = before
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
  await body().finally(() => clearInterval(sampler))
  return peak - before
}

const memory = 20 * 1024 * 1024

describe('a body over the limit', () => {
  it('of 101 KB is a 413 that fetch can read, every time [K63]', async () => {
    const body = JSON.stringify('x'.repeat(103_424))
    for (let turn = 0; turn < 50; turn += 1) {
      const response = await app.fetch('/jobs/any', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(response.status).toBe(413)
    }
  })

  it('of just the limit is taken', async () => {
    const response = await app.fetch('/jobs/any', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify('x'.repeat(102_398)),
    })
    expect(response.status).toBe(202)
  })

  it('of 100 MB is refused by its length, before it is sent, and while it is sent [K63]', async () => {
    const grown = await growth(async () => {
      const patient = open(app.url)
      patient.write(head('Content-Length: 100000000'))
      await expectTooLarge(patient, readAnswer(patient))

      const eager = open(app.url)
      const answer = readAnswer(eager)
      eager.write(head('Content-Length: 100000000'))
      const pouring = pour(eager, Buffer.alloc(64 * 1024, '1'))
      await expectTooLarge(eager, answer)
      await pouring
    })
    expect(grown).toBeLessThan(memory)
  })

  it('without a length and without an end is refused at the first byte too many [K63]', async () => {
    const grown = await growth(async () => {
      const socket = open(app.url)
      const answer = readAnswer(socket)
      socket.write(head('Transfer-Encoding: chunked'))
      const pouring = pour(socket, Buffer.from(`4000\r\n${'1'.repeat(0x4000)}\r\n`))
      await expectTooLarge(socket, answer)
      await pouring
    })
    expect(grown).toBeLessThan(memory)
  })

  it('that goes on slowly is refused at once, not when it ends [K63]', async () => {
    const socket = open(app.url)
    socket.write(head('Transfer-Encoding: chunked') + `1a000\r\n${'1'.repeat(0x1a000)}\r\n`)
    const { headers } = await expectTooLarge(socket, readAnswer(socket))
    expect(headers.get('connection')).toBe('close')
  })

  it('that is small until it is inflated to 1 GB is refused, in little memory [K63]', async () => {
    const bomb = await gigabyte()
    expect(bomb.length).toBeLessThan(1.1 * 1024 * 1024)
    const small = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
    expect(small.length).toBeLessThan(100 * 1024)
    const grown = await growth(async () => {
      for (const bytes of [bomb, small]) {
        const socket = open(app.url)
        const answer = readAnswer(socket)
        socket.write(head('Content-Encoding: gzip', `Content-Length: ${bytes.length}`))
        socket.write(bytes)
        const raw = await answer
        expect(raw.status).toBe(413)
        socket.destroy()

        const chunked = open(app.url)
        const second = readAnswer(chunked)
        chunked.write(head('Content-Encoding: gzip', 'Transfer-Encoding: chunked'))
        chunked.write(
          Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]),
        )
        expect((await second).status).toBe(413)
        chunked.destroy()
      }
    })
    expect(grown).toBeLessThan(memory)
  })

  it('leaves the server serving', async () => {
    expect((await app.fetch('/jobs/any', { method: 'POST' })).status).toBe(400)
  })
})

describe('a body that nobody reads', () => {
  it('is not waited for: the refusal comes at once and the connection ends', async () => {
    for (const line of ['POST /jobs/any', 'PUT /jobs/any', 'POST /jobs/nobody/else']) {
      const socket = open(app.url)
      socket.write(
        `${line} HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/plain\r\nContent-Length: 9000000\r\n\r\nx`,
      )
      const raw = await readAnswer(socket)
      expect(raw.status).toBeGreaterThanOrEqual(400)
      expect(raw.headers.get('connection')).toBe('close')
      await raw.closed
    }
  })

  it('that is short leaves the connection usable', async () => {
    const socket = open(app.url)
    const request =
      'POST /jobs/any HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello'
    for (let turn = 0; turn < 3; turn += 1) {
      socket.write(request)
      expect((await readAnswer(socket)).status).toBe(415)
    }
    socket.destroy()
  })

  it('that breaks off leaves nothing behind', async () => {
    const socket = open(app.url)
    socket.write(head('Content-Length: 1000') + '{')
    await new Promise(setImmediate)
    socket.destroy()
    await once(socket, 'close')
    expect((await app.fetch('/jobs/any', { method: 'POST' })).status).toBe(400)
  })
})

/** A gigabyte of blanks, as gzip. */
async function gigabyte(): Promise<Buffer> {
  const gzip = createGzip({ level: 9 })
  const chunks: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  const blanks = Buffer.alloc(1024 * 1024, ' ')
  for (let written = 0; written < 1024; written += 1) if (!gzip.write(blanks)) await once(gzip, 'drain')
  gzip.end()
  await once(gzip, 'end')
  return Buffer.concat(chunks)
}

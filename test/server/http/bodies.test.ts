import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import express, { type Express } from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { checkResponse } from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { sendRaw, toResponse } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp
const taken: unknown[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.drop()
})

function start(before: (app: Express) => void): Promise<TestApp> {
  return startApp({
    pool: database.pool(),
    before,
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler<unknown>({ type: 'any', inputSchema: {}, handle: ({ input }) => void taken.push(input) }),
    ],
  })
}

const json = { 'content-type': 'application/json' }

/** Submits; the answer is checked against the document. */
async function submit(type: string, body?: BodyInit, headers: HeadersInit = json): Promise<string> {
  const response = await app.fetch(`/jobs/${type}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  })
  if (response.status === 202) return '202'
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}

/** Submits bytes as they are. */
async function submitRaw(type: string, headers: string, body = ''): Promise<string> {
  const head = `POST /jobs/${type} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n`
  const raw = await sendRaw(app.url, `${head}${headers}\r\n${body}`)
  await checkResponse('POST', `/jobs/${type}`, toResponse(raw))
  return raw.status === 202 ? '202' : `${raw.status} ${(JSON.parse(raw.body) as { code: string }).code}`
}

const hosts: [string, (app: Express) => void][] = [
  ['alone', () => {}],
  ["behind the application's own parsers", (app) => app.use(express.json({ strict: false }), express.urlencoded())],
]

describe.each(hosts)('a body, read %s', (_name, before) => {
  beforeAll(async () => {
    app = await start(before)
  })
  afterEach(() => {
    taken.length = 0
  })
  afterAll(async () => {
    await app.close()
  })

  it('may be missing where the type takes no input, and is asked for where it does [K49]', async () => {
    const none = ['', 'Content-Length: 0\r\n', 'Content-Type: application/json\r\nContent-Length: 0\r\n']
    for (const headers of none) {
      expect(await submitRaw('noop', headers)).toBe('202')
      expect(await submitRaw('any', headers)).toBe('400 invalid-input')
    }
    const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    expect(await submitRaw('noop', chunked, '0\r\n\r\n')).toBe('202')
    expect(await submitRaw('any', chunked, '0\r\n\r\n')).toBe('400 invalid-input')
  })

  it('is refused where the type takes none, but for `null`, which generated clients send for none', async () => {
    expect(await submit('noop', '{"x":1}')).toBe('400 invalid-input')
    expect(await submit('noop', 'null')).toBe('202')
    expect(await submit('noop', '{}')).toBe('400 invalid-input')
  })

  it.each([
    'application/json; charset=UTF-8',
    'APPLICATION/JSON',
    'application/json;charset="utf-8"',
    'application/json; x=1',
  ])('of the type %j is JSON [K48]', async (type) => {
    expect(await submit('any', '{"x":1}', { 'content-type': type })).toBe('202')
  })

  it('of another type or charset is a 415 that says what is taken [K48]', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      expect(await submit('any', 'x=1', { 'content-type': type })).toBe('415 unsupported-media-type')
    }
    expect(await submitRaw('any', 'Content-Length: 2\r\n', '{}')).toBe('415 unsupported-media-type')
    const response = await app.fetch('/jobs/any', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    })
    expect(response.headers.get('accept')).toBe('application/json')
  })

  it('reaches the handler as it was sent, whatever JSON it is', async () => {
    const values = [{ x: 1 }, [], [1, 'é漢😀'], 'text', 0, false, null, { '__proto__ ': 1 }]
    for (const value of values) expect(await submit('any', JSON.stringify(value))).toBe('202')
    await expect.poll(() => taken.length).toBe(values.length)
    expect(taken).toEqual(expect.arrayContaining(values))
  })

  it('with characters that PostgreSQL cannot keep is a 400 [K44]', async () => {
    for (const body of [String.raw`{"x":"\u0000"}`, String.raw`{"\u0000k":1}`, String.raw`{"x":"\ud800"}`]) {
      expect(await submit('any', body)).toBe('400 invalid-input')
    }
  })

  it.each([101, 5_000, 20_000, 49_000])('nested %i levels deep is a 400 that names the limit [K45]', async (levels) => {
    const response = await app.fetch('/jobs/any', {
      method: 'POST',
      headers: json,
      body: '['.repeat(levels + 1) + ']'.repeat(levels + 1),
    })
    expect(response.status).toBe(400)
    const problem = await response.json()
    expect(problem).toMatchObject({ code: 'body-too-deep', detail: expect.stringContaining('100') as string })
    expect(await submit('any', '['.repeat(100) + ']'.repeat(100))).toBe('202')
  })
})

describe('a body, read alone', () => {
  beforeAll(async () => {
    app = await start(() => {})
  })
  afterAll(async () => {
    await app.close()
  })

  it('that is no JSON in UTF-8 is a 400', async () => {
    for (const body of ['{', '{"x":}', 'undefined', ' ', '[1,]', Uint8Array.of(0x22, 0xe9, 0x22)]) {
      expect(await submit('any', body)).toBe('400 malformed-body')
    }
    expect(await submit('any', '{}', { 'content-type': 'application/json; charset=utf-16' })).toMatch(/^415/)
    expect(await submit('any', '{}', { 'content-type': 'application/json; charset=latin1' })).toMatch(/^415/)
  })

  it.each([
    ['/job-batches', { jobs: [{ type: 'noop' }], '': 1 }],
    ['/job-batches', { jobs: [{ type: 'noop', '': 1 }] }],
    ['/jobs/01890000-0000-7000-8000-000000000000/progress', { percentComplete: 1, '': 1 }],
  ])('of %s with a property that has an empty name is a 400 about the body', async (path, body) => {
    const headers = { ...json, authorization: 'Bearer x' }
    const response = await app.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid-request', errors: [{ in: 'body', pointer: '#' }] })
  })

  it('may be compressed with gzip, deflate or br; another coding is a 415 that names them', async () => {
    const text = JSON.stringify({ x: 'y'.repeat(1_000) })
    for (const [coding, bytes] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['identity', Buffer.from(text)],
    ] as const) {
      expect(await submit('any', new Uint8Array(bytes), { ...json, 'content-encoding': coding })).toBe('202')
    }
    for (const coding of ['zstd', 'gzip, gzip', 'constructor']) {
      const response = await app.fetch('/jobs/any', {
        method: 'POST',
        headers: { ...json, 'content-encoding': coding },
        body: '{}',
      })
      expect(response.status).toBe(415)
      expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br')
    }
  })

  it('that only claims to be compressed, or breaks off, is a 400', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(await submit('any', '{}', headers)).toBe('400 malformed-body')
    expect(await submit('any', new Uint8Array(gzipSync('{}').subarray(0, -4)), headers)).toBe('400 malformed-body')
  })
})

describe("a body, read by an application's parser that leaves bytes", () => {
  it('is parsed all the same', async () => {
    app = await start((host) => host.use(express.raw({ type: '*/*' })))
    expect(await submit('any', '{"x":1}')).toBe('202')
    expect(await submit('any', '{')).toBe('400 malformed-body')
    expect(await submit('noop')).toBe('202')
    await app.close()
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { type AppOptions, startApp, type TestApp } from '../../support/app.ts'
import { checkResponse } from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { sendRaw, toResponse } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await app?.close()
})
afterAll(async () => {
  await database?.drop()
})

async function start(options: Partial<AppOptions> = {}): Promise<void> {
  app = await startApp({
    pool: database.pool(),
    handlers: [defineHandler({ type: 'noop', handle: () => {} })],
    ...options,
  })
}

/** Submits with these header fields; the URL that it answers with before `/jobs/`, or the code of the problem. */
async function base(...fields: string[]): Promise<string> {
  const version = fields.length === 0 ? '1.0' : '1.1'
  const raw = await sendRaw(app.url, [`POST /jobs/noop HTTP/${version}`, ...fields, '', ''].join('\r\n'))
  raw.socket.destroy()
  await checkResponse('POST', '/jobs/noop', toResponse(raw))
  const body = JSON.parse(raw.body) as { code?: string; jobId: string; statusUrl: string; eventsUrl: string }
  if (raw.status !== 202) return `${raw.status} ${body.code}`
  expect(raw.headers.get('location')).toBe(body.statusUrl)
  expect(body.eventsUrl).toBe(body.statusUrl.replace(/status$/, 'events'))
  return body.statusUrl.replace(`/jobs/${body.jobId}/status`, '')
}

const malformed = [
  'evil example',
  '',
  'a/b',
  'a@b',
  'a?b',
  'a#b',
  'a\\b',
  '"a"',
  'a:port',
  'a:99999',
  'a:',
  '[::1',
  '[nonsense]',
  '1.2.3.4.5',
  'caf\xe9',
]

describe('the URLs of an answer', () => {
  it('are built from the Host that the client named [K60]', async () => {
    await start()
    expect(await base('Host: jobs.example')).toBe('http://jobs.example')
    expect(await base('Host: jobs.example:8080')).toBe('http://jobs.example:8080')
    expect(await base('Host: 127.0.0.1:3000')).toBe('http://127.0.0.1:3000')
    expect(await base('Host: [::1]:3000')).toBe('http://[::1]:3000')
    expect(await base('Host: [2001:db8::1]')).toBe('http://[2001:db8::1]')
  })

  it('are not built from a malformed Host, or from none: 400 [K60]', async () => {
    await start()
    for (const host of malformed) expect(`${host}: ${await base(`Host: ${host}`)}`).toBe(`${host}: 400 invalid-host`)
    // Only HTTP/1.0 may leave it out.
    expect(await base()).toBe('400 invalid-host')
  })

  it('ignore forwarded header fields that nobody vouches for [K60]', async () => {
    await start()
    const forwarded = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https', 'Forwarded: host=evil.example']
    expect(await base('Host: jobs.example', ...forwarded)).toBe('http://jobs.example')
  })

  it('follow them with `trust proxy`, of a list the first value [K60]', async () => {
    await start({ before: (host) => host.set('trust proxy', true) })
    const from = (...fields: string[]): Promise<string> => base('Host: inner', ...fields)
    expect(await from('X-Forwarded-Host: jobs.example, inner.example', 'X-Forwarded-Proto: https,http')).toBe(
      'https://jobs.example',
    )
    expect(await from('X-Forwarded-Host: jobs.example:8443', 'X-Forwarded-Host: second')).toBe(
      'http://jobs.example:8443',
    )
    expect(await from('X-Forwarded-Proto: https')).toBe('https://inner')
    expect(await from('X-Forwarded-Proto: javascript')).toBe('http://inner')
    expect(await from('X-Forwarded-Host: evil example')).toBe('400 invalid-host')
  })

  it('follow them only from the proxies that are trusted [K60]', async () => {
    await start({ before: (host) => host.set('trust proxy', '10.0.0.0/8') })
    expect(await base('Host: inner', 'X-Forwarded-Host: evil.example')).toBe('http://inner')
  })

  it('are those of `publicUrl` where it is set, whatever the request says [K60]', async () => {
    await start({ publicUrl: 'https://jobs.example/api/', before: (host) => host.set('trust proxy', true) })
    for (const host of ['evil.example', ...malformed]) {
      expect(await base(`Host: ${host}`, 'X-Forwarded-Host: evil.example')).toBe('https://jobs.example/api')
    }
    expect(await base()).toBe('https://jobs.example/api')
  })
})

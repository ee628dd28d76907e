import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, ProblemError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { checkResponse } from '../../support/contract.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { sendRaw, toResponse } from '../../support/raw-http.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers: [defineHandler({ type: 'noop', handle: () => {} })] })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

/** Submits with the field as it is. @returns the id of the job, or the status. */
async function submit(...keys: string[]): Promise<string> {
  const fields = keys.map((key) => `Idempotency-Key: ${key}\r\n`).join('')
  const raw = await sendRaw(app.url, `POST /jobs/noop HTTP/1.1\r\nHost: a.example\r\n${fields}\r\n`)
  raw.socket.destroy()
  // What Node itself refuses, such as a control character, never reaches the document.
  if (raw.body !== '') await checkResponse('POST', '/jobs/noop', toResponse(raw))
  return raw.status === 202 ? (JSON.parse(raw.body) as { jobId: string }).jobId : String(raw.status)
}

describe('the Idempotency-Key', () => {
  it('has 1 to 255 characters; a longer one is refused by rule, however well it compresses [K43 K56]', async () => {
    for (const key of ['a', 'b'.repeat(255), `"${'c'.repeat(255)}"`, '!~#$%&()*+'])
      expect(await submit(key)).toMatch(/-/)
    for (const length of [256, 257, 3_000]) expect(await submit('d'.repeat(length))).toBe('400')
    expect(await submit(`"${'e'.repeat(256)}"`)).toBe('400')
  })

  it('is the same key bare and quoted [K56]', async () => {
    expect(await submit('"one-key"')).toBe(await submit('one-key'))
    expect(await submit('an"inner"mark')).toBe(await submit('"an"inner"mark"'))
  })

  it('that is empty, blank, malformed or repeated is a 400 [K56 K97]', async () => {
    for (const key of ['', '   ', '""', '"', '"open', '"a"b', 'a b', 'a\tb', 'caf\xe9', 'a, b', '\x1b[31m', 'a\x00b']) {
      expect(`${key}: ${await submit(key)}`).toBe(`${key}: 400`)
    }
    expect(await submit('a', 'b')).toBe('400')
    expect(await submit('a', 'a')).toBe('400')
  })

  it('keeps to the same rule for a submit in code', async () => {
    for (const idempotencyKey of ['', 'a b', 'a'.repeat(256), 'é']) {
      await expect(app.asyncJobs.submit('noop', { idempotencyKey })).rejects.toThrow(ProblemError)
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { memoryInUse } from '../../support/memory.ts'

const nobody = '01890000-0000-7000-8000-000000000000'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool() })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const heapInUse = (): number => memoryInUse().heapUsed

/** Sends one request for each number, eight at a time. */
async function flood(from: number, to: number, request: (n: number) => [string, RequestInit]): Promise<Set<number>> {
  const statuses = new Set<number>()
  let next = from
  const lane = async (): Promise<void> => {
    while (next < to) {
      const [path, init] = request(next++)
      const response = await fetch(`${app.url}${path}`, init)
      await response.arrayBuffer()
      statuses.add(response.status)
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return statuses
}

interface Flood {
  readonly requests: number
  readonly status: number
}

/** What the heap has gained after requests that each say something else, in bytes. A kept validator has 140 kB. */
async function gain({ requests, status }: Flood, request: (n: number) => [string, RequestInit]): Promise<number> {
  await flood(0, 300, request)
  const before = heapInUse()
  expect(await flood(300, 300 + requests, request)).toEqual(new Set([status]))
  return heapInUse() - before
}

const little = 8 * 1024 * 1024

describe('a Content-Type that is another one in each request', () => {
  it('compiles nothing and holds no memory where no body is read', async () => {
    const gained = await gain({ requests: 4_000, status: 404 }, (n) => [
      `/jobs/${n}/status`,
      { headers: { 'content-type': `application/x-${n}; v=${n}` } },
    ])
    expect(gained).toBeLessThan(little)
  })

  it('compiles nothing and holds no memory where one is read', async () => {
    const gained = await gain({ requests: 4_000, status: 400 }, (n) => [
      '/jobs/nobody',
      { method: 'POST', headers: { 'content-type': `application/json; x=${n}` }, body: '{}' },
    ])
    expect(gained).toBeLessThan(little)
  })

  it('holds no memory for other methods and unknown paths', async () => {
    const headers = (n: number): HeadersInit => ({ 'content-type': `text/x-${n}` })
    const cancels = await gain({ requests: 500, status: 404 }, (n) => [
      '/jobs/x',
      { method: 'DELETE', headers: headers(n), body: 'x' },
    ])
    const puts = await gain({ requests: 500, status: 405 }, (n) => [
      `/jobs/${nobody}/status`,
      { method: 'PUT', headers: headers(n), body: 'x' },
    ])
    const unknown = await gain({ requests: 500, status: 404 }, (n) => [`/jobs/a/b/${n}`, { headers: headers(n) }])
    for (const gained of [cancels, puts, unknown]) expect(gained).toBeLessThan(little)
  })
})

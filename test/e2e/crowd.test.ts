import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Replica, startReplica } from '../support/replicas.ts'

let database: TestDatabase
let replicas: Replica[]

beforeAll(async () => {
  database = await createTestDatabase()
  const settings = { processing: { lease: 'PT2S' }, recovery: { scanInterval: 'PT0.5S' }, coalesceInFlight: false }
  replicas = await Promise.all([1, 2, 3].map(() => startReplica(database.url, settings)))
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()))
  await database?.drop()
})

interface Answer {
  status: number
  jobId?: string
}

/** Submits once; a process that was killed answers nothing. */
async function submit(replica: Replica, key: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${replica.url}/jobs/noop`, { method: 'POST', headers: { 'idempotency-key': key } })
    return { status: response.status, ...((await response.json()) as { jobId: string }) }
  } catch {
    return undefined
  }
}

describe('a crowd of submits on three processes, one of which is killed', () => {
  it('makes one job for each of 200 keys, with one answer for all and no 5xx [G2 K41]', async () => {
    const keys = Array.from({ length: 200 }, () => randomUUID())
    const answers = new Map<string, Answer[]>(keys.map((key) => [key, []]))
    let sent = 0
    const ask = async (key: string, attempt: number): Promise<void> => {
      sent += 1
      if (sent === 5_000) void replicas[2]?.kill()
      const answer = await submit(replicas[attempt % 3] as Replica, key)
      if (answer !== undefined) answers.get(key)?.push(answer)
    }
    const attempts = Array.from({ length: 50 }, (_, attempt) => attempt)
    // 50 at once for each of 20 keys at once.
    for (let n = 0; n < keys.length; n += 20) {
      await Promise.all(keys.slice(n, n + 20).flatMap((key) => attempts.map((attempt) => ask(key, attempt))))
    }
    const all = [...answers.values()]
    expect(all.flat().filter(({ status }) => status !== 202)).toEqual([])
    for (const ofKey of all) {
      expect(ofKey.length).toBeGreaterThanOrEqual(30)
      expect(new Set(ofKey.map(({ jobId }) => jobId)).size).toBe(1)
    }
    const { rows } = await database.query('SELECT count(*)::int AS jobs FROM async_jobs')
    expect(rows).toEqual([{ jobs: 200 }])
  }, 120_000)
})

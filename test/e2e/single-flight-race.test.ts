import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let apps: TestApp[]

/** How many handlers run for each scope now, and the most that ever did. */
const running = new Map<number, number>()
let most = 0

const handlers = [
  defineHandler<{ scope: number }>({
    type: 'brief',
    coalesce: 'join',
    inputSchema: { type: 'object' },
    handle: async ({ input: { scope } }) => {
      const now = (running.get(scope) ?? 0) + 1
      running.set(scope, now)
      most = Math.max(most, now)
      await wait(Math.random() * 3)
      running.set(scope, (running.get(scope) ?? 1) - 1)
    },
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  // The shortest retention there is, so that winners are purged while losers look for them.
  const settings = { retention: 'PT0.001S', purge: { enabled: true, interval: 'PT0.002S' }, hints: { enabled: false } }
  apps = await Promise.all([1, 2, 3].map(() => startApp({ pool: database.pool(), handlers, ...settings })))
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await database?.drop()
})

describe('single-flight with handlers that end in 0 to 3 ms, while the purge runs', () => {
  it('answers every submit with a job, never with a 5xx, and never runs two of a scope at once [A78 K23 G2]', async () => {
    const submits = Array.from({ length: 6_000 }, (_, n) => n)
    const statuses = new Map<number, number>()
    const submit = async (n: number): Promise<void> => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ scope: n % 40 })
      const response = await fetch(`${apps[n % 3]?.url ?? ''}/jobs/brief`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }
    for (let n = 0; n < submits.length; n += 500) await Promise.all(submits.slice(n, n + 500).map(submit))
    expect([...statuses]).toEqual([[202, 6_000]])
    expect(most).toBe(1)
    const purged = apps.flatMap(({ events }) => events.filter(({ name }) => name === 'jobs:purged'))
    expect(purged.length).toBeGreaterThan(0)
  }, 60_000)
})

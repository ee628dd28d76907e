import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../server/index.ts'
import { PostgresHints } from '../../../server/store/hints.ts'
import type { Hint } from '../../../server/store/port.ts'
import { Telemetry } from '../../../server/telemetry.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const handlers = [defineHandler({ type: 'noop', handle: () => {} })]

describe('hints', () => {
  it('are sent outside of the jobs’ statements, so that no commit waits for another [K39]', async () => {
    const pool = database.pool()
    const sent: string[] = []
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        const [first] = args as [string | { text: string }]
        sent.push(typeof first === 'string' ? first : first.text)
        return query(...args)
      }) as never
    })
    await withApp(database, { pool, handlers, hints: { enabled: true } }, async (app) => {
      const from = sent.length
      const ids = await Promise.all(Array.from({ length: 50 }, () => app.submit('noop')))
      await Promise.all(ids.map((id) => app.ended(id)))
      expect(sent.slice(from).filter((text) => /notify/i.test(text))).toEqual([])
    })
  })

  it('fail no submit when their connection is cut, again and again [K39 G11]', async () => {
    await withApp(database, { handlers, hints: { enabled: true } }, async (app) => {
      for (let cut = 0; cut < 3; cut += 1) {
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query ~* '^(listen|select pg_notify)' AND pid <> pg_backend_pid()`,
        )
        expect(await app.ended(await app.submit('noop'))).toMatchObject({ status: 'COMPLETED' })
      }
    })
  })

  it('step back for good, and say so once, where nothing that others notify arrives [K38]', async () => {
    const pool = database.pool()
    const told = gate<unknown>()
    const heard: Hint[] = []
    const events: string[] = []
    const telemetry = new Telemetry()
    telemetry.subscribe((name) => void events.push(name))
    // As behind a pooler: what is notified over another session never comes.
    const deaf = new Proxy(pool, {
      get: (target, name, receiver) =>
        name === 'query' ? () => Promise.resolve({ rows: [] }) : (Reflect.get(target, name, receiver) as unknown),
    })
    const hints = new PostgresHints({ pool: deaf, telemetry, onUnsupported: told.open })
    await hints.start((hint) => void heard.push(hint))
    expect(String(await told.promise)).toContain('no notification arrived')
    hints.announce({ types: ['noop'], jobs: [] })
    await hints.stop()
    expect(heard).toEqual([])
    expect(events).toEqual([])
  })
})

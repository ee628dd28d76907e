import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler, type Logger } from '../../../server/index.ts'
import { type AppOptions, silent } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { recordingPool } from '../../support/recording.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const noop = defineHandler({ type: 'noop', handle: () => {} })
const hints = { enabled: true }

/** A logger that keeps what is worth a warning. */
function warnings(): { logger: Logger; told: unknown[] } {
  const told: unknown[] = []
  return { logger: { ...silent, warn: (fields) => void told.push(fields['event']) }, told }
}

describe('behind a pooler that shares sessions', () => {
  it('says so once, in one line, and then neither listens nor prepares [K38]', async () => {
    const { pool, sent } = recordingPool(database.url, { connectionTimeoutMillis: 5_000 })
    const { logger, told } = warnings()
    await withApp(database, { pool, handlers: [noop], hints, logger }, async (app) => {
      const load = async (): Promise<void> => {
        for (let job = 0; job < 20; job += 1) await app.ended(await app.submit('noop'))
      }
      await Promise.all([load(), load(), load()])
      await app.seen('pooler:found')
      const listening = sent.find(({ text }) => text.startsWith('LISTEN'))?.client
      expect(listening).toBeDefined()
      await vi.waitFor(() => expect(sent.map(({ text }) => text)).toContain('UNLISTEN *'), { timeout: 5_000 })
      sent.length = 0
      await load()
      expect(sent.length).toBeGreaterThan(0)
      expect(sent.filter(({ name, client }) => name !== undefined || client === listening)).toEqual([])
      expect(told).toEqual(['pooler:found'])
      expect(app.events.filter(({ name }) => name.startsWith('hints:') || name.startsWith('database:'))).toEqual([])
    })
    await pool.end()
  })

  it.each([
    ['statements that are refused, where hints are off', { hints: { enabled: false } }],
    ['hints that do not arrive, where nothing is prepared', { hints, clock: () => new Date() }],
  ])('is found out by %s [K38]', async (_by, options: Partial<AppOptions>) => {
    const { logger, told } = warnings()
    const pool = database.pool({ connectionTimeoutMillis: 5_000 })
    await withApp(database, { pool, handlers: [noop], logger, ...options }, async (app) => {
      await vi.waitFor(
        async () => {
          await Promise.all(Array.from({ length: 10 }, async () => app.ended(await app.submit('noop'))))
          expect(app.events.map(({ name }) => name)).toContain('pooler:found')
        },
        { timeout: 10_000 },
      )
      expect(told).toEqual(['pooler:found'])
    })
  })

  it('delivers the events of other processes by polling [K38 G13 A36]', async () => {
    const idle = { pool: database.pool(), handlers: [noop], hints, processing: { enabled: false } }
    await withApp(database, idle, (front) =>
      withApp(database, { handlers: [noop], hints }, async (worker) => {
        await Promise.all([front.seen('pooler:found'), worker.seen('pooler:found')])
        const from = performance.now()
        const names = (await front.readEvents(await front.submit('noop'))).map(({ event }) => event)
        expect(names.at(-1)).toBe('complete')
        // The two poll intervals of 0.1 s, and some patience.
        expect(performance.now() - from).toBeLessThan(2_000)
      }),
    )
  })
})

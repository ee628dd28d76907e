import { readFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, type Transaction } from '../../../server/index.ts'
import { fromDrizzle, fromKnex, fromKysely, fromPrisma } from '../../support/adapters.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type PrismaLevel, prismaOf } from '../../support/prisma.ts'

let database: TestDatabase
let app: TestApp
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool()
  const handlers = [
    defineHandler<unknown>({ type: 'counts', inputSchema: {}, handle: () => {} }),
    defineHandler({ type: 'alone', coalesce: 'join', handle: () => {} }),
  ]
  app = await startApp({ pool, handlers, processing: { enabled: false } })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

type Body = (tx: Transaction) => Promise<unknown>

const levels = ['read committed', 'repeatable read', 'serializable'] as const
type Level = (typeof levels)[number]
const prismaLevels: Record<Level, PrismaLevel> = {
  'read committed': 'ReadCommitted',
  'repeatable read': 'RepeatableRead',
  serializable: 'Serializable',
}

/** Each runs a body in a transaction of its own kind, and rolls back when the body throws. */
const builders: [name: string, transaction: (level: Level, body: Body) => Promise<unknown>][] = [
  ['Drizzle', (isolationLevel, body) => drizzle(pool).transaction((trx) => body(fromDrizzle(trx)), { isolationLevel })],
  [
    'Kysely',
    (level, body) =>
      new Kysely({ dialect: new PostgresDialect({ pool }) })
        .transaction()
        .setIsolationLevel(level)
        .execute((trx) => body(fromKysely(trx))),
  ],
  [
    'Knex',
    async (isolationLevel, body) => {
      const db = knex({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } })
      try {
        await db.transaction((trx) => body(fromKnex(trx)), { isolationLevel })
      } finally {
        await db.destroy()
      }
    },
  ],
  [
    'Prisma',
    async (level, body) => {
      const db = prismaOf(database.url)
      try {
        await db.$transaction((trx) => body(fromPrisma(trx)), { isolationLevel: prismaLevels[level] })
      } finally {
        await db.$disconnect()
      }
    },
  ],
]

describe.each(builders)('a submit in a transaction of %s', (name, transaction) => {
  it('is there when it commits, never was when it rolls back, and a duplicate leaves it usable [G3]', async () => {
    const { asyncJobs } = app
    const [key, input] = [`key-${name}`, { n: 1 }]
    let jobId = ''
    const undone = transaction('read committed', async (tx) => {
      jobId = (await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })).jobId
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await expect(asyncJobs.status(jobId)).rejects.toMatchObject({ code: 'job-not-found' })
    await transaction('read committed', async (tx) => {
      const first = await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })
      const again = await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })
      expect(again).toEqual({ ...first, outcome: 'idempotent' })
      jobId = first.jobId
    })
    await expect(asyncJobs.status(jobId)).resolves.toMatchObject({ status: 'PENDING' })
  })

  it.each(levels)('is answered by what is newer than its snapshot, in %s [K40 K41]', async (level) => {
    const { submit } = app.asyncJobs
    const key = `newer-${name}-${level.replace(' ', '-')}`
    const input = { text: `it's "quoted", \\ and {braced}, ünï ? :p1 $1`, list: [1, null, 'NULL'] }
    let jobId = ''
    await transaction(level, async (tx) => {
      jobId = (await submit('counts', { tx, input, idempotencyKey: key })).jobId
      const rival = await submit('counts', { input, idempotencyKey: `${key}-rival` })
      const flying = await submit('alone')
      // Where a builder wraps what the database answers, this is a conflict all the same.
      expect(await submit('counts', { tx, input, idempotencyKey: `${key}-rival` })).toMatchObject({
        outcome: 'idempotent',
        jobId: rival.jobId,
      })
      expect(await submit('alone', { tx })).toMatchObject({ outcome: 'in-flight', jobId: flying.jobId })
      await app.asyncJobs.cancel(flying.jobId)
    })
    const { rows } = await database.query('SELECT value FROM async_job_inputs WHERE job_id = $1', [jobId])
    expect(rows).toEqual([{ value: input }])
  })
})

it('the guide shows the adapters that these tests run', () => {
  const words = (text: string): string => text.replaceAll(/\s+/g, ' ')
  const guide = words(readFileSync('docs/transactions.md', 'utf8'))
  const adapters = readFileSync('test/support/adapters.ts', 'utf8').match(/export const from[^]*?^}\)$/gm) ?? []
  expect(adapters).toHaveLength(builders.length)
  for (const adapter of adapters) expect(guide).toContain(words(adapter.replace('export ', '')))
})

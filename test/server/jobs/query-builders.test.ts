import { drizzle } from 'drizzle-orm/node-postgres'
import { sql as drizzleSql } from 'drizzle-orm'
import knex from 'knex'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, type Transaction } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let app: TestApp
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool()
  const handlers = [defineHandler<{ n: number }>({ type: 'counts', inputSchema: {}, handle: () => {} })]
  app = await startApp({ pool, handlers, processing: { enabled: false } })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

type Body = (tx: Transaction) => Promise<unknown>

// What docs/transactions.md says of each.
const builders: [name: string, transaction: (body: Body) => Promise<unknown>][] = [
  [
    'Drizzle',
    (body) =>
      drizzle(pool).transaction(async (tx) => {
        const client = (tx as unknown as { session: { client: pg.PoolClient } }).session.client
        await tx.execute(drizzleSql`SELECT 1`)
        await body(client)
      }),
  ],
  [
    'Kysely',
    (body) =>
      new Kysely({ dialect: new PostgresDialect({ pool }) }).transaction().execute((trx) =>
        body({
          query: async (text, values) => ({
            rows: (await trx.executeQuery(CompiledQuery.raw(text, values))).rows as object[],
          }),
        }),
      ),
  ],
  [
    'Knex',
    async (body) => {
      const db = knex({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } })
      const connection = async (trx: knex.Knex.Transaction): Promise<pg.Client> =>
        await (trx as unknown as { client: { acquireConnection(): Promise<pg.Client> } }).client.acquireConnection()
      await db.transaction(async (trx) => {
        await trx.raw('SELECT 1')
        await body(await connection(trx))
      })
      await db.destroy()
    },
  ],
]

describe.each(builders)('a submit in a transaction of %s', (name, transaction) => {
  it('is there when it commits, never was when it rolls back, and a duplicate leaves it usable [G3]', async () => {
    const { asyncJobs } = app
    const [key, input] = [`key-${name}`, { n: 1 }]
    let jobId = ''
    const undone = transaction(async (tx) => {
      jobId = (await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })).jobId
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await expect(asyncJobs.status(jobId)).rejects.toMatchObject({ code: 'job-not-found' })
    await transaction(async (tx) => {
      const first = await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })
      const again = await asyncJobs.submit('counts', { tx, input, idempotencyKey: key })
      expect(again).toEqual({ ...first, outcome: 'idempotent' })
      jobId = first.jobId
    })
    await expect(asyncJobs.status(jobId)).resolves.toMatchObject({ status: 'PENDING' })
  })
})

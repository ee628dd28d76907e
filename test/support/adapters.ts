import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Knex } from 'knex'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Transaction } from '../../server/index.ts'

// docs/transactions.md shows these to the letter; a test compares them.

export const fromDrizzle = (trx: Pick<NodePgDatabase, 'execute'>): Transaction => ({
  query: (text, values) =>
    trx.execute(
      sql.join(
        text.split(/\$\d+/).flatMap((part, n) => (n ? [sql`${values[n - 1]}`, sql.raw(part)] : [sql.raw(part)])),
      ),
    ),
})

export const fromKysely = (trx: Pick<Kysely<unknown>, 'executeQuery'>): Transaction => ({
  query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)),
})

export const fromKnex = (trx: Knex.Transaction): Transaction => ({
  query: (text, values) => trx.raw(text.replaceAll(/\$\d+/g, '?'), values as Knex.RawBinding[]),
})

export const fromPrisma = (trx: {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>
}): Transaction => ({
  query: async (text, values) => ({ rows: (await trx.$queryRawUnsafe(text, ...values)) as unknown[] }),
})

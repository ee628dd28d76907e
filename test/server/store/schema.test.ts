import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../../generated/schema.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { openStore } from '../../support/store.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const insert = (columns: string, values: string): Promise<unknown> =>
  database.query(
    `INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at, ${columns})
     VALUES (gen_random_uuid(), 't', now(), now(), now(), ${values})`,
  )

describe('the schema', () => {
  it('is the very DDL that is shipped for consumers [A14 S21]', () => {
    const files = readdirSync('schema').filter((name) => name.endsWith('.sql'))
    expect(migrations.map(({ name }) => name)).toEqual(files.sort())
    for (const { name, sql } of migrations) expect(sql).toBe(readFileSync(`schema/${name}`, 'utf8'))
  })

  it.each([
    ['an unknown status', 'status', `'DONE'`],
    ['a worker of a job that does not run', 'worker_id', 'gen_random_uuid()'],
    ['a running job that nobody claimed', 'status', `'PROCESSING'`],
    ['a failure of a job that did not fail', 'failure', `'{}'`],
    ['a failed job without a failure', 'status', `'FAILED'`],
    ['more attempts than the budget', 'attempt', '2'],
    ['a percentage above 100', 'percent_complete', '101'],
    ['an unknown priority', 'priority', '9'],
  ])('refuses %s', async (_name, columns, values) => {
    await expect(insert(columns, values)).rejects.toMatchObject({ code: '23514' })
  })

  it('is accepted at start-up when its version is the one the library knows', async () => {
    await expect(openStore(database.pool()).checkSchema()).resolves.toBeUndefined()
  })

  it('stops the start with a sentence that says what to do when it is missing, older or newer', async () => {
    const store = openStore(database.pool())
    const setVersion = (version: number): Promise<unknown> =>
      database.query(
        `CREATE OR REPLACE FUNCTION async_jobs_schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${version}'`,
      )
    await setVersion(0)
    await expect(store.checkSchema()).rejects.toThrow(
      /needs database schema version 1 and found 0 .*apply schema\/\*\.sql after version 0/,
    )
    await setVersion(99)
    await expect(store.checkSchema()).rejects.toThrow(/found 99 .*upgrade async-jobs/)
    await database.query('DROP FUNCTION async_jobs_schema_version()')
    await expect(store.checkSchema()).rejects.toThrow(/found no schema on the search path; apply schema/)
  })
})

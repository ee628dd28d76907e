import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'

test('databases of tests have the schema, are independent, and can be made at the same moment', async () => {
  const databases = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase()))
  await databases[0]!.query(`INSERT INTO async_jobs (id, type, run_at, created_at, last_updated_at)
    VALUES (gen_random_uuid(), 'a', now(), now(), now())`)
  const counts = databases.map(async (each) => (await each.query('SELECT FROM async_jobs')).rowCount)
  expect(await Promise.all(counts)).toEqual([1, 0, 0, 0])
  await Promise.all(databases.map((each) => each.drop()))
})

test('a database of a test goes even while a test keeps a client of it', async () => {
  const [kept, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const client = await kept.pool().connect()
  await kept.drop()
  await expect(client.query('SELECT 1')).rejects.toThrow(/terminat|not queryable|query_wait_timeout/)
  const left = `SELECT FROM pg_database WHERE datname = $1`
  expect((await other.query(left, [new URL(kept.url).pathname.slice(1)])).rowCount).toBe(0)
  await other.drop()
})

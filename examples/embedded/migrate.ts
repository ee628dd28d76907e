import { readFile } from 'node:fs/promises'
import type { Pool, PoolClient } from 'pg'

/** In this order. The tables of async-jobs come from the package itself, never from a copy that grows old. */
const migrations: readonly [name: string, file: URL][] = [
  ['0001_async_jobs', new URL(import.meta.resolve('async-jobs/schema/0001_async_jobs.sql'))],
  ['0002_products', new URL('migrations/0002_products.sql', import.meta.url)],
]

/** Applies what is missing, in one transaction. @returns the names of what was applied. */
export async function migrate(pool: Pool): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    // Processes that start together take turns, until each has committed.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('migrations'))`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY)')
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations')
    const missing = migrations.filter(([name]) => !rows.some((row) => row.name === name))
    for (const [name, file] of missing) await apply(client, name, await readFile(file, 'utf8'))
    await client.query('COMMIT')
    return missing.map(([name]) => name)
  } finally {
    // Closes the connection, which undoes what has failed.
    client.release(true)
  }
}

async function apply(client: PoolClient, name: string, sql: string): Promise<void> {
  await client.query(sql)
  await client.query('INSERT INTO schema_migrations VALUES ($1)', [name])
}

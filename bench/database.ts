import pg from 'pg'
import { migrations } from '../generated/schema.ts'
import { startEmbeddedPostgres } from '../server/embedded/index.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface BenchDatabase {
  readonly url: string
  readonly pool: pg.Pool
  stop(): Promise<void>
}

/** A durable database with the schema: that of `DATABASE_URL`, else an embedded one with PostgreSQL's own settings. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const given = process.env['DATABASE_URL']
  const dataDir = await mkdtemp(join(tmpdir(), 'async-jobs-bench-'))
  const server = given ? undefined : await startEmbeddedPostgres({ dataDir })
  const url = given ?? server?.url ?? ''
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5_000 })
  for (const { sql } of migrations) await pool.query(sql)
  return {
    url,
    pool,
    async stop() {
      await pool.end()
      await server?.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

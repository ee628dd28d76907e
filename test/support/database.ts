import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { hasCode } from '../../server/embedded/error-code.ts'

/** How long a test may keep a client before its sessions are cut. */
const POOL_END_MS = 1_000
const COPY_ATTEMPTS = 50
const SOURCE_IN_USE = '55006'

/** A database of one test file or one test, with the schema applied and no rows. */
export interface TestDatabase {
  readonly url: string
  /** A new pool on the database. `drop()` ends it. */
  pool(options?: pg.PoolConfig): pg.Pool
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>
  /** Ends the pools, cuts whatever is still connected, and removes the database. */
  drop(): Promise<void>
}

/** Copies the template that the global set-up made. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, prefix, template } = inject('postgres')
  const name = `${prefix}_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, (admin) => copyTemplate(admin, name, template))

  const url = databaseUrl(adminUrl, name)
  const pools: pg.Pool[] = []
  const pool = (options: pg.PoolConfig = {}): pg.Pool => {
    const made = new pg.Pool({ connectionString: url, ...options })
    // Without listeners a session that the server cuts ends the process: in the pool, and while a test holds the client.
    made.on('error', () => {})
    made.on('connect', (client) => client.on('error', () => {}))
    pools.push(made)
    return made
  }
  let own: pg.Pool | undefined
  return {
    url,
    pool,
    query: async (text, values) => (own ??= pool({ max: 4 })).query(text, values && [...values]),
    async drop() {
      const ended = Promise.all(pools.map(async (each) => each.ending || each.end()))
      await Promise.race([ended, sleep(POOL_END_MS, undefined, { ref: false })])
      await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}

/** The connection string of another database of the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs some work with a connection of its own. */
export async function asAdmin<Result>(url: string, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: url })
  admin.on('error', () => {})
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

async function copyTemplate(admin: pg.Client, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
      return
    } catch (error) {
      if (!hasCode(error, SOURCE_IN_USE) || attempt === COPY_ATTEMPTS) throw error
      await sleep(20 * Math.random() * attempt)
    }
  }
}

import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../generated/schema.ts'
import { asAdmin, databaseUrl } from './database.ts'
import { startTestServer } from './embedded-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of this run. Its databases all begin with `prefix`. */
    postgres: { adminUrl: string; prefix: string; template: string }
  }
}

const FAMILY = 'aj_test'
/** Databases of a run that was killed are removed once they are this old. */
const LEFTOVER_AFTER_SECONDS = 6 * 60 * 60

/**
 * Gives the run a server and a template database with the schema: the server of `DATABASE_URL`, whose user must be
 * allowed to create databases, else an embedded one.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL']
  const server = given ? { url: given, stop: async () => {} } : await startTestServer()
  const seconds = Math.floor(Date.now() / 1000)
  const prefix = `${FAMILY}_${seconds}_${randomBytes(4).toString('hex')}`
  const template = `${prefix}_template`
  const tearDown = async (): Promise<void> => {
    if (given) await asAdmin(server.url, (admin) => dropDatabases(admin, (name) => name.startsWith(prefix)))
    await server.stop()
  }
  try {
    await asAdmin(server.url, async (admin) => {
      await dropDatabases(admin, (name) => Number(name.split('_')[2]) < seconds - LEFTOVER_AFTER_SECONDS)
      await admin.query(`CREATE DATABASE ${template}`)
      await asAdmin(databaseUrl(server.url, template), applySchema)
      // A template that nobody can connect to is never "being accessed by other users".
      await admin.query(`ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`)
    })
  } catch (error) {
    await tearDown().catch(() => {})
    throw error
  }
  project.provide('postgres', { adminUrl: server.url, prefix, template })
  return tearDown
}

async function applySchema(client: pg.Client): Promise<void> {
  for (const { sql } of migrations) await client.query(sql)
}

async function dropDatabases(admin: pg.Client, concerned: (name: string) => boolean): Promise<void> {
  const { rows } = await admin.query<{ name: string; template: boolean }>(
    `SELECT datname AS name, datistemplate AS template FROM pg_database WHERE starts_with(datname, $1)`,
    [`${FAMILY}_`],
  )
  for (const { name, template } of rows.filter(({ name }) => concerned(name))) {
    if (template) await admin.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE false`)
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

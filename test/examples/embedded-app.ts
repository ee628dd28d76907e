import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { inject } from 'vitest'
import { createApp } from '../../examples/embedded/app.ts'
import type { User } from '../../examples/embedded/auth.ts'
import type { Import } from '../../examples/embedded/handlers.ts'
import { migrate } from '../../examples/embedded/migrate.ts'
import { client, silent } from '../support/app.ts'
import { asAdmin, databaseUrl } from '../support/database.ts'
import { type Gate, gate } from '../support/gate.ts'

const tokens = new Map<string, User>([
  ['ann', { name: 'ann', tenant: 'north', role: 'editor' }],
  ['ada', { name: 'ada', tenant: 'north', role: 'viewer' }],
  ['bob', { name: 'bob', tenant: 'south', role: 'editor' }],
])

type Client = ReturnType<typeof client>

/** Requests as one user, each response checked against the document. */
export interface Caller extends Pick<Client, 'fetch' | 'submit' | 'readEvents' | 'stream'> {
  status(jobId: string): Promise<Record<string, unknown>>
}

export interface EmbeddedApp {
  /** With the mount path. */
  readonly url: string
  readonly pool: pg.Pool
  /** What the migration tool applied to the empty database when two processes started. */
  readonly migrated: readonly string[]
  as(token: string): Caller
  /** What the import of a job was told when it was started. */
  import(jobId: string): Promise<Import>
  close(): Promise<void>
}

/** Starts the example as its main.ts does, on a new and empty database and a free port. */
export async function startEmbeddedApp(): Promise<EmbeddedApp> {
  const { adminUrl, prefix } = inject('postgres')
  const name = `${prefix}_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name}`))
  const pool = new pg.Pool({ connectionString: databaseUrl(adminUrl, name), connectionTimeoutMillis: 5_000 })
  const migrated = (await Promise.all([migrate(pool), migrate(pool)])).flat()
  const imports = new Map<string, Gate<Import>>()
  const importOf = (jobId: string): Gate<Import> => {
    const known = imports.get(jobId) ?? gate<Import>()
    imports.set(jobId, known)
    return known
  }
  const { app, asyncJobs } = createApp({
    pool,
    tokens,
    startImport: (message) => importOf(message.jobId).open(message),
    logger: silent,
  })
  const server = createServer(app)
  await asyncJobs.start()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const http = client(url)
  return {
    url,
    pool,
    migrated,
    as: (token) => callerOf(http, token),
    import: (jobId) => importOf(jobId).promise,
    close: async () => {
      await asyncJobs.stop({ graceMs: 0 })
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await pool.end()
      await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}

function callerOf(http: Client, token: string): Caller {
  const signed = (init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
  })
  return {
    fetch: (path, init) => http.fetch(path, signed(init)),
    submit: (type, init) => http.submit(type, signed(init)),
    readEvents: (jobId, init) => http.readEvents(jobId, signed(init)),
    stream: (jobId, init) => http.stream(jobId, signed(init)),
    status: async (jobId) =>
      (await (await http.fetch(`/jobs/${jobId}/status`, signed())).json()) as Record<string, unknown>,
  }
}

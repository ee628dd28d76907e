import type { Server } from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import express from 'express'
import pg from 'pg'
import { migrations } from '../generated/schema.ts'
import type { Application } from './application.ts'
import type { AsyncJobs } from './assembly.ts'
import type { ConfigReading } from './config/config.ts'
import { mergeSettings, readEnvironment, variableOf } from './config/environment.ts'
import { closeHttpServer, createHttpServer } from './http-server.ts'
import { refuseUnknownPath } from './http/paths.ts'
import { problemHandler } from './http/problem.ts'
import { describeError, jsonLinesLogger, logEvents } from './log.ts'
import { type AsyncJobsOptions, createAsyncJobs } from './service.ts'
import { Telemetry } from './telemetry.ts'

const log = jsonLinesLogger((line) => process.stderr.write(line))

/** Where the jobs live: `DATABASE_URL`, or an embedded server below `.data/`. */
interface HeldDatabase {
  readonly url: string
  readonly embedded: boolean
  stop(): Promise<void>
}

async function openDatabase(): Promise<HeldDatabase> {
  const { DATABASE_URL: url } = process.env
  if (url !== undefined && url !== '') return { url, embedded: false, stop: () => Promise.resolve() }
  const { startEmbeddedPostgres } = await import('./embedded/index.ts')
  const server = await startEmbeddedPostgres({ dataDir: resolve('.data/postgres') })
  return { url: server.url, embedded: true, stop: () => server.stop() }
}

/** The embedded database is ours, so its schema is brought up to date; a database of the consumer's never is. */
async function migrate(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ there: boolean }>(
    `SELECT to_regproc('async_jobs_schema_version') IS NOT NULL AS there`,
  )
  const version = rows[0]?.there === true ? await schemaVersion(pool) : 0
  for (const migration of migrations.filter((each) => each.version > version)) await pool.query(migration.sql)
}

async function schemaVersion(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('SELECT async_jobs_schema_version() AS version')
  return rows[0]?.version ?? 0
}

async function loadApplication(path: string | undefined): Promise<Application> {
  if (path === undefined) throw new Error('usage: main.js MODULE (whose default export is an Application)')
  const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: Application }
  if (module.default === undefined) throw new Error(`${path} has no default export`)
  return module.default
}

function listen(server: Server): Promise<void> {
  const port = Number(process.env['PORT'] ?? 3000)
  return new Promise((resolveListening, reject) => {
    server.once('error', reject)
    server.listen(port, process.env['HOST'] ?? '127.0.0.1', () => resolveListening())
  })
}

interface Running {
  readonly asyncJobs: AsyncJobs
  readonly server: Server
  readonly pool: pg.Pool
  readonly database: HeldDatabase
}

/** The application's settings, with the environment's over them; mistakes in either are reported together. */
function readOptions(application: Application, pool: pg.Pool): [AsyncJobsOptions, ConfigReading] {
  const mistakes: string[] = []
  const settings = mergeSettings(application.settings ?? {}, readEnvironment(process.env, mistakes))
  const { handlers } = application
  const label = (name: string): string => (variableOf(name) in process.env ? `${name} (${variableOf(name)})` : name)
  const given = typeof handlers === 'function' ? handlers({ pool }) : handlers
  return [
    { ...settings, pool, handlers: given, logger: log },
    { mistakes, label },
  ]
}

async function start(application: Application): Promise<Running> {
  const database = await openDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 10, connectionTimeoutMillis: 5_000, keepAlive: true })
  if (database.embedded) await migrate(pool)
  await application.prepare?.({ pool })
  const asyncJobs = createAsyncJobs(...readOptions(application, pool))
  const app = express().disable('x-powered-by')
  application.routes?.(app, { pool, asyncJobs, log })
  const telemetry = new Telemetry()
  telemetry.subscribe(logEvents(log))
  // What no route takes, and what a route of the application throws, is a problem too, not a page with a stack.
  app.use(asyncJobs.router, refuseUnknownPath, problemHandler(telemetry))
  const server = createHttpServer(app)
  await asyncJobs.start()
  await listen(server)
  return { asyncJobs, server, pool, database }
}

/** New connections are refused, streams and jobs end, idle sockets are cut, and the database goes last. */
async function stop({ asyncJobs, server, pool, database }: Running): Promise<void> {
  await closeHttpServer(server, () => asyncJobs.stop())
  await pool.end()
  await database.stop()
}

async function main(): Promise<void> {
  const running = await start(await loadApplication(process.argv[2]))
  const address = running.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  log.info({ url: `http://localhost:${port}/` }, 'listening; press Ctrl-C to stop')
  let stopping = false
  const shutDown = (signal: string): void => {
    // A second signal means: now.
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping')
    stop(running).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGINT', shutDown)
  process.on('SIGTERM', shutDown)
}

function fail(error: unknown): void {
  log.error({ error: describeError(error) }, 'the server cannot run')
  process.exitCode = 1
  // Whatever still holds the process open, such as a half-started pool, must not keep a failed start alive.
  process.exit()
}

await main().catch(fail)

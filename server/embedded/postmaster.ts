import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Binaries } from './binaries.ts'
import { runChild, startChild } from './child.ts'
import { SUPERUSER } from './cluster.ts'
import type { DataFolder } from './data-folder.ts'
import { freePort } from './port.ts'
import { shutDown } from './shutdown.ts'
import { watchOver } from './watchdog.ts'

/** How long a start may take; recovery after a crash is part of it. */
const READY_WITHIN_MS = 60_000
const POLL_MS = 20
const ATTEMPTS = 10
/** Times the number of the attempt. */
const RETRY_MS = 50
const LOG_TAIL_LINES = 20

/** What passes by itself: the port was taken in the last moment; sessions of a killed server are still ending. */
const PASSING = /could not create any TCP\/IP sockets|pre-existing shared memory block/

/** What a server is made of. */
export interface ServerPlan {
  readonly folder: DataFolder
  readonly binaries: Binaries
  readonly password: string
  readonly settings: Readonly<Record<string, string | number>>
  /** Gives the port to try next. Default: one that is free. */
  readonly nextPort?: () => Promise<number>
}

/** A server that takes connections. */
export interface Postmaster {
  readonly pid: number
  /** The connection string of a database of this server, for the superuser. */
  url(database: string): string
  /** Ends the server: fast shutdown, escalating after 10 seconds. Safe to repeat, and when the server has ended. */
  stop(): Promise<void>
}

/**
 * Starts the server on a free port of 127.0.0.1 and waits until it takes connections.
 *
 * @throws when it ends instead, or is not ready within a minute; the message has the end of its log
 */
export async function startPostmaster(plan: ServerPlan): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryPort(plan, await (plan.nextPort ?? freePort)())
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING.test(String(error))) throw error
      await sleep(RETRY_MS * attempt)
    }
  }
}

async function tryPort(plan: ServerPlan, port: number): Promise<Postmaster> {
  const { folder, binaries } = plan
  const child = await spawnServer(plan, port)
  const unwatch = await watchOver(child.pid ?? 0)
  if (hasEnded(child)) unwatch()
  else child.once('exit', unwatch)
  const stop = async (): Promise<void> => stopChild(child, binaries)
  const url = (database: string): string =>
    `postgres://${SUPERUSER}:${plan.password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  try {
    await untilReady(child, url('postgres'))
  } catch (cause) {
    await stop()
    const log = (await readFile(folder.logFile, 'utf8')).trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')
    throw new Error(`PostgreSQL did not start (${String(cause)}), ${folder.logFile} ends with:\n${log}`, { cause })
  }
  child.unref()
  return { pid: child.pid ?? 0, url, stop }
}

async function spawnServer({ folder, binaries, settings }: ServerPlan, port: number): Promise<ChildProcess> {
  const { cluster, identity, logFile } = folder
  const forced = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', logging_collector: 'off' }
  const flags = Object.entries({ ...settings, ...forced }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // A new file each time: the one before may belong to another user.
  await rm(logFile, { force: true })
  const log = await open(logFile, 'w', 0o600)
  try {
    // A file, not a pipe: the server outlives us for a moment if we are killed. Detached: the terminal's Ctrl-C must not
    // reach it, our stop decides.
    return await startChild([binaries.postgres, '-D', cluster, ...flags], identity, {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
  } finally {
    await log.close()
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    if (hasEnded(child)) throw new Error(`ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`)
    // Only our server knows the password, so another one that took the port is never mistaken for it.
    const failure = await connectOnce(url, child).catch((error: unknown) => error)
    if (failure === undefined) return
    if (Date.now() > deadline) throw new Error(`not ready within ${READY_WITHIN_MS} ms`, { cause: failure })
    await sleep(POLL_MS)
  }
}

async function connectOnce(connectionString: string, child: ChildProcess): Promise<undefined> {
  const socket = new Socket()
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, stream: () => socket })
  client.on('error', () => {})
  // Whoever holds the port instead of our server may never answer.
  const giveUp = (): void => void socket.destroy()
  child.once('exit', giveUp)
  try {
    await client.connect()
  } finally {
    child.off('exit', giveUp)
    await client.end().catch(() => {})
  }
}

async function stopChild(child: ChildProcess, { pg_ctl }: Binaries): Promise<void> {
  child.ref()
  await shutDown({
    async signal(signal) {
      // Windows has no signals; pg_ctl knows how to send PostgreSQL's own.
      if (process.platform !== 'win32') child.kill(signal)
      else if (!hasEnded(child)) await runChild([pg_ctl, 'kill', signal.slice(3), String(child.pid)]).catch(() => {})
    },
    async endsWithin(ms) {
      if (hasEnded(child)) return true
      const timer = new AbortController()
      const ended = once(child, 'exit', { signal: timer.signal }).then(
        () => true,
        () => false,
      )
      const timeout = setTimeout(() => timer.abort(), ms)
      return ended.finally(() => clearTimeout(timeout))
    },
  })
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

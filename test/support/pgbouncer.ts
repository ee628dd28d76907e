import { spawn } from 'node:child_process'
import { access, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chooseIdentity } from '../../server/embedded/identity.ts'

export interface PgBouncer {
  /** Of the same database as the server's URL, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

const executable = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer'

/** Starts a PgBouncer that shares sessions between transactions, in front of a server. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  await access(executable).catch(() => {
    throw new Error(`There is no PgBouncer at ${executable}: install the package pgbouncer, or set PGBOUNCER_PATH.`)
  })
  const folder = await mkdtemp(join(tmpdir(), 'async-jobs-pgbouncer-'))
  const port = await freePort()
  const target = new URL(serverUrl)
  const identity = await chooseIdentity()
  await writeFile(join(folder, 'users.txt'), `"${target.username}" "${target.password}"\n`)
  await writeFile(join(folder, 'pgbouncer.ini'), configuration(target, folder, port))
  if (identity !== undefined) await chownAll(folder, identity)
  const child = spawn(executable, [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(identity === undefined ? {} : { uid: identity.uid, gid: identity.gid }),
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    void exited.then(() => reject(new Error(`PgBouncer ended: ${lines.join('\n')}`)))
    createInterface(child.stderr).on('line', (line) => {
      if (lines.push(line) > 20) lines.shift()
      if (line.includes('process up')) resolve()
    })
  })
  target.port = String(port)
  return {
    url: target.href,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(target: URL, folder: string, port: number): string {
  return `
[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
auth_user = ${target.username}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 2000
server_login_retry = 0.1
query_wait_timeout = 5
server_idle_timeout = 1
server_round_robin = 1
`
}

async function chownAll(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const name of ['', 'users.txt', 'pgbouncer.ini']) await chown(join(folder, name), uid, gid)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

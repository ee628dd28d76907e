import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../server/embedded/index.ts'
import { exists } from '../../server/embedded/pid.ts'
import { removeDataFolder } from '../support/embedded-server.ts'

const asRoot = process.getuid?.() === 0
const serve = new URL('serve.ts', import.meta.url).pathname

const parent = await mkdtemp(join(tmpdir(), 'async-jobs-embedded-'))
await chmod(parent, 0o711)
/** One cluster for the tests that can share one. */
const dataDir = join(parent, 'shared')
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []

async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, ...options })
  running.push(server)
  return server
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

interface Ready {
  pid: number
  url: string
}

function startInChild(folder: string): { child: ChildProcess; ready: Promise<Ready> } {
  const child = spawn(process.execPath, ['--import', 'tsx', serve, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  const ready = once(lines, 'line').then(([line]): Ready => JSON.parse(String(line)))
  return { child, ready }
}

async function killHard(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function idOfEndedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

const ended = (pid: number): Promise<boolean> => vi.waitUntil(() => !exists(pid), { timeout: 20_000, interval: 20 })

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

afterAll(async () => {
  for (const name of await readdir(parent)) await removeDataFolder(join(parent, name))
  await rm(parent, { recursive: true, force: true })
})

describe('a server', () => {
  test('serves its database, stops, and keeps the data for the next start', async () => {
    const first = await start()
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    expect(exists(first.pid)).toBe(false)
    const second = await start()
    expect(await query(second.url, 'SELECT answer, current_database() FROM kept')).toEqual([
      { answer: 42, current_database: 'async_jobs' },
    ])
  })

  test('makes the database that it is asked for, whatever its name', async () => {
    const { url } = await start({ database: 'Größe "1" %' })
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'Größe "1" %' }])
  })

  test('applies settings, but listens on 127.0.0.1 alone', async () => {
    const { url } = await start({ settings: { max_connections: 33, listen_addresses: '*' } })
    const settings = `SELECT name, setting FROM pg_settings
      WHERE name IN ('max_connections', 'listen_addresses', 'unix_socket_directories') ORDER BY name`
    expect(await query(url, settings)).toEqual([
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'max_connections', setting: '33' },
      { name: 'unix_socket_directories', setting: '' },
    ])
  })

  test('keeps its password and its data to their owner, and asks for the password', async () => {
    const { url } = await start()
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'cluster'))).mode & 0o777).toBe(0o700)
    expect(new URL(url).password).toBe(await readFile(join(dataDir, 'password'), 'utf8'))
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
  })

  test.skipIf(process.platform === 'win32')('is no member of the process group that a Ctrl-C goes to', async () => {
    const { pid } = await start()
    expect(() => process.kill(-pid, 0)).not.toThrow()
  })

  test('can be stopped twice, and after it has ended', async () => {
    const server = await start()
    process.kill(server.pid, 'SIGINT')
    await ended(server.pid)
    await server.stop()
    await expect(server.stop()).resolves.toBeUndefined()
  })

  test('tells what it does', async () => {
    const lines: string[] = []
    const server = await start({ log: (line) => lines.push(line) })
    expect(lines).toContain(`PostgreSQL ${server.pid} runs on ${await realpath(join(dataDir, 'cluster'))}`)
  })

  test('that does not start rejects with the end of its log, and leaves the folder usable', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start[^]*invalid value for parameter "shared_buffers"/,
    )
    const { url } = await start()
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('a data folder', () => {
  test('is refused while a living process uses it', async () => {
    await start()
    await expect(start()).rejects.toThrow(`is in use by the process ${process.pid}`)
  })

  test('is taken over from a killed process, with all that was committed', async () => {
    const folder = join(parent, 'killed')
    const { child, ready } = startInChild(folder)
    const { pid, url } = await ready
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await killHard(child)
    const server = await start({ dataDir: folder })
    expect(await ended(pid)).toBe(true)
    expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
  })

  test.skipIf(process.platform === 'win32')('loses its server together with a killed process', async () => {
    const { child, ready } = startInChild(dataDir)
    const { pid } = await ready
    await killHard(child)
    expect(await ended(pid)).toBe(true)
  })

  test('is freed of a server that nobody owns', async () => {
    const orphan = await start()
    await rm(join(dataDir, 'owner'))
    const lines: string[] = []
    const server = await start({ log: (line) => lines.push(line) })
    expect(lines[0]).toMatch(`stopped PostgreSQL ${orphan.pid}`)
    expect(exists(orphan.pid)).toBe(false)
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test.for([
    ['of an ended process', idOfEndedProcess],
    ['of a process that is no server', async () => startInChild(join(parent, 'bystander')).child.pid!],
  ] as const)('is usable with the postmaster.pid %s, which is left alone', async ([, makePid]) => {
    const server = await start()
    const pidFile = join(dataDir, 'cluster', 'postmaster.pid')
    const content = await readFile(pidFile, 'utf8')
    await server.stop()
    const pid = await makePid()
    const alive = exists(pid)
    await writeFile(pidFile, content.replace(String(server.pid), String(pid)))
    const { url } = await start()
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(exists(pid)).toBe(alive)
  })

  test('recovers from an initdb that was interrupted', async () => {
    const folder = join(parent, 'interrupted')
    await mkdir(join(folder, 'cluster.draft-old', 'cluster'), { recursive: true })
    const { child } = startInChild(folder)
    const drafting = async (): Promise<boolean> => {
      const names = await readdir(folder).catch(() => [])
      const tries = names.map((name) => stat(join(folder, name, 'cluster', 'PG_VERSION')))
      return (await Promise.allSettled(tries)).some(({ status }) => status === 'fulfilled')
    }
    await vi.waitUntil(drafting, { timeout: 20_000, interval: 5 })
    await killHard(child)
    expect(await readdir(folder)).not.toContain('cluster')
    const { url } = await start({ dataDir: folder })
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await readdir(folder)).not.toContain('cluster.draft-old')
  })

  test('is refused when another major version made the cluster', async () => {
    const folder = join(parent, 'older')
    await mkdir(join(folder, 'cluster'), { recursive: true })
    await writeFile(join(folder, 'cluster', 'PG_VERSION'), '9.6\n')
    await expect(start({ dataDir: folder })).rejects.toThrow(/made by PostgreSQL 9\.6.*remove the data folder/)
  })

  test('is refused when the password of its cluster is lost', async () => {
    const folder = join(parent, 'without-password')
    await (await start({ dataDir: folder })).stop()
    await rm(join(folder, 'password'))
    await expect(start({ dataDir: folder })).rejects.toThrow(/nobody can enter.*remove the data folder/)
  })

  test('may lie below a folder that only its owner can enter', async () => {
    const home = join(parent, 'home')
    await mkdir(home, { mode: 0o700 })
    const folder = join(home, 'data')
    const first = await start({ dataDir: folder })
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    const second = await start({ dataDir: folder })
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    await second.stop()
    const inside = (await realpath(join(folder, 'cluster'))).startsWith(await realpath(home))
    expect(inside).toBe(!asRoot)
    await removeDataFolder(folder)
  })
})

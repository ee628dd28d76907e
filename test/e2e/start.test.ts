import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client } from '../support/app.ts'

let folder: string
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'async-jobs-start-'))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true, maxRetries: 20 })
})

interface Started {
  readonly url: string
  readonly child: ChildProcess
  readonly lines: Record<string, unknown>[]
  readonly exited: Promise<number | null>
}

/** Starts what `npm start` starts, with nothing of PostgreSQL on the PATH and no DATABASE_URL. */
async function start(): Promise<Started> {
  const { DATABASE_URL: _url, ...rest } = process.env
  const env = { ...rest, PATH: '/nowhere', PORT: '0' }
  const module = resolve('examples/accounts/app.ts')
  const tsx = import.meta.resolve('tsx')
  const child = spawn(process.execPath, ['--import', tsx, resolve('dist/server/main.js'), module], { cwd: folder, env })
  children.push(child)
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  const lines: Record<string, unknown>[] = []
  const url = await new Promise<string>((done, reject) => {
    void exited.then((code) => reject(new Error(`ended with ${String(code)}: ${JSON.stringify(lines)}`)))
    createInterface(child.stderr).on('line', (line) => {
      const record = JSON.parse(line) as Record<string, unknown>
      lines.push(record)
      if (typeof record['url'] === 'string') done(record['url'].replace(/\/$/, ''))
    })
  })
  return { url, child, lines, exited }
}

describe('the runnable server', () => {
  it('starts with Node alone, runs the main job, and stops cleanly on Ctrl-C [A70 A01]', async () => {
    const { url, child, exited } = await start()
    const api = client(url)
    const id = await api.submit('accounts')
    const events = await api.readEvents(id)
    expect(events[0]).toMatchObject({ event: 'status' })
    expect(events.map(({ event }) => event)).toContain('progress')
    expect(events.at(-1)).toMatchObject({ event: 'complete' })
    const summary = (await (await fetch(`${url}/accounts/summary`)).json()) as { total: number }
    expect(summary.total).toBe(50_000)
    child.kill('SIGINT')
    expect(await exited).toBe(0)
  }, 90_000)

  it('starts again on the same data after it was killed [A70]', async () => {
    const first = await start()
    const id = await client(first.url).submit('slow')
    for await (const { event } of client(first.url).stream(id)) if (event === 'progress') break
    first.child.kill('SIGKILL')
    await first.exited
    const second = await start()
    expect(await (await client(second.url).fetch(`/jobs/${id}/status`)).json()).toMatchObject({ status: 'PROCESSING' })
    const noop = await client(second.url).submit('noop')
    expect(await client(second.url).ended(noop)).toMatchObject({ status: 'COMPLETED' })
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
  }, 90_000)

  it('says in one line why it cannot start', async () => {
    const child = spawn(process.execPath, [resolve('dist/server/main.js')], { cwd: folder })
    const text = await new Promise<string>((done) => {
      let all = ''
      child.stderr.on('data', (bytes: Buffer) => (all += bytes.toString()))
      child.once('exit', () => done(all))
    })
    expect(JSON.parse(text)).toMatchObject({ level: 'error', error: { message: expect.stringContaining('usage:') } })
    expect(child.exitCode).toBe(1)
  })
})

// From the return of a handler to the resolved promise of the client that waits: `npm run bench:latency`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { type Client, createClient } from '../client/index.ts'
import type { Settings } from '../server/config/settings.ts'
import { createAsyncJobs } from '../server/index.ts'
import { type BenchDatabase, startBenchDatabase } from './database.ts'
import { napping, quiet, wallClock } from './napping.ts'

const jobs = 200
const atOnce = 20

/** Waits for one job. @returns when its handler returned. */
type Wait = (client: Client) => Promise<number>

const byClient: Wait = async (client) => {
  const { output } = await client.submit('napping').waitForCompletion()
  return output as number
}

const byPolling: Wait = async (client) => {
  const handle = client.job((await client.submit('napping')).jobId)
  for (;;) {
    await pause(1_000)
    const job = await handle.status()
    if (job.status === 'COMPLETED') return job.output as number
  }
}

interface Setup {
  readonly name: string
  readonly wait: Wait
  readonly settings?: Settings
  /** Whether the jobs run in another process than the one that the client talks to. */
  readonly apart?: boolean
}

const oneSecond: Settings = { hints: { enabled: false }, sse: { pollInterval: 'PT1S' } }
const setups: readonly Setup[] = [
  { name: 'client polls every second', wait: byPolling },
  { name: 'stream, database polled every second', wait: byClient, settings: oneSecond, apart: true },
  { name: 'stream, one process', wait: byClient },
  { name: 'stream, two processes', wait: byClient, apart: true },
]

async function startWorker({ url }: BenchDatabase, settings: Settings): Promise<() => Promise<void>> {
  const file = fileURLToPath(new URL('worker.ts', import.meta.url))
  const worker = fork(file, [url, JSON.stringify(settings)], { execArgv: ['--import', 'tsx'] })
  await once(worker, 'message')
  return async () => {
    worker.disconnect()
    await once(worker, 'exit')
  }
}

async function measure(database: BenchDatabase, { wait, settings = {}, apart = false }: Setup): Promise<number[]> {
  const own = apart ? { ...settings, processing: { enabled: false } } : settings
  const asyncJobs = createAsyncJobs({ pool: database.pool, logger: quiet, ...own, handlers: [napping] })
  const server = createServer(express().use(asyncJobs.router)).listen(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), asyncJobs.start()])
  const stopWorker = apart ? await startWorker(database, settings) : undefined
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const latencies: number[] = []
  const lane = async (): Promise<void> => {
    for (let job = 0; job < jobs / atOnce; job += 1) latencies.push(-(await wait(client)) + wallClock())
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  await stopWorker?.()
  await asyncJobs.stop({ graceMs: 0 })
  server.close()
  return latencies.toSorted((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN

const database = await startBenchDatabase()
const rows: Record<string, Record<string, string>> = {}
let base: number | undefined
for (const setup of setups) {
  const sorted = await measure(database, setup)
  const median = at(sorted, 0.5)
  base ??= median
  const ms = (value: number): string => value.toFixed(1)
  rows[setup.name] = {
    'p50 ms': ms(median),
    'p99 ms': ms(at(sorted, 0.99)),
    'p50 of polling': (median / base).toFixed(3),
  }
}
await database.stop()
console.log(`${jobs} jobs of 0.2 to 1.2 s, ${atOnce} at once, Node ${process.version}`)
console.table(rows)

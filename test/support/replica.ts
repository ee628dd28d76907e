// A process of its own that serves and runs jobs on a database: what `replicas.ts` starts and kills.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import pg from 'pg'
import { createAsyncJobs, defineHandler } from '../../server/index.ts'

const { url, settings } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string
  settings: object
}

const pool = new pg.Pool({ connectionString: url, max: 5 })
const asyncJobs = createAsyncJobs({
  pool,
  ...(process.env['AJ_TEST_HINTS'] === 'off' ? { hints: { enabled: false } } : {}),
  ...settings,
  handlers: [
    defineHandler({ type: 'noop', handle: () => {} }),
    defineHandler({ type: 'minute', retry: { maxAttempts: 1 }, handle: ({ sleep }) => sleep('PT1M') }),
    defineHandler({
      type: 'again',
      retry: { maxAttempts: 2 },
      handle: ({ attempt, sleep }) => (attempt === 1 ? sleep('PT1M') : undefined),
    }),
  ],
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  onEvent: (name, event) => {
    if (name === 'attempt:start') process.send?.({ started: (event as { jobId: string }).jobId })
    if (name === 'attempt:end') process.send?.({ ended: (event as { jobId: string }).jobId })
  },
})
const server = createServer(express().use(asyncJobs.router))
async function serve(): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await asyncJobs.start()
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function stop(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  await asyncJobs.stop()
  server.closeAllConnections()
  await closed
  await pool.end()
  process.exit(0)
}

process.on('SIGTERM', () => void stop())
void serve()

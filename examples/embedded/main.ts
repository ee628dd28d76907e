import { createServer } from 'node:http'
import pg from 'pg'
import { createApp } from './app.ts'
import type { User } from './auth.ts'
import { migrate } from './migrate.ts'

// A real application asks its identity provider.
const tokens = new Map<string, User>([
  ['token-of-ann', { name: 'ann', tenant: 'north', role: 'editor' }],
  ['token-of-bob', { name: 'bob', tenant: 'south', role: 'editor' }],
])

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], connectionTimeoutMillis: 5_000 })
await migrate(pool)
const { app, asyncJobs } = createApp({
  pool,
  tokens,
  // A real application tells a worker, as examples/remote-worker does.
  startImport: ({ jobId, input }) => console.log(`import ${jobId} of ${input.url}`),
})
// Longer than load balancers keep idle connections.
const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 66_000 }, app)
await asyncJobs.start()
server.listen(Number(process.env['PORT'] ?? 3000))

async function stop(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  await asyncJobs.stop()
  // The last answers have a second to be sent.
  setTimeout(() => server.closeAllConnections(), 1_000).unref()
  await closed
  await pool.end()
}
process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())

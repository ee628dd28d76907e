// The whole suite through a PgBouncer in transaction mode, and once more directly with hints switched off.
import { spawn } from 'node:child_process'
import { startTestServer } from '../support/embedded-server.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'

/** Runs vitest with this configuration and environment. @returns whether everything passed. */
function run(config: string[], env: Record<string, string>): Promise<boolean> {
  const args = ['run', '--config', ...config, ...process.argv.slice(2)]
  const child = spawn('node_modules/.bin/vitest', args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)))
}

async function pooled(serverUrl: string): Promise<boolean> {
  const pooler = await startPgBouncer(serverUrl)
  try {
    return await run(['test/vitest.pgbouncer.config.ts'], { DATABASE_URL: pooler.url })
  } finally {
    await pooler.stop()
  }
}

const server = await startTestServer()
try {
  const passed = [
    await pooled(server.url),
    await run(['test/vitest.config.ts', '--project', 'integration'], {
      DATABASE_URL: server.url,
      AJ_TEST_HINTS: 'off',
    }),
  ]
  process.exitCode = passed.every(Boolean) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await server.stop()
}

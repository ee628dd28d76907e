// Store, executor and the stories across the wire through a PgBouncer in transaction mode, and once more directly with
// hints switched off.
import { spawn } from 'node:child_process'
import { startTestServer } from '../support/embedded-server.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'

const given = process.argv.slice(2)
const folders = given.length > 0 ? given : ['test/server/store', 'test/server/executor', 'test/e2e']

/** Runs vitest with this environment. @returns its exit code. */
function run(env: Record<string, string>): Promise<number> {
  const args = ['run', '--config', 'test/vitest.config.ts', '--project', 'integration', ...folders]
  const child = spawn('node_modules/.bin/vitest', args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

const server = await startTestServer()
const pooler = await startPgBouncer(server.url)
const pooled = await run({ DATABASE_URL: pooler.url, AJ_TEST_POOLER: 'transaction' })
await pooler.stop()
const hintless = await run({ DATABASE_URL: server.url, AJ_TEST_HINTS: 'off' })
await server.stop()
process.exitCode = pooled === 0 && hintless === 0 ? 0 : 1

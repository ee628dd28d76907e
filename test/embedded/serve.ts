/** A process that starts a server on the folder it is given, says so in one line, and lives until it is killed. */
import { startEmbeddedPostgres } from '../../server/embedded/index.ts'

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '' })
process.stdout.write(`${JSON.stringify({ pid: server.pid, url: server.url })}\n`)
setInterval(() => {}, 60_000)

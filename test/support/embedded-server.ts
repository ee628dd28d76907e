import { mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startEmbeddedPostgres } from '../../server/embedded/index.ts'
import { livingOwner } from '../../server/embedded/owner.ts'
import { stopStaleServer } from '../../server/embedded/stale.ts'

const PREFIX = 'async-jobs-test-'
/** A folder without an owner may be a start in progress, but not for longer than this. */
const START_MS = 10 * 60_000

/** An embedded server in a temporary folder, which goes with it. Fast rather than safe: a crash loses the data. */
export async function startTestServer(): Promise<{ url: string; stop(): Promise<void> }> {
  await removeLeftovers()
  const dataDir = await mkdtemp(join(tmpdir(), PREFIX))
  try {
    const server = await startEmbeddedPostgres({
      dataDir,
      settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'on', max_connections: 300 },
    })
    return {
      url: server.url,
      async stop() {
        await server.stop()
        await removeDataFolder(dataDir)
      },
    }
  } catch (error) {
    await removeDataFolder(dataDir)
    throw error
  }
}

/** Removes what killed runs left. A folder of another user is not ours to remove. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (name.startsWith(PREFIX) && (await isLeftover(folder))) {
      await stopStaleServer(join(folder, 'cluster')).catch(() => {})
      await removeDataFolder(folder).catch(() => {})
    }
  }
}

/** Removes a data folder with its cluster, wherever that lies. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  const elsewhere = await readlink(join(dataDir, 'cluster')).catch(() => undefined)
  if (elsewhere !== undefined) await rm(dirname(elsewhere), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}

async function isLeftover(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined || found.uid !== (process.getuid?.() ?? found.uid)) return false
  if ((await livingOwner(folder)) !== undefined) return false
  const owned = await stat(join(folder, 'owner')).catch(() => undefined)
  return owned !== undefined || Date.now() - found.mtimeMs > START_MS
}

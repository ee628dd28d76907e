import { chmod, mkdir, mkdtemp, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { canReach, chooseIdentity, type Identity } from './identity.ts'

/** Where things lie, and who runs the server. */
export interface DataFolder {
  /** PostgreSQL's own folder, mode 0700, a path without links. Absent until the cluster was made. */
  readonly cluster: string
  readonly passwordFile: string
  readonly logFile: string
  readonly identity: Identity | undefined
}

/**
 * Decides where the cluster of a data folder lies, and who runs it.
 *
 * It is `<dataDir>/cluster`. Only root can find that its server, which runs as another user, has no way there, as below
 * a home folder of mode 0700. Then the cluster gets a folder of its own in `/var/lib` (else `/var/tmp`, else the folder
 * for temporary files), and `<dataDir>/cluster` is a symbolic link to it. Removing the data folder leaves that one.
 */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const place = join(dataDir, 'cluster')
  const existing = await realpath(place).catch(() => undefined)
  const identity = await chooseIdentity(existing)
  return {
    cluster: existing ?? (await placeCluster(place, identity)),
    passwordFile: join(dataDir, 'password'),
    logFile: join(dataDir, 'postgres.log'),
    identity,
  }
}

async function placeCluster(place: string, identity: Identity | undefined): Promise<string> {
  const dataDir = dirname(place)
  const elsewhere = await readlink(place).catch(() => undefined)
  if (elsewhere !== undefined) {
    // A link without a cluster: an earlier start was interrupted, or the folder was removed.
    await mkdir(dirname(elsewhere), { recursive: true, mode: 0o711 })
    return elsewhere
  }
  if (identity === undefined) return place
  // The password has a mode of its own.
  await chmod(dataDir, (await stat(dataDir)).mode | 0o111)
  if (await canReach(dataDir, identity)) return place
  const folder = await mkdtemp(join(await reachableFolder(['/var/lib', '/var/tmp', tmpdir()], identity), 'async-jobs-'))
  await chmod(folder, 0o711)
  const target = join(folder, 'cluster')
  await symlink(target, place)
  return target
}

/**
 * The first of the folders that the identity can reach.
 *
 * @throws when it can reach none
 */
export async function reachableFolder(folders: readonly string[], identity: Identity): Promise<string> {
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined && (await canReach(real, identity))) return real
  }
  throw new Error(`The user with id ${identity.uid}, who is to run PostgreSQL, can reach none of ${folders.join(', ')}`)
}

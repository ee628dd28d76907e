import { randomBytes } from 'node:crypto'
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { runChild } from './child.ts'
import type { DataFolder } from './data-folder.ts'
import { hasCode } from './error-code.ts'

/** The superuser of every cluster that is made here. */
export const SUPERUSER = 'postgres'

/** What is known of a cluster that is there. */
export interface Cluster {
  readonly password: string
  /** Whether it was made just now. */
  readonly isNew: boolean
}

/**
 * Makes the cluster unless it is there. It gets its name only when it is complete, so an interrupted start leaves
 * nothing but a draft, which the next one removes. The password of its superuser is made at random and kept in a file
 * of mode 0600. The caller must own the data folder.
 *
 * @throws when initdb fails, another major version made the cluster, or its password is lost
 */
export async function ensureCluster(folder: DataFolder, binaries: Binaries): Promise<Cluster> {
  const { cluster, passwordFile } = folder
  const version = await readIfThere(join(cluster, 'PG_VERSION'))
  const known = await readIfThere(passwordFile)
  if (version === undefined) {
    const password = known ?? (await makePassword(passwordFile))
    await initialise(folder, binaries, password)
    return { password, isNew: true }
  }
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${cluster} was made by PostgreSQL ${version}, but version ${binaries.majorVersion} is installed: ` +
        'remove the data folder, or install the version that made it',
    )
  }
  if (!known) throw new Error(`Without ${passwordFile} nobody can enter ${cluster}: remove the data folder`)
  return { password: known, isNew: false }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function makePassword(file: string): Promise<string> {
  const password = randomBytes(24).toString('hex')
  const draft = `${file}.draft`
  await rm(draft, { force: true })
  await writeFile(draft, password, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
  return password
}

async function initialise(folder: DataFolder, binaries: Binaries, password: string): Promise<void> {
  const { cluster, identity } = folder
  const prefix = `${basename(cluster)}.draft-`
  const home = dirname(cluster)
  const drafts = (await readdir(home)).filter((name) => name.startsWith(prefix))
  // An orphaned initdb may still write to its draft; what can't be removed now goes at the next start.
  await Promise.all(drafts.map((name) => rm(join(home, name), { recursive: true, force: true }).catch(() => {})))

  const draft = await mkdtemp(join(home, prefix))
  try {
    const made = join(draft, 'cluster')
    const passwordFile = join(draft, 'password')
    await writeFile(passwordFile, password, { mode: 0o600 })
    await mkdir(made, { mode: 0o700 })
    if (identity) {
      await Promise.all([draft, made, passwordFile].map((path) => chown(path, identity.uid, identity.gid)))
    }
    await runChild([binaries.initdb, ...initdbArguments(made, passwordFile)], identity)
    await rename(made, cluster)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

function initdbArguments(cluster: string, passwordFile: string): string[] {
  return [
    `--pgdata=${cluster}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]
}

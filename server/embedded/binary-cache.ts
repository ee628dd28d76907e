import { chmod, cp, lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { reachableFolder } from './data-folder.ts'
import type { Identity } from './identity.ts'
import type { PlatformPackage } from './platform-package.ts'

/** Who must be able to run the copy, and how it is made complete. */
export interface CopyOptions {
  readonly identity: Identity | undefined
  complete(copy: PlatformPackage): Promise<void>
}

/**
 * Copies the binaries (60 MB) to `async-jobs-postgres-<version>-<uid>` in the folder for temporary files, readable for
 * everybody. The copy gets its name when it is complete, so that starts at the same moment share one.
 *
 * @throws when a folder of that name belongs to, or can be written by, another user
 */
export async function copyBinaries(source: PlatformPackage, options: CopyOptions): Promise<PlatformPackage> {
  const { identity } = options
  const base = identity ? await reachableFolder([tmpdir(), '/tmp', '/var/tmp'], identity) : tmpdir()
  const target = packageAt(join(base, `async-jobs-postgres-${source.version}-${process.getuid?.() ?? 'user'}`), source)
  if ((await isTrustworthy(target.folder)) && (await holdsAll(target, source))) return target

  const draft = packageAt(await mkdtemp(`${target.folder}.draft-`), source)
  try {
    await cp(join(source.folder, 'native'), join(draft.folder, 'native'), { recursive: true, verbatimSymlinks: true })
    await makeReadable(draft.folder)
    await options.complete(draft)
    await rename(draft.folder, target.folder).catch(async (error: unknown) => {
      if (!(await isTrustworthy(target.folder))) throw error
      if (await holdsAll(target, source)) return
      await rm(target.folder, { recursive: true, force: true })
      await rename(draft.folder, target.folder)
    })
  } finally {
    await rm(draft.folder, { recursive: true, force: true })
  }
  return target
}

function packageAt(folder: string, { folder: from, version, programs }: PlatformPackage): PlatformPackage {
  const moved = (program: string): string => join(folder, relative(from, program))
  return {
    folder,
    version,
    programs: {
      initdb: moved(programs.initdb),
      postgres: moved(programs.postgres),
      pg_ctl: moved(programs.pg_ctl),
    },
  }
}

/** Whether the copy is there; one in which another user could have planted programs is an error. */
async function isTrustworthy(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return false
  const ours = process.getuid === undefined || found.uid === process.getuid()
  if (found.isDirectory() && ours && (process.platform === 'win32' || (found.mode & 0o022) === 0)) return true
  throw new Error(`${folder} is not a folder that only this user can write to: remove it`)
}

/** Whether no file is missing: what cleans up temporary files may have removed some. */
async function holdsAll(copy: PlatformPackage, source: PlatformPackage): Promise<boolean> {
  const [copied, wanted] = await Promise.all(
    [copy, source].map(({ folder }) => readdir(join(folder, 'native'), { recursive: true }).catch(() => [])),
  )
  const present = new Set(copied)
  return wanted?.every((file) => present.has(file)) ?? false
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

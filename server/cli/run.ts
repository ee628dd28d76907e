import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { latestVersion, schemaDdl } from './schema.ts'
import type { Terminal } from './terminal.ts'

const usage = `usage: async-jobs <command>

  schema [--schema NAME] [--from VERSION]
      prints the DDL for your migration tool: all of it, or what comes after a version
  doctor [--database-url URL] [--schema NAME]
      says what of the schema in a database (default: DATABASE_URL) is missing, different or extra;
      it changes nothing, and needs no privilege but TEMP
      exit codes: 0 as expected, 1 something is missing or different, 2 it could not be told
`

/** Something that whoever called the command can put right. */
class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Runs one command. @returns the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(args, terminal)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.error(`async-jobs: ${error.message}\n\n${usage}`)
    return 2
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args)
  const [command, ...rest] = positionals
  if (values.help === true) {
    terminal.out(usage)
    return 0
  }
  if (values.version === true) {
    terminal.out(`${packageVersion()}\n`)
    return 0
  }
  if (rest.length > 0) throw new UsageError(`what is "${rest.join(' ')}"?`)
  const { schema, from, 'database-url': url } = values
  if (schema === '') throw new UsageError('--schema needs a name')
  if (command === 'schema' && url === undefined) {
    terminal.out(schemaDdl({ schema, from: from === undefined ? undefined : versionOf(from) }))
    return 0
  }
  if (command === 'doctor' && from === undefined) {
    // Only the doctor needs a driver, which is the application's own.
    const { doctor } = await import('./doctor.ts')
    return doctor(
      { url: databaseUrl(url ?? terminal.env['DATABASE_URL']), schema, version: packageVersion() },
      terminal,
    )
  }
  throw new UsageError(command === undefined ? 'which command?' : `there is no such command: ${args.join(' ')}`)
}

function parse(args: readonly string[]): ReturnType<typeof parseOptions> {
  try {
    return parseOptions(args)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function parseOptions(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      schema: { type: 'string' },
      from: { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
}

function versionOf(text: string): number {
  const version = Number(text)
  if (/^\d+$/.test(text) && version <= latestVersion) return version
  throw new UsageError(`--from needs a version from 0 to ${latestVersion}, found ${JSON.stringify(text)}`)
}

function databaseUrl(url: string | undefined): string {
  if (url !== undefined && url !== '') return url
  throw new UsageError('which database? Set DATABASE_URL, or give --database-url')
}

/** The version of this package, from its own package.json, wherever it is installed. */
function packageVersion(): string {
  return (createRequire(import.meta.url)('async-jobs/package.json') as { version: string }).version
}

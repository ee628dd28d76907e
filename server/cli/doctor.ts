import pg from 'pg'
import { readCatalogs } from '../store/catalog.ts'
import { compareCatalogs } from './compare.ts'
import type { Terminal } from './terminal.ts'

export interface DoctorOptions {
  readonly url: string
  readonly schema?: string | undefined
  /** Of this package. */
  readonly version: string
}

/** Says what of the schema in a database is missing, different or extra. @returns the exit code. */
export async function doctor({ url, schema, version }: DoctorOptions, terminal: Terminal): Promise<number> {
  try {
    const catalogs = await withClient(url, (client) => readCatalogs(client, schema))
    const { faults, extras } = compareCatalogs(catalogs)
    const expectation = `as async-jobs ${version} expects it (version ${catalogs.expected.version})`
    if (faults.length === 0) terminal.out(`the schema is ${expectation}\n`)
    else terminal.out(`the schema "${catalogs.schema}" is not ${expectation}:\n`)
    for (const fault of faults) terminal.out(`- ${fault}\n`)
    for (const extra of extras) terminal.out(`note: ${extra}\n`)
    return faults.length === 0 ? 0 : 1
  } catch (error) {
    terminal.error(`async-jobs: the database cannot be looked at: ${sentence(error)}\n`)
    return 2
  }
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 })
  // A connection that breaks tells so by an event too; the rejection says it already.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Where a name has several addresses, each has its own error and the one that gathers them has no message. */
function sentence(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(sentence).join(', ')
  return error instanceof Error ? error.message : String(error)
}

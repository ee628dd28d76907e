import { migrations } from '../../generated/schema.ts'
import { type Database, sqlState } from './database.ts'
import type { Statement } from './statement.ts'

const statement: Statement = {
  name: 'async_jobs_schema_version',
  text: 'SELECT async_jobs_schema_version() AS version',
}

/** The schema version that this library works with. */
const expected = Math.max(...migrations.map((migration) => migration.version))

/** Rejects with a sentence that says what to do when the database has another schema version. */
export async function checkSchema(database: Database): Promise<void> {
  const found = await readVersion(database)
  if (found === expected) return
  const advice =
    found === undefined || found < expected
      ? `apply schema/*.sql after ${found === undefined ? 'none' : `version ${found}`} with your migration tool`
      : 'this version of async-jobs is too old for it: upgrade async-jobs'
  throw new Error(
    `async-jobs needs database schema version ${expected} and found ${found ?? 'no schema'} on the search path; ${advice}`,
  )
}

async function readVersion(database: Database): Promise<number | undefined> {
  try {
    const [row] = await database.run<{ version: number }>(statement, [])
    return row?.version
  } catch (error) {
    const undefinedFunction = '42883'
    if (sqlState(error) === undefinedFunction) return undefined
    throw error
  }
}

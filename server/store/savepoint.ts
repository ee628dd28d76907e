import type { Runs } from './database.ts'
import { stateBehind } from './transaction-state.ts'
import type { Statement } from './statement.ts'

const set: Statement = { name: 'async_jobs_set_savepoint', text: 'SAVEPOINT async_jobs_submit' }
const release: Statement = { name: 'async_jobs_release_savepoint', text: 'RELEASE SAVEPOINT async_jobs_submit' }
const rollBack: Statement = { name: 'async_jobs_roll_back', text: 'ROLLBACK TO SAVEPOINT async_jobs_submit' }
const isolation: Statement = {
  name: 'async_jobs_read_isolation',
  text: `SELECT current_setting('transaction_isolation') AS level`,
}

/** Begins what can be undone alone. Rejects with a TypeError outside of a transaction. */
async function setSavepoint(runner: Runs): Promise<void> {
  try {
    await runner.run(set, [])
  } catch (error) {
    if (stateBehind(error) !== '25P01') throw error
    throw new TypeError('tx: expected a client inside of a transaction (after BEGIN), found one outside of any', {
      cause: error,
    })
  }
}

/** Keeps what was done since the savepoint. */
async function releaseSavepoint(runner: Runs): Promise<void> {
  await runner.run(release, [])
}

/** Undoes what was done since the savepoint, which goes too: it would hide an outer one of the same name. */
async function rollBackToSavepoint(runner: Runs): Promise<void> {
  await runner.run(rollBack, [])
  await runner.run(release, [])
}

/** The isolation level of the transaction, in lower case. */
export async function readIsolation(runner: Runs): Promise<string> {
  const [row] = await runner.run<{ level: string }>(isolation, [])
  return row?.level ?? ''
}

/** Runs work that leaves the transaction as it was when it rejects: also what fails in it does not abort the whole. */
export async function underSavepoint<Result>(runner: Runs, work: () => Promise<Result>): Promise<Result> {
  await setSavepoint(runner)
  try {
    const result = await work()
    await releaseSavepoint(runner)
    return result
  } catch (error) {
    // A connection that is gone cannot roll back; the error says so already.
    await rollBackToSavepoint(runner).catch(() => {})
    throw error
  }
}

import type { Transaction } from '../handler.ts'
import type { Database, Runs } from './database.ts'
import { insertJobs } from './insert-jobs.ts'
import type { KeyMismatch, NewJob, Submission } from './port.ts'
import { readStandingJobs, resolveJobs } from './resolve-jobs.ts'
import { readIsolation, underSavepoint } from './savepoint.ts'
import { lostRaces } from './submit-jobs.ts'
import { stateBehind } from './transaction-state.ts'

/** Winners can end, be purged or roll back between conflict and read; each round sees the newest state. */
const maxRounds = 20

/**
 * Submits inside a caller's transaction, under a savepoint: a conflict with another submit would otherwise leave that
 * transaction unusable (25P02). In REPEATABLE READ and SERIALIZABLE the winner of a conflict cannot be seen there, so it
 * is looked up over a connection of the pool; only where that finds nothing the conflict (40001) is the caller's, who has
 * to begin the transaction anew.
 */
export async function submitWithin(
  database: Database,
  tx: Transaction,
  job: NewJob,
): Promise<Submission | KeyMismatch> {
  const within = database.within(tx)
  let conflict: unknown
  for (let round = 0; round < maxRounds; round += 1) {
    const answer = await underSavepoint(within, () => attempt(within, job)).catch((error: unknown) => {
      const state = stateBehind(error) ?? ''
      // A deadlock of two transactions is there until one of them ends: what each holds, it holds to its end.
      if (state === '40P01' || !lostRaces.has(state)) throw error
      conflict = error
      return undefined
    })
    if (answer !== undefined) return answer
    if (['repeatable read', 'serializable'].includes(await readIsolation(within))) {
      // Nothing is written out there: a key that is bound would stay so when the caller rolls back.
      const standing = (await readStandingJobs(database, [job])).get(job.id)
      if (standing !== undefined) return standing
      throw serializationFailure(conflict)
    }
  }
  throw serializationFailure(conflict)
}

async function attempt(within: Runs, job: NewJob): Promise<Submission | KeyMismatch | undefined> {
  const made = await insertJobs(within, [job], { guarded: false })
  if (made.has(job.id)) return { outcome: 'created', jobId: job.id, status: 'PENDING' }
  return (await resolveJobs(within, [job])).get(job.id)
}

/** As PostgreSQL says it: what stands in the way is newer than the snapshot, or gone again. */
function serializationFailure(cause: unknown): Error {
  const message = 'could not serialize access due to a concurrent submit: begin the transaction anew'
  return Object.assign(new Error(message, { cause }), { code: '40001' })
}

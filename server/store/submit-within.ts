import type { Transaction } from '../handler.ts'
import { type Database, sqlState } from './database.ts'
import { insertJobs } from './insert-jobs.ts'
import type { KeyMismatch, NewJob, Submission } from './port.ts'
import { resolveJobs } from './resolve-jobs.ts'
import { lostRaces } from './submit-jobs.ts'

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
    await tx.query('SAVEPOINT async_jobs_submit', [])
    try {
      const made = await insertJobs(within, [job], { guarded: false })
      const answer = made.has(job.id) ? created(job) : (await resolveJobs(within, [job])).get(job.id)
      await tx.query('RELEASE SAVEPOINT async_jobs_submit', [])
      if (answer !== undefined) return answer
    } catch (error) {
      await tx.query('ROLLBACK TO SAVEPOINT async_jobs_submit', [])
      await tx.query('RELEASE SAVEPOINT async_jobs_submit', [])
      if (!lostRaces.has(sqlState(error) ?? '')) throw error
      conflict = error
    }
    if (await seesItsSnapshotAlone(tx)) {
      const answer = (await resolveJobs(database, [job])).get(job.id)
      if (answer !== undefined) return answer
      throw conflict ?? serializationFailure()
    }
  }
  throw conflict ?? serializationFailure()
}

function created({ id: jobId }: NewJob): Submission {
  return { outcome: 'created', jobId, status: 'PENDING' }
}

async function seesItsSnapshotAlone(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query(`SELECT current_setting('transaction_isolation') AS level`, [])
  return ['repeatable read', 'serializable'].includes((rows[0] as { level: string }).level)
}

/** As PostgreSQL says it: what stands in the way is newer than the snapshot, and gone again. */
function serializationFailure(): Error {
  const message = 'could not serialize access due to a concurrent submit: begin the transaction anew'
  return Object.assign(new Error(message), { code: '40001' })
}

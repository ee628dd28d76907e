import type { Transaction } from '../handler.ts'
import type { Job, JobState } from '../job.ts'
import { cancelJob } from './cancel-job.ts'
import { Coalescer } from './coalescer.ts'
import { countPending } from './count-pending.ts'
import { cycle } from './cycle.ts'
import type { Database } from './database.ts'
import type { Ending, KeyMismatch, NewJob, ProgressReport, Store, Submission } from './port.ts'
import { lastCompleted } from './last-completed.ts'
import { purger } from './purge-jobs.ts'
import { readChanges } from './read-changes.ts'
import { readJobs } from './read-jobs.ts'
import { readReported } from './read-reported.ts'
import { recoverOrphans, recoverSilent, releaseUnheld } from './recover-jobs.ts'
import { reportProgress } from './report-progress.ts'
import { checkSchema } from './schema-version.ts'
import { underSavepoint } from './savepoint.ts'
import { submitJobs } from './submit-jobs.ts'
import { submitWithin } from './submit-within.ts'
import { inTurn, isIdle, whenEnded } from './transaction-state.ts'
import { registerWorker, removeWorker, renewWorker } from './workers.ts'

/** The store on PostgreSQL: every statement of the project, one function each, coalesced where requests come singly. */
export function postgresStore(database: Database): Store {
  const submits = new Coalescer<NewJob, Submission | KeyMismatch>((batch) => submitJobs(database, batch))
  const reads = new Coalescer<string, Job | undefined>(async (ids) => {
    const jobs = await readJobs(database, ids)
    return ids.map((id) => ({ reply: jobs.get(id) }))
  })
  const progress = new Coalescer<ProgressReport, JobState | undefined>(async (reports) => {
    const states = await reportProgress(database, reports)
    return reports.map(({ id }) => ({ reply: states.get(id) }))
  })
  return {
    checkSchema: () => checkSchema(database),
    submit: (job) => submits.add(job),
    submitWithin: (tx, job) => inTurn(tx, () => submitWithin(database, tx, job)),
    countPendingWithin: (tx, type, limit) =>
      inTurn(tx, () => {
        const within = database.within(tx)
        return underSavepoint(within, () => countPending(within, type, limit))
      }),
    whenEnded,
    submitMany: async (jobs) =>
      (await submitJobs(database, jobs)).map((answer) => ('reply' in answer ? answer.reply : answer)),
    transaction: (work, cut) =>
      database.transaction((client) => work(client, (ending) => endWithin(database, client, ending)), cut),
    read: (id) => reads.add(id),
    countPending: (type, limit) => countPending(database, type, limit),
    cancel: (tenant, id) => cancelJob(database, tenant, id),
    lastCompleted: (scope) => lastCompleted(database, scope),
    readReported: (id, reportKey) => readReported(database, id, reportKey),
    readChanges: (seen) => readChanges(database, seen),
    cycle: (endings, claim) => cycle(database, endings, claim),
    reportProgress: (report) => progress.add(report),
    registerWorker: (worker) => registerWorker(database, worker),
    renewWorker: (id, leaseMs) => renewWorker(database, id, leaseMs),
    removeWorker: (id) => removeWorker(database, id),
    recoverOrphans: (types, limit) => recoverOrphans(database, types, limit),
    recoverSilent: (types, options) => recoverSilent(database, types, options),
    releaseUnheld: (workerId, held) => releaseUnheld(database, workerId, held),
    purge: purger(database),
  }
}

async function endWithin(database: Database, client: Transaction, ending: Ending): Promise<JobState | undefined> {
  // Outside of a transaction the job would be completed, and the handler's writes be wherever they are.
  if (isIdle(client)) throw new Error('the transaction was ended inside of its function; leave COMMIT and ROLLBACK out')
  return (await cycle(database.within(client), [ending], undefined)).ended.get(ending.id)
}

import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '../errors.ts'
import type { Answer } from './coalescer.ts'
import { type Database, sqlState } from './database.ts'
import { insertJobs } from './insert-jobs.ts'
import type { KeyMismatch, NewJob, Submission } from './port.ts'
import { resolveJobs } from './resolve-jobs.ts'

type Reply = Submission | KeyMismatch

/** Winners can end, be purged or roll back between conflict and read; each round sees the newest state. */
const maxRounds = 20

/** A lost race for a key, a deadlock with a caller's transaction, a job purged while its key was bound: send again. */
export const lostRaces: ReadonlySet<string> = new Set(['23505', '23503', '40P01', '40001'])

/** Answers a batch of submits: two statements in the common worst case, and a bounded number when races are lost. */
export async function submitJobs(database: Database, batch: readonly NewJob[]): Promise<Answer<Reply>[]> {
  const leaders = new Map<string, NewJob>()
  for (const job of batch) if (!leaders.has(identity(job))) leaders.set(identity(job), job)
  const answers = await answerAll(database, [...leaders.values()])
  return batch.map((job) => {
    const leader = leaders.get(identity(job)) ?? job
    const answer = answers.get(leader.id) ?? { error: new ProblemError('database-unavailable') }
    return leader === job || 'error' in answer ? answer : { reply: follow(job, leader, answer.reply) }
  })
}

/** Equal keys of one batch must leave as one row: within one statement they would fail each other for ever. */
function identity(job: NewJob): string {
  return job.idempotencyKey === null ? job.id : JSON.stringify([job.tenant, job.idempotencyKey])
}

function follow(job: NewJob, leader: NewJob, reply: Reply): Reply {
  if (reply.outcome === 'mismatch') return reply
  const same = job.type === leader.type && job.inputHash === leader.inputHash
  return same ? { ...reply, outcome: 'idempotent' } : { outcome: 'mismatch', jobId: reply.jobId, type: leader.type }
}

async function answerAll(database: Database, jobs: readonly NewJob[]): Promise<Map<string, Answer<Reply>>> {
  const answers = new Map<string, Answer<Reply>>()
  let open = jobs
  for (let round = 0; open.length > 0 && round < maxRounds; round += 1) {
    if (round > 1) await wait(Math.random() * Math.min(50, 5 * round))
    try {
      for (const [id, reply] of await attempt(database, open)) answers.set(id, { reply })
    } catch (error) {
      if (!lostRaces.has(sqlState(error) ?? '')) return oneByOne(database, { open, answers, error })
    }
    open = open.filter((job) => !answers.has(job.id))
  }
  return answers
}

async function attempt(database: Database, jobs: readonly NewJob[]): Promise<Map<string, Reply>> {
  const made = await insertJobs(database, jobs)
  const created = [...made].map((id): [string, Reply] => [id, { outcome: 'created', jobId: id, status: 'PENDING' }])
  const rest = jobs.filter((job) => !made.has(job.id))
  return new Map([...created, ...(rest.length === 0 ? [] : await resolveJobs(database, rest))])
}

/** A row that the database refuses, or that waits for a caller's transaction, must fail alone. */
async function oneByOne(
  database: Database,
  { open, answers, error }: { open: readonly NewJob[]; answers: Map<string, Answer<Reply>>; error: unknown },
): Promise<Map<string, Answer<Reply>>> {
  if (error instanceof ProblemError || open.length === 1) {
    for (const job of open) answers.set(job.id, { error: asProblem(error) })
    return answers
  }
  for (const job of open) {
    for (const [id, answer] of await answerAll(database, [job])) answers.set(id, answer)
  }
  return answers
}

/** 55P03: another transaction holds the same key; it may be free in a moment. */
function asProblem(error: unknown): unknown {
  return sqlState(error) === '55P03' ? new ProblemError('database-unavailable', { cause: error }) : error
}

import type { Transaction } from '../handler.ts'
import type { Job, JobFailure, JobState, JobStatus, SubmitOutcome } from '../job.ts'

/** What a submit asks the store for. The id is made by the caller, as a UUIDv7. */
export interface NewJob {
  readonly id: string
  readonly tenant: string
  readonly type: string
  /** JSON text, or null for none. */
  readonly input: string | null
  /** Of the canonical input, as hex: tells whether a reused key asks for the same. */
  readonly inputHash: string
  readonly idempotencyKey: string | null
  /** Which submits ask for the same work, as hex; null where the type uses neither single-flight nor freshness. */
  readonly coalescingKey: string | null
  readonly singleFlight: boolean
  /** Whether a job in flight refuses this one instead of standing for it. */
  readonly rejects: boolean
  /** How long a completed job answers for this one, in milliseconds; null to run anew. */
  readonly freshForMs: number | null
  readonly maxAttempts: number
  /** 0 is the most urgent, 3 the least. */
  readonly priority: number
  /** When the job is due, by the database's clock: at an instant, or so many milliseconds from now; null: now. */
  readonly due: { readonly at: Date } | { readonly inMs: number } | null
}

/** How a submit was answered. */
export interface Submission {
  readonly jobId: string
  readonly outcome: SubmitOutcome
  readonly status: JobStatus
}

/** A key that stands for something else. */
export interface KeyMismatch {
  readonly outcome: 'mismatch'
  readonly jobId: string
  /** The type that the key was used for. */
  readonly type: string
}

/** What to claim of one (type, priority), oldest first. */
export interface ClaimShare {
  readonly type: string
  readonly priority: number
  readonly limit: number
  /** Rows that were due before this instant are not looked at; null looks at all of them. */
  readonly floor: Date | null
}

export interface ClaimRequest {
  readonly workerId: string
  /** In order of preference; the claim stops when `total` rows are taken. */
  readonly shares: readonly ClaimShare[]
  readonly total: number
  /** Types whose jobs are ended by a reporter and therefore have no worker. */
  readonly fireAndForget: readonly string[]
}

/** A job that this process may run now, and the token that proves it. */
export interface ClaimedJob {
  readonly id: string
  readonly tenant: string
  readonly type: string
  readonly priority: number
  readonly runAt: Date
  readonly attempt: number
  readonly maxAttempts: number
  readonly fencingToken: number
  readonly version: number
  readonly lastUpdatedAt: Date
  /** What a reporter proves this claim with; null for jobs that a handler runs to the end. */
  readonly reportKey: string | null
  readonly input: unknown
}

/** Which submits ask for the same work. */
export interface CoalescingScope {
  readonly tenant: string
  readonly type: string
  /** As hex. */
  readonly coalescingKey: string
}

/** When work was done, by the database's clock. */
export interface Completion {
  readonly at: Date
  readonly ageMs: number
}

/** A job that is reported on. */
export interface ReportedJob {
  readonly type: string
  readonly fencingToken: number
  readonly status: JobStatus
}

/** How an attempt ends. PENDING puts the job back: after `delayMs` (a retry), or as it was (a release). */
export interface Ending {
  readonly id: string
  readonly fencingToken: number
  readonly status: 'COMPLETED' | 'FAILED' | 'PENDING'
  readonly failure: JobFailure | null
  /** JSON text, or null for none. */
  readonly output: string | null
  readonly delayMs: number | null
  /** Whether the attempt does not count, because it was given back. */
  readonly unspent: boolean
}

export interface CycleResult {
  /** The endings that were accepted, by job id. An id that is missing was refused. */
  readonly ended: ReadonlyMap<string, JobState>
  readonly claimed: readonly ClaimedJob[]
}

export interface ProgressReport {
  readonly id: string
  readonly fencingToken: number
  readonly percent: number
}

/** The verbs that the rest of the server knows of the database. Every state that a verb returns is committed. */
export interface Store {
  /** Compares the database's schema version with this library's. Rejects with a sentence when they differ. */
  checkSchema(): Promise<void>
  /** Answers with a job that does the work, new or there already. Equal submits of one moment share statements. */
  submit(job: NewJob): Promise<Submission | KeyMismatch>
  /**
   * The same inside a caller's transaction: it is there when that commits, and a duplicate leaves the transaction usable.
   * A store without it refuses such submits.
   */
  submitWithin?(tx: Transaction, job: NewJob): Promise<Submission | KeyMismatch>
  /** The count of {@link Store.countPending} as a caller's transaction sees it. */
  countPendingWithin?(tx: Transaction, type: string, limit: number): Promise<number>
  /** Calls back once a caller's transaction has ended, either way. Never, where its client does not tell. */
  whenEnded?(tx: Transaction, callback: () => void): void
  /** Answers many submits in one go, each in its place. A store without it is asked for each of them. */
  submitMany?(jobs: readonly NewJob[]): Promise<readonly (Submission | KeyMismatch | { readonly error: unknown })[]>
  /**
   * Gives a client inside a transaction; what `work` resolves to is committed with it. `end` stores how an attempt ends,
   * in the same transaction: undefined when refused. When the signal is aborted, the work is cut off and nothing of it is
   * kept. A store without it has no `ctx.transaction`.
   */
  transaction?<T>(
    work: (client: Transaction, end: (ending: Ending) => Promise<JobState | undefined>) => Promise<T>,
    cut: AbortSignal,
  ): Promise<T>
  /** Reads a job. Reads of one moment share one statement. */
  read(id: string): Promise<Job | undefined>
  /** Counts the waiting jobs of a type, up to a limit. */
  countPending(type: string, limit: number): Promise<number>
  /** Marks an active job of a tenant (null: of any) CANCELLED; undefined when it is not active or not there. */
  cancel(tenant: string | null, id: string): Promise<Job | undefined>
  /** When a job of this scope completed last, if any is kept. */
  lastCompleted(scope: CoalescingScope): Promise<Completion | undefined>
  /** What a reporter needs to know of a job, where its key is the one of the present claim. */
  readReported(id: string, reportKey: string): Promise<ReportedJob | undefined>
  /** Of the jobs given with the version last seen, those that have changed since; null for those that are gone. */
  readChanges(seen: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, JobState | null>>
  /** Stores how attempts ended and claims the next jobs, in one statement. */
  cycle(endings: readonly Ending[], claim: ClaimRequest | undefined): Promise<CycleResult>
  /** Stores progress; undefined when refused. Reports of one moment share one statement. */
  reportProgress(report: ProgressReport): Promise<JobState | undefined>
  /** Begins the lease of a worker. */
  registerWorker(worker: { id: string; name: string; leaseMs: number }): Promise<void>
  /** Renews a lease; false when it has run out. */
  renewWorker(id: string, leaseMs: number): Promise<boolean>
  /** Ends a lease at once. */
  removeWorker(id: string): Promise<void>
  /** Puts back or fails jobs of the types whose worker is dead, at most `limit`. */
  recoverOrphans(types: readonly string[], limit: number): Promise<readonly JobState[]>
  /** Puts back or fails fire-and-forget jobs of the types that were silent for too long, at most `limit`. */
  recoverSilent(types: readonly string[], options: { silentForMs: number; limit: number }): Promise<readonly JobState[]>
  /** Gives back what the worker owns in the database but does not hold. */
  releaseUnheld(workerId: string, held: ReadonlyMap<string, number>): Promise<readonly JobState[]>
  /** Deletes jobs that ended so long ago, at most `limit`, and what belongs to them. Fewer: none is left. */
  purge(options: { olderThanMs: number; limit: number }): Promise<number>
}

/** What one process tells the others. It is a hint: losing it costs time, never a job. */
export interface Hint {
  /** Types that have new work. */
  readonly types: readonly string[]
  /** Jobs that have changed, or null: so many that whoever watches any should look. */
  readonly jobs: readonly string[] | null
}

/** Carries hints between processes. */
export interface WakeUps {
  start(onHint: (hint: Hint) => void): Promise<void>
  /** Tells the other processes, soon and merged with what else there is to tell. Never waits, never throws. */
  announce(hint: Hint): void
  stop(): Promise<void>
}

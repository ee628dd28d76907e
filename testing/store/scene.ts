import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import type { Job, JobState } from '../../server/job.ts'
import type {
  ClaimedJob,
  ClaimRequest,
  Ending,
  KeyMismatch,
  NewJob,
  Store,
  Submission,
} from '../../server/store/port.ts'

/** A store that is ready for use. */
export interface OpenedStore {
  readonly store: Store
  /** Called when the check has ended, however it ended. */
  readonly close: () => Promise<void>
}

/** Checks by the behaviour that they show. */
export type Behaviours = Readonly<Record<string, (scene: Scene) => Promise<void>>>

const patienceMs = 2_000

/** A store and a job type that nothing else uses, with the steps that the checks are made of. */
export class Scene {
  readonly store: Store
  readonly type: string = `conformance-${uuidv7()}`

  constructor(store: Store) {
    this.store = store
  }

  /** A job of the scene's type that asks for nothing special. */
  job(more: Partial<NewJob> = {}): NewJob {
    return {
      id: uuidv7(),
      tenant: '',
      type: this.type,
      input: null,
      inputHash: '00',
      idempotencyKey: null,
      coalescingKey: null,
      singleFlight: false,
      rejects: false,
      freshForMs: null,
      maxAttempts: 1,
      priority: 1,
      due: null,
      ...more,
    }
  }

  submit(more: Partial<NewJob> = {}): Promise<Submission | KeyMismatch> {
    return this.store.submit(this.job(more))
  }

  /** Begins a lease. @returns the id of the worker. */
  async worker(leaseMs = 60_000): Promise<string> {
    const id = uuidv7()
    await this.store.registerWorker({ id, name: 'conformance', leaseMs })
    return id
  }

  /** Claims jobs of the scene's type; for a new worker, unless another one is named. */
  async claim({ total = 1, ...more }: Partial<ClaimRequest> = {}): Promise<readonly ClaimedJob[]> {
    const shares = [{ type: this.type, priority: 1, limit: total, floor: null }]
    const workerId = more.workerId ?? (await this.worker())
    return (await this.store.cycle([], { shares, total, fireAndForget: [], ...more, workerId })).claimed
  }

  /** Submits a job and claims it. */
  async running(more: Partial<NewJob> = {}, request: Partial<ClaimRequest> = {}): Promise<ClaimedJob> {
    const { jobId } = await this.submit(more)
    const [job] = await this.claim(request)
    assert.equal(job?.id, jobId, 'the job that was submitted is claimed')
    return job
  }

  /** Submits a job that only a reporter ends, and claims it. */
  reported(more: Partial<NewJob> = {}): Promise<ClaimedJob> {
    return this.running(more, { fireAndForget: [this.type] })
  }

  /** Reports how an attempt ended: well, unless said otherwise. @returns the new state; undefined when refused. */
  async end(job: Pick<ClaimedJob, 'id' | 'fencingToken'>, more: Partial<Ending> = {}): Promise<JobState | undefined> {
    const { id, fencingToken } = job
    const plain = { status: 'COMPLETED', failure: null, output: null, delayMs: null, unspent: false } as const
    const { ended } = await this.store.cycle([{ id, fencingToken, ...plain, ...more }], undefined)
    return ended.get(id)
  }

  /** A job that has completed. */
  async completed(more: Partial<NewJob> = {}): Promise<ClaimedJob> {
    const job = await this.running(more)
    assert.equal((await this.end(job))?.status, 'COMPLETED')
    return job
  }

  /** Reads a job that must be there. */
  async read(id: string): Promise<Job> {
    const job = await this.store.read(id)
    assert.ok(job, 'the job is there')
    return job
  }
}

/** A failure that may be told to clients. */
export const failure = { code: 'out-of-paper', title: 'The printer has no paper' }

/** Tries again until a check holds; for what depends on the database's clock. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(20)
    }
  }
}

/** How often each value occurs. */
export function counts(values: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const value of values) found[value] = (found[value] ?? 0) + 1
  return found
}

import type pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { Database, type DatabaseOptions } from '../../server/store/database.ts'
import type { ClaimedJob, Ending, NewJob, Store } from '../../server/store/port.ts'
import { postgresStore } from '../../server/store/postgres-store.ts'

export function openStore(pool: pg.Pool, options?: DatabaseOptions): Store {
  return postgresStore(new Database(pool, options))
}

export function newJob(type: string, more: Partial<NewJob> = {}): NewJob {
  return {
    id: uuidv7(),
    tenant: '',
    type,
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

export function ending(job: Pick<ClaimedJob, 'id' | 'fencingToken'>, more: Partial<Ending> = {}): Ending {
  return {
    id: job.id,
    fencingToken: job.fencingToken,
    status: 'COMPLETED',
    failure: null,
    output: null,
    delayMs: null,
    unspent: false,
    ...more,
  }
}

/** A living worker. @returns its id. */
export async function newWorker(store: Store, leaseMs = 30_000): Promise<string> {
  const id = uuidv7()
  await store.registerWorker({ id, name: 'test', leaseMs })
  return id
}

/** Claims up to `total` due jobs of one type. */
export async function claim(
  store: Store,
  { type, workerId, total = 1 }: { type: string; workerId: string; total?: number },
): Promise<readonly ClaimedJob[]> {
  const shares = [{ type, priority: 1, limit: total, floor: null }]
  return (await store.cycle([], { workerId, shares, total, fireAndForget: [] })).claimed
}

/** Submits one job and claims it. */
export async function running(store: Store, type: string, more: Partial<NewJob> = {}): Promise<ClaimedJob> {
  await store.submit(newJob(type, more))
  const [job] = await claim(store, { type, workerId: await newWorker(store) })
  if (job === undefined) throw new Error('nothing was claimed')
  return job
}

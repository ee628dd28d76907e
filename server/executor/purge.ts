import type { Store } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import { Loop } from './loop.ts'

export interface PurgeOptions {
  readonly store: Pick<Store, 'purge'>
  readonly telemetry: Telemetry
  /** How long ago a job must have ended, in milliseconds. */
  readonly afterMs: number
  /** The most jobs that one statement deletes. */
  readonly batchSize: number
}

async function purgeBatch({ store, telemetry, afterMs, batchSize }: PurgeOptions): Promise<number> {
  const count = await store.purge({ olderThanMs: afterMs, limit: batchSize })
  if (count > 0) telemetry.emit('jobs:purged', { count })
  return count
}

/** The sweep that deletes jobs which ended long ago. */
export function purgeLoop(options: PurgeOptions & { readonly intervalMs: number }): Loop {
  return new Loop(
    async () => {
      const from = performance.now()
      const full = (await purgeBatch(options)) === options.batchSize
      // After a full batch it waits for as long as that took, so that it has at most half of the time of the database.
      // Jitter keeps the sweeps of several processes apart.
      return full ? performance.now() - from : options.intervalMs * (0.9 + Math.random() * 0.1)
    },
    (error) => options.telemetry.emit('database:error', { during: 'purge', error }),
  )
}

/** Deletes jobs that ended long ago, batch by batch, until none is left or the signal is aborted. @returns how many. */
export async function purgeAll(options: PurgeOptions, signal?: AbortSignal): Promise<number> {
  const mayGoOn = (): boolean => signal?.aborted !== true
  let total = 0
  while (mayGoOn()) {
    const count = await purgeBatch(options)
    total += count
    if (count < options.batchSize) break
  }
  return total
}

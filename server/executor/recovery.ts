import type { Changes } from '../jobs/changes.ts'
import type { JobState } from '../job.ts'
import type { Store } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import { Loop } from './loop.ts'

export interface RecoveryOptions {
  readonly store: Pick<Store, 'recoverOrphans' | 'recoverSilent'>
  readonly changes: Changes
  readonly telemetry: Telemetry
  /** Only types registered here: another application's jobs in the same table are not ours to judge. */
  readonly types: readonly string[]
  readonly fireAndForget: readonly string[]
  readonly scanIntervalMs: number
  readonly processingTimeoutMs: number
  readonly batchSize: number
}

/** The sweep for jobs of dead workers, and for fire-and-forget jobs that nobody has spoken of for too long. */
export function recoveryLoop(options: RecoveryOptions): Loop {
  return new Loop(
    async () => {
      const limit = options.batchSize
      const orphans = await options.store.recoverOrphans(options.types, limit)
      report(options, orphans)
      const silent = await recoverSilent(options)
      report(options, silent)
      // A full batch means that there is more. Jitter keeps the sweeps of several processes apart.
      const full = orphans.length === limit || silent.length === limit
      return full ? 0 : options.scanIntervalMs * (0.9 + Math.random() * 0.1)
    },
    (error) => options.telemetry.emit('database:error', { during: 'recovery', error }),
  )
}

function recoverSilent(options: RecoveryOptions): Promise<readonly JobState[]> {
  const { store, fireAndForget, processingTimeoutMs: silentForMs, batchSize: limit } = options
  if (fireAndForget.length === 0) return Promise.resolve([])
  return store.recoverSilent(fireAndForget, { silentForMs, limit })
}

function report({ changes, telemetry }: RecoveryOptions, states: readonly JobState[]): void {
  if (states.length === 0) return
  changes.changed(states)
  const requeued = states.filter(({ status }) => status === 'PENDING').length
  telemetry.emit('recovery:found', { requeued, failed: states.length - requeued })
}

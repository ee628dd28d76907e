import type { JobReporter } from '../handler.ts'
import type { JobState } from '../job.ts'
import type { Ending, Store } from '../store/port.ts'
import type { Changes } from './changes.ts'
import { toFailure } from './failure.ts'
import { serializeOutput } from './output.ts'
import { toPercent } from './percent.ts'
import type { RegisteredType } from './registry.ts'

export interface ReportParts {
  readonly store: Pick<Store, 'reportProgress' | 'cycle'>
  readonly changes: Changes
}

/** The claim that a reporter speaks for. */
export interface ReportedClaim {
  readonly jobId: string
  readonly fencingToken: number
}

/** Makes the reporter of a fire-and-forget job. Each report is one fenced statement. */
export function createReporter(parts: ReportParts, type: RegisteredType, claim: ReportedClaim): JobReporter {
  const { jobId: id, fencingToken } = claim
  const publish = (state: JobState | undefined): boolean => {
    if (state !== undefined) parts.changes.changed([state])
    return state !== undefined
  }
  const end = async (ending: Partial<Ending> & Pick<Ending, 'status'>): Promise<boolean> => {
    const blank = { id, fencingToken, failure: null, output: null, delayMs: null, unspent: false }
    const { ended } = await parts.store.cycle([{ ...blank, ...ending }], undefined)
    return publish(ended.get(id))
  }
  return {
    ...claim,
    progress: async (percent) =>
      publish(await parts.store.reportProgress({ id, fencingToken, percent: toPercent(percent) })),
    complete: (value) => {
      const output = serializeOutput(type, value)
      if ('text' in output) return end({ status: 'COMPLETED', output: output.text })
      const failure = { code: 'invalid-output', title: 'The output does not fit the type', detail: output.fault }
      return end({ status: 'FAILED', failure })
    },
    fail: (failure) => end({ status: 'FAILED', failure: toFailure(failure) }),
  }
}

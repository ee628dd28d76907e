import { validate as isUuid } from 'uuid'
import type { JobReporter } from '../handler.ts'
import type { JobState } from '../job.ts'
import type { Ending, Store } from '../store/port.ts'
import type { Changes } from './changes.ts'
import { toFailure } from './failure.ts'
import { serializeOutput } from './output.ts'
import { toPercent } from './percent.ts'
import { findType, type RegisteredType } from './registry.ts'

export interface ReportParts {
  readonly store: Pick<Store, 'reportProgress' | 'cycle'>
  readonly changes: Changes
}

export interface FindClaimParts {
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly store: Pick<Store, 'readReported'>
}

/** The claim that a reporter speaks for. */
export interface ReportedClaim {
  readonly id: string
  readonly fencingToken: number
  readonly type: RegisteredType
}

/** Finds the claim that a token speaks for; undefined when there is none, or another claim has come since. */
export type FindClaim = (jobId: string, reportToken: string) => Promise<ReportedClaim | undefined>

export function findClaim({ types, store }: FindClaimParts): FindClaim {
  return async (jobId, reportToken) => {
    if (!isUuid(jobId) || !isUuid(reportToken)) return undefined
    const job = await store.readReported(jobId, reportToken)
    if (job === undefined) return undefined
    return { id: jobId.toLowerCase(), fencingToken: job.fencingToken, type: findType(types, job.type) }
  }
}

/**
 * The reporter of a fire-and-forget job. Each report is one fenced statement.
 * @param find finds the claim at the first report; while there is none, reports are refused.
 */
export function createReporter(
  parts: ReportParts,
  jobId: string,
  find: () => Promise<ReportedClaim | undefined>,
): JobReporter {
  let known: ReportedClaim | undefined
  const report = async (send: (claim: ReportedClaim) => Promise<JobState | undefined>): Promise<boolean> => {
    known ??= await find()
    const state = known === undefined ? undefined : await send(known)
    if (state !== undefined) parts.changes.changed([state])
    return state !== undefined
  }
  const end = async (claim: ReportedClaim, ending: Ends): Promise<JobState | undefined> => {
    const { id, fencingToken } = claim
    const blank = { id, fencingToken, failure: null, output: null, delayMs: null, unspent: false }
    return (await parts.store.cycle([{ ...blank, ...ending }], undefined)).ended.get(id)
  }
  return {
    jobId,
    progress: async (given) => {
      const percent = toPercent(given)
      return report(({ id, fencingToken }) => parts.store.reportProgress({ id, fencingToken, percent }))
    },
    complete: (value) => report((claim) => end(claim, completion(claim.type, value))),
    fail: (failure) => report((claim) => end(claim, { status: 'FAILED', failure: toFailure(failure) })),
  }
}

type Ends = Partial<Ending> & Pick<Ending, 'status'>

function completion(type: RegisteredType, value: unknown): Ends {
  const output = serializeOutput(type, value)
  if ('text' in output) return { status: 'COMPLETED', output: output.text }
  const failure = { code: 'invalid-output', title: 'The output does not fit the type', detail: output.fault }
  return { status: 'FAILED', failure }
}

import type { KeyMismatch, NewJob, Submission } from '../store/port.ts'
import { accept, toJob, type SubmitParts, type SubmitRequest } from './submit.ts'

/** One of many submits. */
export interface ManySubmit extends Omit<SubmitRequest, 'tx'> {
  readonly type: string
}

/** What stands for a submit, or why nothing does: a ProblemError, as `submit` would reject with. */
export type ManyAnswer = Submission | { readonly error: unknown }

export type SubmitMany = (submits: readonly ManySubmit[]) => Promise<readonly ManyAnswer[]>

/** So many go in one statement. */
const atOnce = 1_000

type Refused = { readonly error: unknown }

/** Submits many jobs, each answered in its place. All are checked before any is sent. */
export function submitMany(parts: SubmitParts): SubmitMany {
  return async (submits) => {
    const prepared = await admit(
      parts,
      submits.map(({ type, ...request }) => attempt(() => toJob(parts, type, request))),
    )
    const jobs = prepared.flatMap((one) => ('error' in one ? [] : [one]))
    const byId = await send(parts, jobs)
    const answers = prepared.map((one) => ('error' in one ? one : answerOf(one, byId.get(one.id))))
    tell(parts, submits, answers)
    return answers
  }
}

/** The limit of waiting jobs holds for all of a type together: the last ones are refused. */
async function admit({ backlog }: SubmitParts, checked: readonly (NewJob | Refused)[]): Promise<(NewJob | Refused)[]> {
  const counts = new Map<string, number>()
  const admitted: (NewJob | Refused)[] = []
  for (const one of checked) {
    if ('error' in one) {
      admitted.push(one)
      continue
    }
    const ahead = counts.get(one.type) ?? 0
    counts.set(one.type, ahead + 1)
    const refusal = await backlog.admit(one.type, ahead).catch((error: unknown) => ({ error }))
    admitted.push(refusal ?? one)
  }
  return admitted
}

type StoreAnswer = Submission | KeyMismatch | Refused

async function send({ store }: SubmitParts, jobs: readonly NewJob[]): Promise<Map<string, StoreAnswer | undefined>> {
  const replies: StoreAnswer[] = []
  for (let from = 0; from < jobs.length; from += atOnce) {
    const part = jobs.slice(from, from + atOnce)
    const answers = await (store.submitMany?.(part) ??
      Promise.all(part.map((job) => store.submit(job).catch((error: unknown) => ({ error })))))
    replies.push(...answers)
  }
  return new Map(jobs.map(({ id }, index) => [id, replies[index]]))
}

function attempt<Result>(work: () => Result): Result | Refused {
  try {
    return work()
  } catch (error) {
    return { error }
  }
}

function answerOf(job: NewJob, reply: StoreAnswer | undefined): ManyAnswer {
  if (reply === undefined) return { error: new Error('a submit was not answered') }
  return 'error' in reply ? reply : attempt(() => accept(job, reply))
}

/** Each job is told of, and each type with new work once. */
function tell(
  { changes, telemetry }: SubmitParts,
  submits: readonly ManySubmit[],
  answers: readonly ManyAnswer[],
): void {
  const created = new Set<string>()
  answers.forEach((answer, index) => {
    const type = submits[index]?.type ?? ''
    if ('error' in answer) return
    if (answer.outcome === 'created') created.add(type)
    telemetry.emit('job:submitted', { jobId: answer.jobId, type, outcome: answer.outcome })
  })
  for (const type of created) changes.submitted(type)
}

import type { KeyMismatch, NewJob, Submission } from '../store/port.ts'
import { accept, prepare, type SubmitParts, type SubmitRequest } from './submit.ts'

/** One of many submits. */
export interface ManySubmit extends Omit<SubmitRequest, 'tx'> {
  readonly type: string
}

/** What stands for a submit, or why nothing does: a ProblemError, as `submit` would reject with. */
export type ManyAnswer = Submission | { readonly error: unknown }

export type SubmitMany = (submits: readonly ManySubmit[]) => Promise<readonly ManyAnswer[]>

/** So many go in one statement. */
const atOnce = 1_000

/** Submits many jobs, each answered in its place. */
export function submitMany(parts: SubmitParts): SubmitMany {
  return async (submits) => {
    const answers: ManyAnswer[] = []
    for (let from = 0; from < submits.length; from += atOnce) {
      answers.push(...(await submitSome(parts, submits.slice(from, from + atOnce))))
    }
    return answers
  }
}

async function submitSome(parts: SubmitParts, submits: readonly ManySubmit[]): Promise<ManyAnswer[]> {
  const prepared = await Promise.all(
    submits.map(({ type, ...request }) => prepare(parts, type, request).catch((error: unknown) => ({ error }))),
  )
  const jobs = prepared.flatMap((one) => ('error' in one ? [] : [one]))
  const { store } = parts
  const replies = await (store.submitMany?.(jobs) ??
    Promise.all(jobs.map((job) => store.submit(job).catch((error: unknown) => ({ error })))))
  const byId = new Map(jobs.map((job, index) => [job.id, replies[index]]))
  const answers = prepared.map((job) => ('error' in job ? job : answerOf(job, byId.get(job.id))))
  tell(parts, submits, answers)
  return answers
}

function answerOf(job: NewJob, reply: Submission | KeyMismatch | { readonly error: unknown } | undefined): ManyAnswer {
  if (reply === undefined) return { error: new Error('a submit was not answered') }
  if ('error' in reply) return reply
  try {
    return accept(job, reply)
  } catch (error) {
    return { error }
  }
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

import { expectTypeOf } from 'vitest'
import {
  type AcceptedJob,
  type CompletedJob,
  createClient,
  isJobFailedError,
  type JobEvent,
  type JobFailure,
  type JobHandle,
  type JobState,
  type SubmittedJob,
} from '../../client/index.ts'

const client = createClient({ baseUrl: '/api', headers: async () => ({ Authorization: 'Bearer x' }) })
const submitted = client.submit('accounts', { input: { any: 'JSON' }, idempotencyKey: 'k' })

expectTypeOf(submitted).toEqualTypeOf<SubmittedJob>()
expectTypeOf<Awaited<typeof submitted>>().toEqualTypeOf<AcceptedJob>()
expectTypeOf<SubmittedJob['waitForCompletion']>().returns.resolves.toEqualTypeOf<CompletedJob>()
expectTypeOf<CompletedJob['status']>().toEqualTypeOf<'COMPLETED'>()

// A resumed handle is no thenable: awaiting it gives the handle itself.
expectTypeOf(client.job('x')).toEqualTypeOf<JobHandle>()
expectTypeOf<Awaited<JobHandle>>().toEqualTypeOf<JobHandle>()

export function states(state: JobState): JobFailure | undefined {
  if (state.status === 'FAILED') return state.failure
  expectTypeOf(state.type).toEqualTypeOf<string>()
  // @ts-expect-error -- only a FAILED job has a failure
  return state.failure
}

export function events(event: JobEvent): void {
  if (event.event === 'progress') expectTypeOf(event.data.percentComplete).toEqualTypeOf<number | null>()
  if (event.event === 'failed') expectTypeOf(event.data.failureCode).toEqualTypeOf<string>()
  // @ts-expect-error -- the end of a job carries no percentage
  if (event.event === 'complete') event.data.percentComplete.toFixed()
}

export function errors(error: unknown): void {
  if (isJobFailedError(error)) expectTypeOf(error.failure).toEqualTypeOf<JobFailure>()
}

// @ts-expect-error -- a client needs to know where the service is
createClient({})
// @ts-expect-error -- no option of that name
client.submit('accounts', { timeout: 5 })
// @ts-expect-error -- a fetch is given one Request and nothing else
createClient({ baseUrl: '/api', fetch: async (_request: Request, _init: RequestInit) => new Response() })

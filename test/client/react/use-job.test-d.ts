import { expectTypeOf } from 'vitest'
import {
  type AcceptedJob,
  createClient,
  type JobFailure,
  type JobStatus,
  type SubmitOptions,
} from '../../../client/index.ts'
import {
  createUseJob,
  type JobClient,
  type JobClientProviderProps,
  jobQueryKey,
  useJob,
  type UseJobResult,
  type UseJobStatus,
} from '../../../client/react/index.ts'

const client = createClient({ baseUrl: '/api' })

// Every client serves, and nothing less than what the hook calls.
expectTypeOf(client).toExtend<JobClient>()
expectTypeOf<JobClientProviderProps['client']>().toEqualTypeOf<JobClient>()

expectTypeOf(useJob).returns.toEqualTypeOf<UseJobResult>()
expectTypeOf<UseJobStatus>().toEqualTypeOf<JobStatus | 'idle' | 'submitting' | 'loading' | 'error'>()
expectTypeOf<UseJobResult['percentComplete']>().toEqualTypeOf<number | null>()
expectTypeOf<UseJobResult['error']>().toEqualTypeOf<Error | null>()
expectTypeOf<UseJobResult['failure']>().toEqualTypeOf<JobFailure | undefined>()
expectTypeOf<UseJobResult['submit']>().parameter(0).toEqualTypeOf<SubmitOptions | undefined>()
// Nothing to await, so that an event handler leaves no rejection behind.
expectTypeOf<UseJobResult['submit']>().returns.toEqualTypeOf<void>()
expectTypeOf<UseJobResult['cancel']>().returns.toEqualTypeOf<void>()
expectTypeOf(jobQueryKey('x')).toEqualTypeOf<readonly ['async-jobs', jobId: string]>()

export function uses(kept: string | null, keep: (id: string) => void): void {
  useJob('accounts')
  // What storage and URL parameters give when there is nothing.
  useJob('accounts', { jobId: kept, client, onSubmitted: ({ jobId }: AcceptedJob) => keep(jobId) })
  // @ts-expect-error -- a type of job is needed
  useJob()
  // @ts-expect-error -- no option of that name
  useJob('accounts', { id: kept })
  // @ts-expect-error -- an event is no options of a submit
  useJob('accounts').submit(new Event('click'))
}

type Accepted = { 202: { content: { 'application/json': object } } }

/** As openapi-typescript writes a document that names its types of job. */
interface paths {
  '/api/jobs/accounts': { post: { requestBody?: never; responses: Accepted } }
  '/api/jobs/report': {
    post: {
      requestBody: { content: { 'application/json': { year: number } } }
      responses: Accepted & { 200: { content: { 'application/json': { output: { sum: number } } } } }
    }
  }
}

expectTypeOf(createClient<paths>({ baseUrl: '/api' })).toExtend<JobClient>()
const useTypedJob = createUseJob<paths>()

export function usesTyped(kept: string | null): void {
  const report = useTypedJob('report', { jobId: kept })
  expectTypeOf(report.output).toEqualTypeOf<{ sum: number } | undefined>()
  report.submit({ input: { year: 2026 }, idempotencyKey: 'k' })
  const accounts = useTypedJob('accounts')
  expectTypeOf(accounts.output).toEqualTypeOf<unknown>()
  accounts.submit()
  // @ts-expect-error -- the document names no such type
  useTypedJob('acounts')
  // @ts-expect-error -- this type must have an input
  report.submit()
  // @ts-expect-error -- of the form that the document gives it
  report.submit({ input: { year: '2026' } })
  // @ts-expect-error -- this type takes no input
  accounts.submit({ input: { year: 2026 } })
}

// What only shows a job takes one of any type.
expectTypeOf(useTypedJob<'report'>).returns.toExtend<Omit<UseJobResult, 'submit'>>()

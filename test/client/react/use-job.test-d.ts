import { expectTypeOf } from 'vitest'
import {
  type AcceptedJob,
  createClient,
  type JobFailure,
  type JobStatus,
  type SubmitOptions,
} from '../../../client/index.ts'
import {
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

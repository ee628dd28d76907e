import { expectTypeOf } from 'vitest'
import { type CompletedJob, createClient, type JobHandle, type SubmittedJob } from '../../client/index.ts'

interface Report {
  year: number
}
interface Sum {
  sum: number
}
type Accepted = { 202: { content: { 'application/json': object } } }
type Parameters = { query?: never; header?: never; path?: never; cookie?: never }

/** As openapi-typescript writes a document that names its types of job. */
interface paths {
  '/api/jobs/accounts': { post: { parameters: Parameters; requestBody?: never; responses: Accepted } }
  '/api/jobs/report': {
    parameters: Parameters
    post: {
      requestBody: { content: { 'application/json': Report } }
      responses: Accepted & { 200: { content: { 'application/json': { jobId: string; output: Sum } } } }
    }
  }
  '/api/jobs/maybe': {
    post: { requestBody?: { content: { 'application/json': Report } }; responses: Accepted }
  }
  '/api/jobs/{job}/status': { get: object }
  '/api/jobs/{job}': { post: { responses: Accepted } }
  '/products': { get: object }
}

const client = createClient<paths>({ baseUrl: '/api' })

expectTypeOf(client.submit('accounts')).toEqualTypeOf<SubmittedJob>()
const report = client.submit('report', { input: { year: 2026 }, idempotencyKey: 'k' })
expectTypeOf(report).toEqualTypeOf<SubmittedJob<Sum>>()
expectTypeOf<(typeof report)['waitForCompletion']>().returns.resolves.toHaveProperty('output').toEqualTypeOf<Sum>()
expectTypeOf<CompletedJob<Sum>['status']>().toEqualTypeOf<'COMPLETED'>()
client.submit('maybe')
client.submit('maybe', { input: { year: 2026 } })

expectTypeOf(client.job('x')).toEqualTypeOf<JobHandle>()
expectTypeOf(client.job<'report'>({ jobId: 'x' })).toEqualTypeOf<JobHandle<Sum>>()

// @ts-expect-error -- the document names no such type
client.submit('acounts')
// @ts-expect-error -- this type must have an input
client.submit('report')
// @ts-expect-error -- nor without its input among the options
client.submit('report', { idempotencyKey: 'k' })
// @ts-expect-error -- of the form that the document gives it
client.submit('report', { input: { year: '2026' } })
// @ts-expect-error -- this type takes no input
client.submit('accounts', { input: { year: 2026 } })
// @ts-expect-error -- the path of an operation of ours is no type
client.submit('{job}')
// @ts-expect-error -- the document names no such type
client.job<'acounts'>('x')
// @ts-expect-error -- a reference to a job has its id
client.job({ id: 'x' })

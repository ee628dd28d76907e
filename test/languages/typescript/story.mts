// Submits, polls and cancels jobs with a generated client: node story.mjs <base URL>
// docs: begin
import { Configuration, JobsApi, type Job } from './client/index.js'

const jobs = new JobsApi(new Configuration({ basePath: process.argv[2] }))

async function waitForJob(job: string): Promise<Job> {
  for (;;) {
    const answer = await jobs.getJobStatusRaw({ job })
    const retryAfter = answer.raw.headers.get('Retry-After')
    if (retryAfter === null) return answer.value()
    await new Promise((resolve) => setTimeout(resolve, Number(retryAfter) * 1000))
  }
}

const accepted = await jobs.submitJob({ job: 'noop' })
console.log('completed', (await waitForJob(accepted.jobId)).status)
// docs: end

import { ResponseError } from './client/index.js'

async function problemOf(job: string): Promise<Record<string, unknown>> {
  const error: unknown = await waitForJob(job).catch((thrown: unknown) => thrown)
  if (!(error instanceof ResponseError)) throw new Error(`expected a problem, found ${String(error)}`)
  return error.response.json() as Promise<Record<string, unknown>>
}

const failed = await problemOf((await jobs.submitJob({ job: 'fails' })).jobId)
console.log('failed', failed['status'], failed['failureCode'])

const slow = await jobs.submitJob({ job: 'slow' })
await jobs.cancelJob({ job: slow.jobId })
console.log('cancelled', (await waitForJob(slow.jobId)).status)

const missing = await problemOf('01890000-0000-7000-8000-000000000000')
console.log('missing', missing['status'], missing['code'])

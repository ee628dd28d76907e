import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../client/index.ts'
import type { components } from '../../generated/openapi.ts'
import { answer, endedStream, frame, type Script, ScriptedServer } from '../support/scripted-server.ts'

type Schemas = components['schemas']

export const jobId = '018f2c5e-7b1a-7c3d-9e4f-0123456789ab'
export const SUBMIT = 'POST /jobs/{job}'
export const STATUS = 'GET /jobs/{job}/status'
/** The streams, of many jobs and of one: whichever is asked for is answered alike. */
export const EVENTS = 'GET /job(?:-events.*|s/{job}/events)'
/** The stream of many jobs alone, answered before {@link EVENTS} is. */
export const MANY_EVENTS = 'GET /job-events.*'
export const CANCEL = 'DELETE /jobs/{job}'

const at = '2026-01-02T03:04:05.678Z'

export function accepted(overrides: Partial<Schemas['AcceptedJob']> = {}): Schemas['AcceptedJob'] {
  const url = `https://elsewhere.example/jobs/${jobId}`
  return { jobId, statusUrl: `${url}/status`, eventsUrl: `${url}/events`, outcome: 'created', ...overrides }
}

export function job(status: Schemas['JobStatus'], version: number): Schemas['Job'] {
  return { jobId, type: 'accounts', status, version, createdAt: at, lastUpdatedAt: at, percentComplete: null }
}

export function failedProblem(version: number, title = 'It broke'): Schemas['FailedJobProblem'] {
  const problem = { type: 'about:blank', title, status: 422, code: 'job-failed', failureCode: 'handler-error' } as const
  const rest = {
    jobId,
    jobType: 'accounts',
    jobStatus: 'FAILED',
    version,
    createdAt: at,
    lastUpdatedAt: at,
    percentComplete: null,
  } as const
  return { ...problem, ...rest }
}

export function problem(status: number, code: Schemas['ProblemCode']): Schemas['Problem'] {
  return { type: 'about:blank', title: `Problem ${code}`, status, code }
}

export function snapshot(status: Schemas['JobStatus'], version: number): string {
  return frame('status', { jobId, status, version, lastUpdatedAt: at, percentComplete: null } as { version: number })
}

export function progress(percentComplete: number, version: number): string {
  const data = { jobId, status: 'PROCESSING', version, lastUpdatedAt: at, percentComplete }
  return frame('progress', data)
}

export function ending(event: 'complete' | 'cancelled', version: number): string {
  return frame(event, { jobId, version, lastUpdatedAt: at } as { version: number })
}

/** A service where everything goes well at once, but for what a test scripts otherwise. */
export async function serve(script: Script = {}): Promise<ScriptedServer> {
  const many = script[MANY_EVENTS]
  const server = await ScriptedServer.start({
    ...(many && { [MANY_EVENTS]: many }),
    [SUBMIT]: answer(202, accepted(), { 'Retry-After': '0' }),
    [EVENTS]: endedStream(snapshot('PROCESSING', 2), ending('complete', 3)),
    [STATUS]: answer(200, job('COMPLETED', 3)),
    [CANCEL]: answer(202, job('CANCELLED', 3)),
    ...script,
  })
  onTestFinished(() => server.close())
  return server
}

export function clientOf(server: ScriptedServer, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl: server.url, ...options })
}

/** What a promise rejects with; fails when it resolves. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It resolved')
}

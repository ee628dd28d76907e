import { preferredWait } from '../../server/http/prefer.ts'
import type { Job } from '../../server/job.ts'
import type { FakeJob } from './fake-job.ts'
import type { FakeRequest } from './fake-request.ts'

export interface FakeWait {
  readonly headers: { readonly 'Preference-Applied': string }
  /** Resolves when the job is as asked, is removed, or the time is over; also when the request or the server ends. */
  until(job: FakeJob, accept: (state: Job) => boolean): Promise<void>
}

/** What `Prefer: wait=n` asks for; undefined where it does not. */
export function beginWait(
  { header, signal }: FakeRequest,
  { maxWaitSeconds, closing }: { readonly maxWaitSeconds: number; readonly closing: AbortSignal },
): FakeWait | undefined {
  const seconds = preferredWait(header('Prefer'), maxWaitSeconds)
  if (seconds === undefined) return undefined
  return {
    headers: { 'Preference-Applied': `wait=${seconds}` },
    until: (job, accept) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          unwatch()
          for (const source of [signal, closing]) source.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, seconds * 1000)
        const unwatch = job.watch((state) => {
          if (state === null || accept(state)) done()
        })
        for (const source of [signal, closing]) source.addEventListener('abort', done)
        if (accept(job.state) || signal.aborted || closing.aborted) done()
      }),
  }
}

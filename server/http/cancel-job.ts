import type { Cancel } from '../jobs/cancel.ts'
import { jobView } from './job-view.ts'
import type { Reply } from './operation.ts'

type CancelReply = Extract<Reply<'cancelJob'>, { status: 202 }>

/** DELETE /jobs/{id}, and its alias DELETE /jobs/{id}/status. */
export function cancelJob(cancel: Cancel): (request: { path: { job: string } }) => Promise<CancelReply> {
  return async ({ path }) => ({
    status: 202,
    contentType: 'application/json',
    headers: {},
    body: jobView(await cancel(path.job)),
  })
}

import type { Request } from 'express'
import type { Cancel } from '../jobs/cancel.ts'
import type { Access } from './access.ts'
import { jobView } from './job-view.ts'
import type { Reply } from './operation.ts'

type CancelReply = Extract<Reply<'cancelJob'>, { status: 202 }>

/** DELETE /jobs/{id}, and its alias DELETE /jobs/{id}/status. */
export function cancelJob(
  cancel: Cancel,
  access: Access,
): (request: { path: { job: string }; req: Request }) => Promise<CancelReply> {
  return async ({ path, req }) => {
    if (access.asksPerJob) await access.job(req, 'cancel', path.job)
    const tenant = await access.tenant(req)
    const job = await cancel(path.job, tenant === undefined ? {} : { tenant })
    return { status: 202, contentType: 'application/json', headers: {}, body: jobView(job) }
  }
}

import type { Request } from 'express'
import type { operations } from '../../generated/openapi.ts'
import { ProblemError } from '../errors.ts'
import type { JobReporter } from '../handler.ts'
import { createReporter, type FindClaim, type ReportParts } from '../jobs/report.ts'
import type { Operation } from './operation.ts'

type Body<Id extends 'reportProgress' | 'completeJob' | 'failJob'> = NonNullable<
  operations[Id]['requestBody']
>['content']['application/json']

/** Bearer credentials (RFC 6750 section 2.1). */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i

/**
 * Speaks for a job with the token that its start handed out.
 * @returns the reply of a report: 204, or a problem that tells the worker to stop.
 */
export function reports(parts: ReportParts, find: FindClaim): Reports {
  const report = async (
    { path, req }: { path: { job: string }; req: Request },
    speak: (reporter: JobReporter) => Promise<boolean>,
  ): Promise<{ status: 204; headers: object }> => {
    const token = bearer.exec(req.get('authorization') ?? '')?.[1]
    if (token === undefined) {
      throw new ProblemError('report-token-required', { headers: { 'WWW-Authenticate': 'Bearer' } })
    }
    const claim = await find(path.job, token)
    if (claim === undefined) throw new ProblemError('job-not-found')
    const taken = await speak(createReporter(parts, claim.id, () => Promise.resolve(claim)))
    if (!taken) throw new ProblemError('report-refused', { jobId: claim.id })
    return { status: 204, headers: {} }
  }
  return {
    reportProgress: (request) =>
      report(request, ({ progress }) => progress((request.body as Body<'reportProgress'>).percentComplete)),
    completeJob: (request) =>
      report(request, ({ complete }) => complete((request.body as Body<'completeJob'> | undefined)?.output)),
    failJob: (request) =>
      report(request, ({ fail }) => {
        const { title, detail, failureCode: code } = request.body as Body<'failJob'>
        return fail({ title, ...(detail === undefined ? {} : { detail }), ...(code === undefined ? {} : { code }) })
      }),
  }
}

type Reports = { readonly [Id in 'reportProgress' | 'completeJob' | 'failJob']: Operation<Id> }

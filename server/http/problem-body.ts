import type { components } from '../../generated/openapi.ts'
import { type ProblemCode, type ProblemDetails, problems } from '../errors.ts'

/** The kind of problem, as a URN: no host is baked in. */
export const problemType = (code: ProblemCode): string => `urn:async-jobs:problem:${code}`

/** Seconds after which a request that met a passing fault may come again. */
export const retryAfterSeconds = 2

interface Refusal {
  readonly code: ProblemCode
  readonly details: ProblemDetails
}

/** A refusal as a problem (RFC 9457). */
export function problemBody(
  { code, details }: Refusal,
  instance: { readonly instance?: string },
): components['schemas']['Problem'] {
  const { title, status } = problems[code]
  const { detail, jobId, jobStatus, errors } = details
  return {
    type: problemType(code),
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...instance,
    ...(jobId === undefined ? {} : { jobId }),
    ...(jobStatus === undefined ? {} : { jobStatus }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  }
}

/** A path as the `instance` of a problem, where it is a well-formed URI reference. */
export function instanceAt(path: string): { instance?: string } {
  return /^\/(?!\/)(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/.test(path) ? { instance: path } : {}
}

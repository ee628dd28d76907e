import type { ErrorRequestHandler, Request, Response } from 'express'
import type { components } from '../../generated/openapi.ts'
import { type ProblemCode, ProblemError, problems, type RequestError } from '../errors.ts'
import type { Telemetry } from '../telemetry.ts'

type Problem = components['schemas']['Problem']

/** Where the kinds of problem are described; relative to the API, so that no host is baked in. */
export const problemType = (code: ProblemCode): string => `urn:async-jobs:problem:${code}`

/** Seconds after which a request that met a passing fault may come again. */
const retryAfterSeconds = 2

/** Ends the chain of the router: whatever was thrown becomes a problem (RFC 9457), never HTML, a stack or SQL. */
export function problemHandler(telemetry: Telemetry): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  // oxlint-disable-next-line max-params
  return (thrown: unknown, req, res, next) => {
    if (res.headersSent) return next(thrown)
    const error = toProblemError(thrown)
    const { status } = problems[error.code]
    if (status >= 500) {
      const { method, path } = req
      telemetry.emit('request:failed', { method, path, status, error: error.cause ?? thrown })
    }
    sendProblem(req, res, error)
  }
}

function sendProblem(req: Request, res: Response, { code, details }: ProblemError): void {
  const { title, status, retryable } = problems[code]
  const { detail, jobId, jobStatus, errors } = details
  const problem: Problem = {
    type: problemType(code),
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...instanceOf(req),
    ...(jobId === undefined ? {} : { jobId }),
    ...(jobStatus === undefined ? {} : { jobStatus }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  }
  if (retryable) res.setHeader('Retry-After', String(retryAfterSeconds))
  for (const [name, value] of Object.entries(details.headers ?? {})) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  writeBody(req, res, { status, contentType: 'application/problem+json', body: problem })
}

/** The path of the request, where it is a well-formed URI reference. */
export function instanceOf(req: Request): { instance?: string } {
  const [path = ''] = req.originalUrl.split('?')
  return /^\/(?!\/)(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/.test(path) ? { instance: path } : {}
}

/** Writes a complete JSON answer. */
export function writeBody(
  req: Request,
  res: Response,
  { status, contentType, body }: { status: number; contentType: string; body: unknown },
): void {
  const text = Buffer.from(JSON.stringify(body))
  res.statusCode = status
  res.setHeader('Content-Type', contentType)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', text.length)
  res.end(req.method === 'HEAD' ? undefined : text)
}

/** What body parsers, Express and the validator throw, by their public fields. */
interface HttpError extends Error {
  status?: number
  type?: string
  path?: string
  headers?: Record<string, string>
  errors?: { path?: string; message?: string }[]
}

/** Faults of body-parser, by the `type` that it documents. */
const bodyFaults: Readonly<Record<string, ProblemCode>> = {
  'entity.parse.failed': 'malformed-body',
  'entity.verify.failed': 'malformed-body',
  'entity.too.large': 'body-too-large',
  'encoding.unsupported': 'unsupported-media-type',
  'charset.unsupported': 'unsupported-media-type',
  'request.aborted': 'malformed-body',
  'request.size.invalid': 'malformed-body',
}

/** By the status of an error of the validator or of Express. */
const byStatus: Readonly<Record<number, ProblemCode>> = {
  400: 'invalid-request',
  404: 'route-not-found',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'unsupported-media-type',
}

function toProblemError(thrown: unknown): ProblemError {
  if (thrown instanceof ProblemError) return withTransportHeaders(thrown)
  if (thrown instanceof URIError) return new ProblemError('malformed-url')
  if (!(thrown instanceof Error)) return new ProblemError('internal-error', { cause: thrown })
  const { status, type, headers, errors = [] } = thrown as HttpError
  const bodyFault = bodyFaults[type ?? '']
  if (bodyFault !== undefined) return withTransportHeaders(new ProblemError(bodyFault))
  const code = byStatus[status ?? 500]
  if (code === undefined) return new ProblemError('internal-error', { cause: thrown })
  if (code !== 'invalid-request')
    return withTransportHeaders(new ProblemError(code, headers === undefined ? {} : { headers }))
  const parts = errors.map(toRequestError)
  return new ProblemError(code, parts.length === 0 ? {} : { errors: parts })
}

/** 415 names what is taken (RFC 9110 section 15.5.16); after 413 the rest of the body is not read. */
function withTransportHeaders(error: ProblemError): ProblemError {
  const headers = { ...error.details.headers }
  if (error.code === 'unsupported-media-type') headers['Accept'] ??= 'application/json'
  if (error.code === 'body-too-large') headers['Connection'] ??= 'close'
  return new ProblemError(error.code, { ...error.details, headers })
}

const parts: Readonly<Record<string, RequestError['in']>> = {
  body: 'body',
  headers: 'header',
  params: 'path',
  query: 'query',
}

/** The validator's paths are `/body/a/b`, `/headers/name`, `/params/name` and `/query/name`. */
function toRequestError({ path = '', message = 'is not valid' }: { path?: string; message?: string }): RequestError {
  const [, where = '', ...rest] = path.split('/')
  const part = parts[where] ?? 'path'
  const name = rest.join('/')
  return part === 'body'
    ? { in: part, pointer: `#${name === '' ? '' : `/${name}`}`, detail: message }
    : { in: part, name, detail: message }
}

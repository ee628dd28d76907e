import type { ErrorRequestHandler, Request, Response } from 'express'
import { type ProblemCode, ProblemError, problems, type RequestError } from '../errors.ts'
import type { Telemetry } from '../telemetry.ts'
import { instanceAt, problemBody, retryAfterSeconds } from './problem-body.ts'
import { endBeforeBody, leavesBody } from './unread-body.ts'
import { writeBody } from './write-body.ts'

/** Ends the chain of the router: whatever was thrown becomes a problem (RFC 9457), never HTML, a stack or SQL. */
export function problemHandler(telemetry: Telemetry): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  // oxlint-disable-next-line max-params
  return (thrown: unknown, req, res, next) => {
    if (res.headersSent) return next(thrown)
    const error = toProblemError(thrown, req)
    const { status } = problems[error.code]
    if (status >= 500) {
      const { method, path } = req
      telemetry.emit('request:failed', { method, path, status, error: error.cause ?? thrown })
    }
    sendProblem(req, res, error)
  }
}

function sendProblem(req: Request, res: Response, { code, details }: ProblemError): void {
  const { status, retryable } = problems[code]
  const problem = problemBody({ code, details }, instanceOf(req))
  if (retryable) res.setHeader('Retry-After', String(retryAfterSeconds))
  for (const [name, value] of Object.entries(details.headers ?? {})) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  const answer = { status, contentType: 'application/problem+json', body: problem }
  if (code === 'body-too-large' ? !req.complete : leavesBody(req)) return endBeforeBody(req, res, answer)
  req.resume()
  writeBody(req, res, answer)
}

/** The path of the request, where it is a well-formed URI reference. */
export function instanceOf(req: Request): { instance?: string } {
  const [path = ''] = req.originalUrl.split('?')
  return instanceAt(path)
}

/** What Express and the validator throw, by their public fields. */
interface HttpError extends Error {
  status?: number
  headers?: Record<string, string>
  errors?: { path?: string; message?: string }[]
}

/** By the status of an error of the validator or of Express. */
const byStatus: Readonly<Record<number, ProblemCode>> = {
  400: 'invalid-request',
  404: 'route-not-found',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'unsupported-media-type',
}

function toProblemError(thrown: unknown, req: Request): ProblemError {
  if (thrown instanceof ProblemError) return withTransportHeaders(thrown)
  if (thrown instanceof URIError) return new ProblemError('malformed-url')
  const { status = 500, headers = {}, errors = [] } = (thrown instanceof Error ? thrown : {}) as Partial<HttpError>
  const code = byStatus[status]
  if (code === undefined) return new ProblemError('internal-error', { cause: thrown })
  if (code !== 'invalid-request') return withTransportHeaders(new ProblemError(code, { headers }))
  const parts = errors.map(toRequestError)
  // But for a submit, which names a type, the path parameter is the id of a job, and what is no id is the id of no job.
  const submits = req.method === 'POST' && req.path.split('/').length === 3
  if (!submits && parts.some((part) => part.in === 'path')) return new ProblemError('job-not-found')
  return new ProblemError(code, parts.length === 0 ? {} : { errors: parts })
}

/** 415 names what is taken (RFC 9110 section 15.5.16); the validator's `Allow` does not know that HEAD goes with GET. */
function withTransportHeaders(error: ProblemError): ProblemError {
  const headers = { ...error.details.headers }
  if (error.code === 'unsupported-media-type') headers['Accept'] ??= 'application/json'
  if (headers['Allow'] !== undefined) headers['Allow'] = headers['Allow'].replace(/\bGET\b/, 'GET, HEAD')
  return new ProblemError(error.code, { ...error.details, headers })
}

const parts: Readonly<Record<string, RequestError['in']>> = {
  body: 'body',
  headers: 'header',
  params: 'path',
  query: 'query',
  // The validator says so of a member of the body whose name is empty.
  '': 'body',
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

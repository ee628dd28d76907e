import express, { type Request, type RequestHandler } from 'express'
import { ProblemError } from '../errors.ts'

/** Where the reader notes that a body was there: an empty one is parsed to `{}` by some versions of the parser. */
const present = Symbol('async-jobs body')

type WithBody = Request & { [present]?: boolean }

/**
 * Reads JSON, unless the application's own parser has done so already. Anything that JSON allows at the top is taken;
 * an inflated body counts with its inflated size.
 */
export function bodyReader(maxBytes: number): RequestHandler {
  const read = express.json({
    limit: maxBytes,
    strict: false,
    type: () => true,
    verify: (req, _res, bytes) => {
      if (bytes.length > 0) (req as WithBody)[present] = true
    },
  })
  return (req, res, next) => {
    if (isRead(req)) return next()
    read(req, res, next)
  }
}

/** An application's own parser has been here. */
function isRead(req: Request): boolean {
  return req.readableEnded || (req as { _body?: boolean })._body === true
}

/** Refuses bodies of other media types before anything parses them. Without a body the type means nothing. */
export const requireJson: RequestHandler = (req, _res, next) => {
  if (!hasBody(req)) return next()
  const [media = '', ...parameters] = (req.headers['content-type'] ?? '').split(';')
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/i.exec(text)?.[1]).find(Boolean)
  if (media.trim().toLowerCase() !== 'application/json') return next(new ProblemError('unsupported-media-type'))
  if (charset !== undefined && charset.trim().toLowerCase() !== 'utf-8') {
    return next(new ProblemError('unsupported-media-type', { detail: 'only UTF-8 is taken' }))
  }
  next()
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** The parsed body, or undefined when there was none. */
export function bodyOf(req: Request): unknown {
  const body: unknown = req.body
  if ((req as WithBody)[present] === true) return body
  // Parsed elsewhere, or not there: an empty object without a length is how some parsers say "none".
  const empty = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  return !hasBody(req) || (empty && req.headers['content-length'] === undefined) ? undefined : body
}

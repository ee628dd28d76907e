import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Request, RequestHandler } from 'express'
import { ProblemError } from '../errors.ts'

/** Where the reader notes that a body was there: an empty one is parsed to `{}` by some parsers of applications. */
const present = Symbol('async-jobs body')

type WithBody = Request & { [present]?: boolean; _body?: boolean }

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const codings: Readonly<Record<string, Inflate>> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
}

/** Refuses bodies of other media types before anything reads them. Without a body the type means nothing. */
export const requireJson: RequestHandler = (req, _res, next) => {
  if (!hasBody(req)) return next()
  const [media = '', ...parameters] = (req.headers['content-type'] ?? '').split(';')
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/i.exec(text)?.[1]).find(Boolean)
  if (media.trim().toLowerCase() !== 'application/json') return next(new ProblemError('unsupported-media-type'))
  if (charset !== undefined && !/^\s*utf-?8\s*$/i.test(charset)) {
    return next(new ProblemError('unsupported-media-type', { detail: 'only UTF-8 is taken' }))
  }
  next()
}

/**
 * Reads a JSON body into `req.body`, unless the application's own parser has done so already. It answers as soon as the
 * limit is passed, on the wire or inflated, where the usual parsers read such a body to its end first.
 */
export function bodyReader(maxBytes: number): RequestHandler {
  return (req, _res, next) => {
    const given: unknown = req.body
    if (isRead(req) && !Buffer.isBuffer(given)) return next()
    if (!isRead(req) && !hasBody(req)) return next()
    const read = async (): Promise<void> => {
      const coding = codingOf(req)
      const bytes = Buffer.isBuffer(given) ? given : await decode(await collect(req, maxBytes), coding, maxBytes)
      if (bytes.length > maxBytes) throw new ProblemError('body-too-large')
      ;(req as WithBody)[present] = bytes.length > 0
      req.body = bytes.length > 0 ? parse(bytes) : undefined
    }
    read().then(() => next(), next)
  }
}

/** The parsed body, or undefined when there was none. */
export function bodyOf(req: Request): unknown {
  const body: unknown = req.body
  if ((req as WithBody)[present] === true) return body
  // Parsed elsewhere, or not there: an empty object without a length is how some parsers say "none".
  const empty = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  return !hasBody(req) || (empty && req.headers['content-length'] === undefined) ? undefined : body
}

export function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** An application's own parser has been here. */
function isRead(req: Request): boolean {
  return req.readableEnded || (req as WithBody)._body === true
}

function codingOf(req: Request): Inflate | undefined {
  const name = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return undefined
  const coding = Object.hasOwn(codings, name) ? codings[name] : undefined
  if (coding !== undefined) return coding
  const headers = { 'Accept-Encoding': 'gzip, deflate, br' }
  throw new ProblemError('unsupported-media-type', { detail: 'the content coding is not known', headers })
}

/** Gathers the bytes as they come over the wire; rejects at the first one too many, and reads no further. */
function collect(req: Request, maxBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
    return Promise.reject(new ProblemError('body-too-large'))
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (error?: ProblemError): void => {
      req.off('data', take).off('end', done).off('error', broken).off('close', broken)
      if (error === undefined) return resolve(Buffer.concat(chunks, size))
      req.pause()
      reject(error)
    }
    const done = (): void => settle()
    const broken = (): void => settle(new ProblemError('malformed-body'))
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > maxBytes) settle(new ProblemError('body-too-large'))
      else chunks.push(chunk)
    }
    req.on('data', take).on('end', done).on('error', broken).on('close', broken)
  })
}

async function decode(bytes: Buffer, coding: Inflate | undefined, maxBytes: number): Promise<Buffer> {
  if (coding === undefined || bytes.length === 0) return bytes
  try {
    return await coding(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new ProblemError(tooLarge ? 'body-too-large' : 'malformed-body')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Anything that JSON allows at the top is taken. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw new ProblemError('malformed-body')
  }
}

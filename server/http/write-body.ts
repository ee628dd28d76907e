import type { Request, Response } from 'express'

export interface JsonAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: unknown
}

/** Writes a complete JSON answer. */
export function writeBody(req: Request, res: Response, answer: JsonAnswer): void {
  const text = writeHeaders(res, answer)
  res.end(req.method === 'HEAD' ? undefined : text)
}

/** @returns the text of the body, which is still to be written. */
export function writeHeaders(res: Response, { status, contentType, body }: JsonAnswer): Buffer {
  const text = Buffer.from(JSON.stringify(body))
  res.statusCode = status
  res.setHeader('Content-Type', contentType)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', text.length)
  return text
}

import type { Request, Response } from 'express'
import { hasBody } from './body.ts'
import { type JsonAnswer, writeHeaders } from './write-body.ts'

/** A body that is announced as no longer than this is read off by Node, and its connection serves on. */
const readOffBytes = 128 * 1024
/** How much more of a long body is taken, and for how long, before the connection is cut. */
const lingerBytes = 1024 * 1024
const lingerMs = 1_000

/** Whether a refused request has a body that is still coming and may be long, or endless. */
export function leavesBody(req: Request): boolean {
  if (req.complete || !hasBody(req)) return false
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length']) > readOffBytes
}

/**
 * Answers while the body is still coming, and then ends the connection. A client that is still sending would lose the
 * answer to a reset, so what it sends is taken and thrown away for a moment.
 */
export function endBeforeBody(req: Request, res: Response, answer: JsonAnswer): void {
  res.setHeader('Connection', 'close')
  res.write(writeHeaders(res, answer))
  let left = lingerBytes
  const end = (): void => {
    clearTimeout(timer)
    req.off('data', discard).off('end', end).off('close', end)
    res.end()
  }
  const discard = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) end()
  }
  const timer = setTimeout(end, lingerMs)
  req.on('data', discard).on('end', end).on('close', end).resume()
}

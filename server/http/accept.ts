import type { Request } from 'express'
import { ProblemError } from '../errors.ts'

/** Rejects a request whose `Accept` excludes what the operation answers with (RFC 9110 section 12.5.1). */
export function requireAcceptable(req: Request, mediaTypes: readonly string[]): void {
  const { accept } = req.headers
  if (accept === undefined || accept === '' || accept === '*/*') return
  if (req.accepts([...mediaTypes]) === false) {
    throw new ProblemError('not-acceptable', { detail: `this operation answers with ${mediaTypes.join(' or ')}` })
  }
}

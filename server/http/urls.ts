import type { Request } from 'express'
import { ProblemError } from '../errors.ts'

/** A name, an IPv4 address or a bracketed IPv6 address, with or without a port. */
const wellFormedHost = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/

/**
 * The absolute URL below which this router serves. Forwarded header fields count only as far as the application's
 * `trust proxy` says, and of a list only the first value.
 * @throws ProblemError `invalid-host` when there is no well-formed host to build it from.
 */
export function baseUrl(req: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const host = hostOf(req)
  const origin = `${req.protocol === 'https' ? 'https' : 'http'}://${host}`
  if (host === undefined || !wellFormedHost.test(host) || !URL.canParse(origin)) throw new ProblemError('invalid-host')
  return `${origin}${escapePath(req.baseUrl)}`
}

/** A mount path with parameters has what the client wrote, of which Node lets more pass than a URI may have. */
function escapePath(path: string): string {
  return path.replaceAll(/[^\w.~!$&'()*+,;=:@/%-]/g, (char) => `%${Buffer.from(char, 'latin1').toString('hex')}`)
}

function hostOf(req: Request): string | undefined {
  const trusts = req.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean
  const forwarded = req.headers['x-forwarded-host']
  if (typeof forwarded === 'string' && trusts(req.socket.remoteAddress, 0)) return forwarded.split(',')[0]?.trim()
  return req.headers.host
}

/** The URLs of one job. `Location` is the same as `statusUrl`. */
export function jobUrls(base: string, jobId: string): { statusUrl: string; eventsUrl: string } {
  return { statusUrl: `${base}/jobs/${jobId}/status`, eventsUrl: `${base}/jobs/${jobId}/events` }
}

import type { Request, RequestHandler } from 'express'

export interface User {
  readonly name: string
  readonly tenant: string
  readonly role: 'editor' | 'viewer'
}

const users = new WeakMap<Request, User>()

/** The user that {@link authenticate} found. Throws where there is none, so that nothing is served by mistake. */
export function userOf(req: Request): User {
  const user = users.get(req)
  if (user === undefined) throw new Error('the request has not been authenticated')
  return user
}

/** Workers report with the token of their job, which async-jobs checks itself; they are no users. */
const report = /^\/jobs\/[^/]+\/(progress|completion|failure)$/

/** Finds the user of a bearer token. Mounted where the router of async-jobs is, so that paths are the same. */
export function authenticate(tokens: ReadonlyMap<string, User>): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'POST' && report.test(req.path)) return next()
    const token = /^Bearer (\S+)$/i.exec(req.get('authorization') ?? '')?.[1]
    const user = token === undefined ? undefined : tokens.get(token)
    if (user !== undefined) {
      users.set(req, user)
      return next()
    }
    res.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'Who are you?' })
  }
}

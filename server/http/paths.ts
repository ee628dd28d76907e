import type { RequestHandler } from 'express'
import { ProblemError } from '../errors.ts'

/**
 * Lets the application keep the paths that are not of the document: they leave the router as they came. What is only
 * misspelt (another letter case, a doubled slash) stays, and is answered with a problem.
 * @param templates the path templates of the router.
 */
export function onlyOwnPaths(templates: readonly string[]): RequestHandler {
  const roots = new Set(templates.map((template) => template.split('/')[1]))
  const own = new RegExp(`^/+(?:${[...roots].join('|')})(?:/|$)`, 'i')
  return (req, _res, next) => (own.test(req.path) ? next() : next('router'))
}

/** Refuses percent escapes that are none, which routers throw at. */
export const requireWellFormedPath: RequestHandler = (req, _res, next) => {
  try {
    decodeURIComponent(req.path)
    next()
  } catch {
    next(new ProblemError('malformed-url'))
  }
}

/**
 * Refuses what is no path of a template, to the letter, before the validator sees it: that is laxer than the router about
 * a slash at the end and about letter case, and would answer for paths that are not served.
 */
export function requireKnownPath(templates: readonly string[]): RequestHandler {
  const known = new RegExp(`^(?:${templates.map((template) => template.replaceAll(/:\w+/g, '[^/]+')).join('|')})$`)
  return (req, _res, next) => next(known.test(req.path) ? undefined : new ProblemError('route-not-found'))
}

/** For an application that has nothing else to say about a path. */
export const refuseUnknownPath: RequestHandler = (_req, _res, next) => next(new ProblemError('route-not-found'))

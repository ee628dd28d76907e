import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, { type RequestHandler, type Router } from 'express'
import * as validator from 'express-openapi-validator'
import { document } from '../../generated/document.ts'

/**
 * Validates requests against the document, with express-openapi-validator. `servers: /` with `useRequestUrl` makes it
 * work below any mount path, and fail closed: an unknown path is 404.
 */
export function requestValidation(): RequestHandler[] {
  return validator.middleware({
    apiSpec: { ...structuredClone(document), servers: [{ url: '/' }] } as never,
    useRequestUrl: true,
    validateRequests: true,
    validateResponses: false,
    validateSecurity: false,
    validateApiSpec: false,
    fileUploader: false,
  })
}

/**
 * The validator keeps one compiled validator for each Content-Type that it ever saw, for ever. So what a client sends
 * there must not reach it: nothing where no body is read, the one media type where one is.
 */
export const normalizeContentType: RequestHandler = (req, _res, next) => {
  if (req.method === 'POST') req.headers['content-type'] = 'application/json'
  else delete req.headers['content-type']
  next()
}

/** The validator does not know HEAD; Node sends no body in answer to it whatever is written. */
export const headAsGet = (validate: RequestHandler): RequestHandler => {
  return (req, res, next) => {
    if (req.method !== 'HEAD') return void validate(req, res, next)
    req.method = 'GET'
    return void validate(req, res, (error?: unknown) => {
      req.method = 'HEAD'
      next(error)
    })
  }
}

/** One of each operation, so that the first real request meets compiled validators and a broken document stops the start. */
const samples: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/jobs/type'],
  ['DELETE', '/jobs/01890000-0000-7000-8000-000000000000'],
  ['GET', '/jobs/01890000-0000-7000-8000-000000000000/status'],
  ['DELETE', '/jobs/01890000-0000-7000-8000-000000000000/status'],
  ['GET', '/jobs/01890000-0000-7000-8000-000000000000/events'],
  ['GET', '/job-events?job=01890000-0000-7000-8000-000000000000'],
  ['POST', '/jobs/01890000-0000-7000-8000-000000000000/progress', { percentComplete: 0 }],
  ['POST', '/jobs/01890000-0000-7000-8000-000000000000/completion', {}],
  ['POST', '/jobs/01890000-0000-7000-8000-000000000000/failure', { title: 'warm-up' }],
  ['POST', '/job-batches', { jobs: [{ type: 'type' }] }],
]

/** Sends one request of each operation through the validator. Rejects when one is not let through. */
export async function warmUp(validate: readonly RequestHandler[]): Promise<void> {
  for (const [method, url, body] of samples) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    await pass(validate, Object.assign(new IncomingMessage(new Socket()), { method, url, headers, body }))
  }
}

function pass(validate: readonly RequestHandler[], req: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const router: Router = express.Router()
    for (const handler of validate) router.use(handler)
    const app = express().use(router)
    const done = (error?: unknown): void => (error === undefined ? resolve() : reject(error))
    app.use((_req, _res) => done())
    // oxlint-disable-next-line max-params
    app.use(((error: unknown, _req, _res, _next) => done(error)) as express.ErrorRequestHandler)
    app(req, new ServerResponse(req))
  })
}

import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express'
import type { Telemetry } from '../telemetry.ts'
import { requireAcceptable } from './accept.ts'
import { bodyOf, bodyReader, requireJson } from './body.ts'
import type { AnyReply, EventStreamBody, OperationId, OperationRequest, Operations } from './operation.ts'
import { onlyOwnPaths, requireKnownPath, requireWellFormedPath } from './paths.ts'
import { problemHandler } from './problem.ts'
import { headAsGet, normalizeContentType, requestValidation, warmUp } from './validation.ts'
import { writeBody } from './write-body.ts'

export interface RouterOptions {
  readonly operations: Operations
  readonly telemetry: Telemetry
  readonly maxBodyBytes: number
  /** The same for submitJobs, whose body has the inputs of many jobs. */
  readonly maxBatchBytes: number
}

export interface HttpRouter {
  readonly router: Router
  /** Compiles the validators before the first request. Rejects when the document is broken. */
  warmUp(): Promise<void>
}

type Method = 'get' | 'post' | 'delete'

/** Where each operation is served. A test compares this with the document. */
export const routes: { readonly [Id in OperationId]: readonly [Method, string] } = {
  submitJob: ['post', '/jobs/:job'],
  cancelJob: ['delete', '/jobs/:job'],
  getJobStatus: ['get', '/jobs/:job/status'],
  cancelJobByStatus: ['delete', '/jobs/:job/status'],
  streamJobEvents: ['get', '/jobs/:job/events'],
  streamEventsOfJobs: ['get', '/job-events'],
  reportProgress: ['post', '/jobs/:job/progress'],
  completeJob: ['post', '/jobs/:job/completion'],
  failJob: ['post', '/jobs/:job/failure'],
  submitJobs: ['post', '/job-batches'],
}

const json = ['application/json', 'application/problem+json']
const streaming: ReadonlySet<OperationId> = new Set(['streamJobEvents', 'streamEventsOfJobs'])

/** The router of the document. It works below any mount path, beside whatever middleware the application has. */
export function createRouter({ operations, telemetry, maxBodyBytes, maxBatchBytes }: RouterOptions): HttpRouter {
  const router = express.Router({ caseSensitive: true, strict: true })
  const validation = requestValidation()
  const templates = Object.values(routes).map(([, path]) => path)
  router.use(onlyOwnPaths(templates), requireWellFormedPath, requireKnownPath(templates))
  router.use(requireJsonOfPosts, readBodyOfPosts(maxBodyBytes, maxBatchBytes), normalizeContentType)
  for (const handler of validation) router.use(headAsGet(handler))
  for (const id of Object.keys(routes) as OperationId[]) {
    const [method, path] = routes[id]
    router[method](path, serve(operations, id))
  }
  router.use(problemHandler(telemetry))
  return { router, warmUp: () => warmUp(validation) }
}

const requireJsonOfPosts: RequestHandler = (req, res, next) =>
  req.method === 'POST' ? requireJson(req, res, next) : next()

function readBodyOfPosts(maxBytes: number, maxBatchBytes: number): RequestHandler {
  const [read, readBatch] = [bodyReader(maxBytes), bodyReader(maxBatchBytes)]
  const [, batches] = routes.submitJobs
  return (req, res, next) => {
    if (req.method !== 'POST') return next()
    return req.path === batches ? readBatch(req, res, next) : read(req, res, next)
  }
}

function serve(operations: Operations, id: OperationId): RequestHandler {
  const acceptable = streaming.has(id) ? ['text/event-stream'] : json
  const operation = operations[id] as unknown as (request: OperationRequest<OperationId>) => Promise<AnyReply>
  return (req: Request, res: Response, next: NextFunction) => {
    const run = async (): Promise<void> => {
      requireAcceptable(req, acceptable)
      const path = req.params as OperationRequest<OperationId>['path']
      const query = req.query as OperationRequest<OperationId>['query']
      const header = (name: string): string | undefined => req.get(name)
      send(req, res, await operation({ path, query, header, body: bodyOf(req), req }))
    }
    // Express 4 does not look at the promises of its handlers.
    run().catch(next)
  }
}

function send(req: Request, res: Response, reply: AnyReply): void {
  for (const [name, value] of Object.entries(reply.headers)) {
    if (typeof value === 'string' || typeof value === 'number') res.setHeader(name, value)
  }
  const { status, contentType } = reply
  if (contentType === undefined) {
    res.statusCode = status
    res.end()
  } else if (contentType === 'text/event-stream') {
    res.writeHead(status, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    res.flushHeaders()
    const stream = reply.body as EventStreamBody
    if (req.method !== 'HEAD') return stream.open()
    stream.discard()
    res.end()
  } else {
    writeBody(req, res, { status, contentType, body: reply.body })
  }
}

import { ProblemError, type RequestError } from '../../server/errors.ts'
import type { OperationId } from '../../server/http/reply.ts'
import { findRoute, type Operation, type Parameter, resolve, type Route } from '../contract/document.ts'
import { misfit } from '../contract/schemas.ts'

/** A request that fits the document. */
export interface FakeRequest {
  readonly operationId: OperationId
  /** The path parameter, which most operations have. */
  readonly job: string
  /** The query parameter of the one. */
  readonly jobs: readonly string[]
  readonly header: (name: string) => string | undefined
  /** The parsed body; undefined when there was none. */
  readonly body: unknown
  /** The absolute URL below which the fake serves. */
  readonly base: string
  readonly instance: string
  readonly signal: AbortSignal
}

const streaming: ReadonlySet<string> = new Set<OperationId>(['streamJobEvents', 'streamEventsOfJobs'])

/**
 * Reads a request as the document has it.
 * @param mountPath where the fake serves, without a slash at the end.
 * @throws ProblemError for what the server would refuse.
 */
export async function readRequest(request: Request, mountPath: string): Promise<FakeRequest> {
  const { origin, pathname, searchParams } = new URL(request.url)
  const path = pathname.startsWith(`${mountPath}/`) ? pathname.slice(mountPath.length) : ''
  const route = findRoute(path)
  if (route === undefined) throw new ProblemError('route-not-found')
  const operation = operationOf(route, request.method)
  const body = request.method === 'POST' ? await readBody(request) : undefined
  const values = readValues(operation, route, { query: searchParams, headers: request.headers })
  requireAcceptable(request.headers.get('accept'), operation.operationId)
  return {
    operationId: operation.operationId as OperationId,
    job: String(values.get('path job')),
    jobs: (values.get('query job') ?? []) as readonly string[],
    header: (name) => values.get(`header ${name}`) as string | undefined,
    body,
    base: `${origin}${mountPath}`,
    instance: pathname,
    signal: request.signal,
  }
}

function operationOf({ methods }: Route, method: string): Operation {
  const operation = methods[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (operation) return operation
  const allowed = Object.keys(methods).map((name) => name.toUpperCase())
  throw new ProblemError('method-not-allowed', { headers: { Allow: allowed.join(', ').replace('GET', 'GET, HEAD') } })
}

interface Sources {
  readonly query: URLSearchParams
  readonly headers: Headers
}

/** The parameters that the document declares, by place and name. */
function readValues(operation: Operation, route: Route, sources: Sources): ReadonlyMap<string, unknown> {
  const parameters = (operation.parameters ?? []).map((given) => resolve('parameters', given))
  const known = new Set(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name))
  const strange = [...sources.query.keys()].filter((name) => !known.has(name))
  const errors: RequestError[] = strange.map((name) => ({ in: 'query', name, detail: 'is not known' }))
  const values = new Map<string, unknown>()
  for (const parameter of parameters) {
    const { name, in: place, required, schema } = parameter
    const value = valueOf(parameter, route, sources)
    values.set(`${place} ${name}`, value)
    const missing = required === true ? 'is missing' : undefined
    const fault = value === undefined ? missing : misfit(value, schema)
    if (fault !== undefined) errors.push({ in: place, name, detail: fault })
  }
  if (errors.length === 0) return values
  // What is no id is the id of no job; a submit names a type there.
  const isNoId =
    strange.length === 0 && operation.operationId !== 'submitJob' && errors.some((one) => one.in === 'path')
  throw isNoId ? new ProblemError('job-not-found') : new ProblemError('invalid-request', { errors })
}

function valueOf({ name, in: place, schema }: Parameter, { params }: Route, { query, headers }: Sources): unknown {
  if (place === 'header') return headers.get(name) ?? undefined
  if (place === 'path') return decode(params[name] ?? '')
  const text = query.get(name)
  return schema.type === 'array' ? text?.split(',') : (text ?? undefined)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ProblemError('malformed-url')
  }
}

async function readBody(request: Request): Promise<unknown> {
  const text = await request.text()
  if (text === '') return undefined
  const [media = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (media.trim().toLowerCase() !== 'application/json') {
    throw new ProblemError('unsupported-media-type', { headers: { Accept: 'application/json' } })
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProblemError('malformed-body')
  }
}

function requireAcceptable(accept: string | null, operationId: string): void {
  const media = streaming.has(operationId) ? ['text/event-stream'] : ['application/json', 'application/problem+json']
  const ranges = (accept ?? '*/*').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase())
  const takes = (range: string): boolean =>
    range === '*/*' || media.some((one) => range === one || range === `${one.split('/')[0] ?? ''}/*`)
  if (!ranges.some(takes))
    throw new ProblemError('not-acceptable', { detail: `this operation answers with ${media.join(' or ')}` })
}

import { type Answer, eventsOf, findRoute, type Header, type Operation, resolve } from './document.ts'
import { misfit } from './schemas.ts'

/** A response, or an event of a stream, is not what the document says. The message says where. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** What a response was recognised as. */
export interface CheckedResponse {
  /** Undefined for a problem about what is no operation of the document. */
  readonly operationId: string | undefined
  readonly status: number
  /** The key of its answer in the document: the status, or the range that it is in. */
  readonly declaredAs: string | undefined
  /** The code, where the body is a problem. */
  readonly code: string | undefined
}

interface Problem {
  readonly status?: number
  readonly code?: string
}

/**
 * Checks one response of a server against openapi.yaml: that its status is declared, its header fields are there and of
 * the declared form, and its body fits. What is on no path of the document, or of a method that the path does not have,
 * must be a problem (RFC 9457). Consumes the body, but leaves that of an event stream alone: {@link checkEvent} is for
 * its events, and {@link checkedFetch} does all of it.
 * @param path below the path where the router is mounted, without the query.
 * @throws ContractError when the response is not of the document.
 */
export async function checkResponse(method: string, path: string, response: Response): Promise<CheckedResponse> {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = findRoute(path)?.methods[verb]
  const key = declaredAs(operation, response.status)
  const declared = operation?.responses[key]
  const what = `${method} ${path} ${response.status}`
  if (operation === undefined || declared === undefined) return checkProblemOutside(what, operation, response)
  const { status } = response
  const answer = resolve('responses', declared)
  checkHeaders(what, answer.headers ?? {}, response)
  const code = await checkBody(what, answer, response)
  return { operationId: operation.operationId, status, declaredAs: key, code }
}

/** A range of the document stands for its first status. */
function declaredAs(operation: Operation | undefined, status: number): string {
  const exact = String(status)
  return status === 200 && operation?.responses[exact] === undefined ? '2XX' : exact
}

/** @returns the code, where the body is a problem. */
async function checkBody(what: string, { content }: Answer, response: Response): Promise<string | undefined> {
  if (content === undefined) {
    if ((await response.text()) !== '') throw new ContractError(`${what} has a body`)
    return undefined
  }
  const media = mediaType(response)
  const declared = content[media]
  if (declared === undefined) throw new ContractError(`${what} answered ${media || 'no type'}`)
  if (media === 'text/event-stream' || what.startsWith('HEAD ')) return undefined
  const body = (await response.json()) as Problem
  checkFit(what, body, declared.schema.$ref ?? declared.schema)
  if (media !== 'application/problem+json') return undefined
  if (body.status !== response.status) throw new ContractError(`${what}: the problem says ${String(body.status)}`)
  return String(body.code)
}

/** A method or a path that the document does not have, and malformed URLs. */
async function checkProblemOutside(
  what: string,
  operation: Operation | undefined,
  response: Response,
): Promise<CheckedResponse> {
  const { status } = response
  const allowed = operation === undefined ? [400, 404, 405, 503] : []
  if (!allowed.includes(status)) throw new ContractError(`${what} is not declared`)
  if (mediaType(response) !== 'application/problem+json') throw new ContractError(`${what} is no problem`)
  if (status === 405 && !response.headers.has('allow')) throw new ContractError(`${what} has no Allow`)
  if (what.startsWith('HEAD ')) return { operationId: undefined, status, declaredAs: undefined, code: undefined }
  const body = (await response.json()) as Problem
  checkFit(what, body, '#/components/schemas/Problem')
  return { operationId: undefined, status, declaredAs: undefined, code: String(body.code) }
}

function checkHeaders(what: string, headers: Readonly<Record<string, Header>>, response: Response): void {
  for (const [name, given] of Object.entries(headers)) {
    const { required, schema } = resolve('headers', given)
    const value = response.headers.get(name)
    if (value !== null) checkFit(`${what}: ${name}`, schema.type === 'integer' ? Number(value) : value, schema)
    else if (required === true) throw new ContractError(`${what}: ${name} is missing`)
  }
}

/** One event of a stream, as a parser of server-sent events gives it. */
export interface SentEvent {
  readonly event?: string | undefined
  readonly id?: string | undefined
  /** The text of the field. */
  readonly data: string
}

/**
 * Checks one event of a stream: its name, its data, and that its `id` is the job's version.
 * @param template the path template of the stream: of one job, or of many jobs at `/job-events`.
 * @throws ContractError when the event is not of the document.
 */
export function checkEvent(
  event: SentEvent,
  template: '/jobs/{job}/events' | '/job-events' = '/jobs/{job}/events',
): void {
  const name = event.event ?? 'message'
  const schema = eventsOf(template)?.[name]
  if (schema === undefined) throw new ContractError(`${template} has no event ${name}`)
  const data = JSON.parse(event.data) as { version?: number }
  checkFit(`${template} ${name}`, data, schema.$ref)
  const id = name === 'end' ? 'end' : (data.version?.toString() ?? '')
  if ((event.id ?? '') !== id)
    throw new ContractError(`${template} ${name}: the id is ${event.id ?? 'missing'}, not ${id}`)
}

function checkFit(what: string, value: unknown, schema: object | string): void {
  const fault = misfit(value, schema)
  if (fault !== undefined) throw new ContractError(`${what}: ${fault}: ${JSON.stringify(value)}`)
}

export function mediaType(response: Response): string {
  return ((response.headers.get('content-type') ?? '').split(';')[0] as string).trim().toLowerCase()
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document } from '../../generated/document.ts'

interface Media {
  schema: object
  'x-events'?: Record<string, { $ref: string }>
}
interface Answer {
  $ref?: string
  headers?: Record<string, Header>
  content?: Record<string, Media>
}
interface Header {
  $ref?: string
  required?: boolean
  schema: { type: string }
}
interface DocumentedOperation {
  operationId: string
  responses: Record<string, Answer>
}
interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    responses: Record<string, Answer>
    headers: Record<string, Header>
    schemas: { ProblemCode: { enum: string[] } }
  }
}

const api = document as unknown as Document
const ajv = new Ajv2020({ strict: false, allErrors: true })
;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema(document, 'openapi')

const compiled = new Map<string, ValidateFunction>()

/** Validates a value against a place in the document; fails with what does not fit. */
export function expectFits(value: unknown, pointer: string): void {
  let validate = compiled.get(pointer)
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `openapi${pointer}` })
    compiled.set(pointer, validate)
  }
  if (!validate(value)) {
    throw new Error(`${JSON.stringify(value)} does not fit ${pointer}: ${ajv.errorsText(validate.errors)}`)
  }
}

const seen = new Set<string>()
const seenCodes = new Set<string>()

/** Every `operationId status` that a response has been checked for in this file. */
export function exercised(): ReadonlySet<string> {
  return seen
}

/** Every problem code that a response had that was checked in this file. */
export function exercisedCodes(): ReadonlySet<string> {
  return seenCodes
}

/** Every problem code of the document. */
export function declaredCodes(): string[] {
  return api.components.schemas.ProblemCode.enum
}

/** Every `operationId status` that the document declares. */
export function declared(): string[] {
  return Object.values(api.paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  )
}

/** Every operation of the document: its id, method and path template. */
export function operations(): { id: string; method: string; template: string }[] {
  return Object.entries(api.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ id: operationId, method, template })),
  )
}

/**
 * Checks a response against the document: its status, required headers, body. What is on no path of the document, or of
 * a method that it does not have, must be a problem.
 * @param path below the mount path, without the query.
 */
export async function checkResponse(method: string, path: string, response: Response): Promise<void> {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = findOperation(verb, path)
  const media = (response.headers.get('content-type') ?? '').split(';')[0] as string
  if (operation === undefined || operation.responses[String(response.status)] === undefined) {
    return expectProblemOutside(`${method} ${path}`, operation?.operationId, response)
  }
  const declaredAnswer = operation.responses[String(response.status)] as Answer
  const answer = resolve(declaredAnswer, api.components.responses)
  seen.add(`${operation.operationId} ${response.status}`)
  checkHeaders(`${method} ${path} ${response.status}`, answer.headers ?? {}, response)
  if (answer.content === undefined) {
    if ((await response.text()) !== '') throw new Error(`${method} ${path} ${response.status} has a body`)
    return
  }
  const content = answer.content[media]
  if (content === undefined) throw new Error(`${method} ${path} ${response.status} answered ${media || 'no type'}`)
  if (media === 'text/event-stream' || method === 'HEAD') return
  const body = (await response.json()) as { status?: number; code?: string }
  const pointer = (content.schema as { $ref: string }).$ref
  expectFits(body, pointer)
  if (media !== 'application/problem+json') return
  seenCodes.add(String(body.code))
  if (body.status !== response.status) {
    throw new Error(`the problem says ${body.status}, the response ${response.status}`)
  }
}

/** Checks one event of a stream: of one job, or of many at `/job-events`. */
export function checkEvent(
  event: { event?: string | undefined; id?: string | undefined; data: string },
  template = '/jobs/{job}/events',
): void {
  const events = api.paths[template]?.['get']?.responses['200']?.content?.['text/event-stream']?.['x-events']
  const name = event.event ?? 'message'
  const schema = events?.[name]
  if (schema === undefined) throw new Error(`the document has no event ${name}`)
  const data = JSON.parse(event.data) as { version?: number }
  expectFits(data, schema.$ref)
  const id = name === 'end' ? 'end' : data.version?.toString()
  if ((event.id ?? '') !== (id ?? '')) throw new Error(`the event's id is ${String(event.id)}, not ${String(id)}`)
}

async function expectProblemOutside(what: string, operationId: string | undefined, response: Response): Promise<void> {
  // A method or a path that the document does not have, and malformed URLs.
  const allowed = operationId === undefined ? [400, 404, 405, 503] : []
  if (!allowed.includes(response.status)) throw new Error(`${what}: ${response.status} is not declared`)
  if (response.headers.get('content-type') !== 'application/problem+json') throw new Error(`${what}: no problem`)
  if (response.status === 405 && !response.headers.has('allow')) throw new Error(`${what}: 405 without Allow`)
  if (what.startsWith('HEAD ')) return
  const problem = (await response.json()) as { code: string }
  expectFits(problem, '#/components/schemas/Problem')
  seenCodes.add(problem.code)
}

function checkHeaders(what: string, headers: Record<string, Header>, response: Response): void {
  for (const [name, given] of Object.entries(headers)) {
    const header = resolve(given, api.components.headers)
    const value = response.headers.get(name)
    if (value === null) {
      if (header.required === true) throw new Error(`${what}: ${name} is missing`)
      continue
    }
    const typed = header.schema.type === 'integer' ? Number(value) : value
    const validate = ajv.compile(header.schema)
    if (!validate(typed)) throw new Error(`${what}: ${name}: ${value} ${ajv.errorsText(validate.errors)}`)
  }
}

function findOperation(verb: string, path: string): DocumentedOperation | undefined {
  for (const [template, item] of Object.entries(api.paths)) {
    if (new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)) return item[verb]
  }
  return undefined
}

function resolve<T extends { $ref?: string }>(given: T, from: Record<string, T>): T {
  return given.$ref === undefined ? given : (from[given.$ref.split('/').at(-1) as string] as T)
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ProblemError } from '../errors.ts'
import { type AnyHandler, type JsonSchema } from '../handler.ts'
import { readRetry, type Retry } from './retry-options.ts'

/** Where a value does not fit its schema: a JSON pointer and a sentence. */
export interface SchemaError {
  readonly pointer: string
  readonly detail: string
}

type Validate = (value: unknown) => readonly SchemaError[]

/** A type of job with all that submits and attempts need of it. */
export interface RegisteredType {
  readonly name: string
  readonly handler: AnyHandler
  readonly retry: Retry
  readonly coalesce: 'join' | 'reject' | false | undefined
  readonly validateInput: Validate | undefined
  readonly validateOutput: Validate | undefined
}

const typeName = /^[A-Za-z0-9._-]{1,100}$/

/**
 * Indexes handlers by type.
 * @param mistakes receives a sentence for each handler that cannot be registered.
 */
export function registerHandlers(handlers: readonly AnyHandler[], mistakes: string[]): Map<string, RegisteredType> {
  const types = new Map<string, RegisteredType>()
  for (const handler of handlers) {
    const label = `handler ${JSON.stringify(handler.type)}`
    if (typeof handler.type !== 'string' || !typeName.test(handler.type)) {
      mistakes.push(`${label}: type: expected 1 to 100 of A-Z a-z 0-9 . _ -`)
    } else if (types.has(handler.type)) {
      mistakes.push(`${label}: type: registered twice`)
    }
    types.set(handler.type, register(handler, label, mistakes))
  }
  return types
}

/** Rejects with `unknown-type` what no handler is registered for. */
export function findType(types: ReadonlyMap<string, RegisteredType>, type: string): RegisteredType {
  const registered = types.get(type)
  if (registered !== undefined) return registered
  throw new ProblemError('unknown-type', { detail: `no handler is registered for the type ${JSON.stringify(type)}` })
}

function register(handler: AnyHandler, label: string, mistakes: string[]): RegisteredType {
  const retry = readRetry(handler.retry ?? {}, label, mistakes)
  const { start, handle } = handler as { start?: unknown; handle?: unknown }
  if ((typeof start === 'function') === (typeof handle === 'function')) {
    mistakes.push(`${label}: expected one function, either handle or start`)
  }
  if (![undefined, false, 'join', 'reject'].includes(handler.coalesce)) {
    mistakes.push(`${label}: coalesce: expected 'join', 'reject' or false, found ${JSON.stringify(handler.coalesce)}`)
  }
  const compiled = (field: 'inputSchema' | 'outputSchema'): Validate | undefined => {
    try {
      return handler[field] === undefined ? undefined : compile(handler[field])
    } catch (error) {
      mistakes.push(`${label}: ${field}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const [validateInput, validateOutput] = [compiled('inputSchema'), compiled('outputSchema')]
  return { name: handler.type, handler, retry, coalesce: handler.coalesce, validateInput, validateOutput }
}

/** One Ajv per schema, so that the `$id`s of different types cannot clash. */
function compile(schema: JsonSchema): Validate {
  const ajv = new Ajv2020({ allErrors: false, strict: false })
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  const validate: ValidateFunction = ajv.compile(schema)
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toSchemaError))
}

function toSchemaError({ instancePath, message, params }: ErrorObject): SchemaError {
  const extra = 'additionalProperty' in params ? `: ${JSON.stringify(params['additionalProperty'])}` : ''
  return { pointer: instancePath, detail: `${message ?? 'does not fit'}${extra}` }
}

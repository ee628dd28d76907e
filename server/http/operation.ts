import type { Request } from 'express'
import type { operations } from '../../generated/openapi.ts'
import type { OperationId, Reply } from './reply.ts'

export type { EventStreamBody, OperationId, Reply } from './reply.ts'

type Parameters<Id extends OperationId, Where extends string> = operations[Id]['parameters'] extends {
  [Key in Where]?: infer Value
}
  ? NonNullable<Value>
  : object

/** What an operation is called with, validated against the document. */
export interface OperationRequest<Id extends OperationId> {
  readonly path: Parameters<Id, 'path'>
  readonly query: Parameters<Id, 'query'>
  /** Header fields by their names in the document. */
  readonly header: (name: keyof Parameters<Id, 'header'> & string) => string | undefined
  /** The parsed body; undefined when there was none. */
  readonly body: unknown
  readonly req: Request
}

/** One operation of the document. It throws a ProblemError for every answer that is a mere problem. */
export type Operation<Id extends OperationId> = (request: OperationRequest<Id>) => Promise<Reply<Id>>

/** A reply of any operation, as it is written. */
export interface AnyReply {
  readonly status: number
  readonly contentType?: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** All of them: an operation that is added to the document and not here does not compile. */
export type Operations = { readonly [Id in OperationId]: Operation<Id> }

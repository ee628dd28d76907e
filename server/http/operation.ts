import type { Request } from 'express'
import type { operations } from '../../generated/openapi.ts'

export type OperationId = keyof operations

/** The named keys of a header type, without the index signature that the generator adds. */
type Named<Headers> = { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }

type ContentOf<Answer> = Answer extends { content: infer Content } ? Content : never
type HeadersOf<Answer> = Answer extends { headers: infer Headers } ? Named<Headers> : unknown

/** Header fields are written as text; numbers are what `Retry-After` is declared as. */
type Fields<Headers> = { [Name in keyof Headers]: Headers[Name] }

/** The events of one stream: text, pushed as it comes. */
export interface EventStreamBody {
  /** Runs the stream to its end. */
  open(): void
  /** Lets go of what was held for a stream that is not opened. */
  discard(): void
}

/** The body of each media type: a stream is pushed, problems are thrown as ProblemError unless they are a resource. */
type Bodies<Status, Answer, Content> = {
  [Media in keyof Content]: {
    readonly status: Status
    readonly contentType: Media
    readonly headers: Fields<HeadersOf<Answer>>
    readonly body: Media extends 'text/event-stream' ? EventStreamBody : Content[Media]
  }
}[keyof Content]

type Bodiless<Status, Answer> = {
  readonly status: Status
  readonly headers: Fields<HeadersOf<Answer>>
  readonly contentType?: never
  readonly body?: never
}

/**
 * What an operation may answer, from its responses in the document: a status that is not declared, a required header
 * that is missing or a body of another shape does not compile.
 */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: [ContentOf<operations[Id]['responses'][Status]>] extends [never]
    ? Bodiless<Status, operations[Id]['responses'][Status]>
    : Bodies<Status, operations[Id]['responses'][Status], ContentOf<operations[Id]['responses'][Status]>>
}[keyof operations[Id]['responses']]

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

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

/** What is sent for a status of the document; of the range of success, its first one. */
type Sent<Status> = Status extends '2XX' ? 200 : Status

/** The body of each media type: a stream is pushed, problems are thrown as ProblemError unless they are a resource. */
type Bodies<Status, Answer, Stream, Content = ContentOf<Answer>> = {
  [Media in keyof Content]: {
    readonly status: Sent<Status>
    readonly contentType: Media
    readonly headers: Fields<HeadersOf<Answer>>
    readonly body: Media extends 'text/event-stream' ? Stream : Content[Media]
  }
}[keyof Content]

type Bodiless<Status, Answer> = {
  readonly status: Sent<Status>
  readonly headers: Fields<HeadersOf<Answer>>
  readonly contentType?: never
  readonly body?: never
}

/**
 * What an operation may answer, from its responses in the document: a status that is not declared, a required header
 * that is missing or a body of another shape does not compile.
 */
export type Reply<Id extends OperationId, Stream = EventStreamBody> = {
  [Status in keyof operations[Id]['responses']]: [ContentOf<operations[Id]['responses'][Status]>] extends [never]
    ? Bodiless<Status, operations[Id]['responses'][Status]>
    : Bodies<Status, operations[Id]['responses'][Status], Stream>
}[keyof operations[Id]['responses']]

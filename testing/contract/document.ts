import { document } from '../../generated/document.ts'

export interface Media {
  readonly schema: { readonly $ref?: string }
  readonly 'x-events'?: Readonly<Record<string, { readonly $ref: string }>>
}

export interface Header {
  readonly $ref?: string
  readonly required?: boolean
  readonly schema: { readonly type: string }
}

export interface Answer {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: { readonly type: string }
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, Answer>>
}

interface Components {
  readonly responses: Readonly<Record<string, Answer>>
  readonly headers: Readonly<Record<string, Header>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly schemas: { readonly ProblemCode: { readonly enum: readonly string[] } }
}

const { paths, components } = document as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Components
}

/** The part of the document that a `$ref` to one of its components names. */
export function resolve<Kind extends 'responses' | 'headers' | 'parameters'>(
  kind: Kind,
  given: Components[Kind][string],
): Components[Kind][string] {
  const name = given.$ref?.split('/').at(-1)
  return name === undefined ? given : (components[kind][name] as Components[Kind][string])
}

/** Every operation of the document: its id, its method in lower case, and its path template. */
export function operations(): { id: string; method: string; template: string }[] {
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ id: operationId, method, template })),
  )
}

/** Every `operationId status` that the document declares. */
export function declaredAnswers(): string[] {
  return Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  )
}

/** Every problem code of the document. */
export function declaredCodes(): readonly string[] {
  return components.schemas.ProblemCode.enum
}

/** A path of the document that a request is on. */
export interface Route {
  readonly template: string
  /** By method, in lower case. */
  readonly methods: Readonly<Record<string, Operation>>
  /** The path parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>
}

/** The route of a path below the mount path, without its query; undefined where the document has none. */
export function findRoute(path: string): Route | undefined {
  for (const [template, methods] of Object.entries(paths)) {
    const found = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)
    if (found) return { template, methods, params: { ...found.groups } }
  }
  return undefined
}

/** The schema of each event of the stream at a path template, by the event's name. */
export function eventsOf(template: string): Media['x-events'] {
  return paths[template]?.['get']?.responses['200']?.content?.['text/event-stream']?.['x-events']
}

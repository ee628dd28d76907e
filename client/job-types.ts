import type { components } from '../generated/openapi.ts'

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never
type InputOf<Post> = Post extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never
type IsRequired<Post> = Post extends { requestBody: infer Body } ? ([Body] extends [never] ? false : true) : false
type OutputOf<Post> = Post extends { responses: { 200: infer Answer } }
  ? Json<Answer> extends { output?: infer Output }
    ? Output
    : unknown
  : unknown

/** The name in a path `…/jobs/{name}` that is written out; a parameter names nothing. */
type NameIn<Path> = Path extends `${string}/jobs/${infer Name}`
  ? Name extends `${string}/${string}` | `{${string}}`
    ? never
    : Name
  : never

type Named<Paths> = {
  [Path in keyof Paths as Paths[Path] extends { post: object } ? NameIn<Path> : never]: Paths[Path] extends {
    post: infer Post
  }
    ? { input: InputOf<Post>; inputRequired: IsRequired<Post>; output: OutputOf<Post> }
    : never
}

/** What is known of a type of job. */
export interface JobType {
  readonly input: unknown
  readonly inputRequired: boolean
  readonly output: unknown
}

/** The types of job of a document that names none: any text, and any JSON. */
interface AnyJobs {
  readonly [type: string]: {
    readonly input: components['schemas']['JobInput']
    readonly inputRequired: false
    readonly output: unknown
  }
}

/**
 * The types of job that a document names, from its `paths` as openapi-typescript writes them: each path that ends in
 * `/jobs/{name}`, with `{name}` written out, and has a `post`. The request body is the input, and `output` of the body of
 * its 200 is the output.
 */
export type JobsOf<Paths> = [keyof Named<Paths>] extends [never] ? AnyJobs : Named<Paths>

export type TypeOf<Jobs> = keyof Jobs & string

/** The output of a type; unknown for none in particular. */
export type OutputIn<Jobs, Type> = [Type] extends [never]
  ? unknown
  : Type extends keyof Jobs
    ? Jobs[Type] extends { output: infer Output }
      ? Output
      : unknown
    : unknown

import type { JobsOf, SubmitArguments } from '../index.ts'
import { useJob, type UseJobOptions, type UseJobResult } from './use-job.ts'

type OutputOf<Job> = Job extends { output: infer Output } ? Output : unknown

/** A `useJob` for the types of job that a document names. */
export type UseJob<Paths> = <Type extends keyof JobsOf<Paths> & string>(
  type: Type,
  options?: UseJobOptions,
) => UseJobResult<OutputOf<JobsOf<Paths>[Type]>, SubmitArguments<JobsOf<Paths>[Type]>>

/**
 * `useJob` with the types of job, their inputs and outputs from the `paths` that openapi-typescript made of your own
 * document, as `createClient<paths>()` has them. Call it once, outside of any component.
 */
export function createUseJob<Paths>(): UseJob<Paths> {
  // The types of the document are a promise of its author: at run time there is one hook for all.
  return useJob as unknown as UseJob<Paths>
}

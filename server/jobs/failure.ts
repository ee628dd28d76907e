import type { JobFailure } from '../job.ts'

/** What a client reads where a handler said nothing for clients. */
export const genericTitle = 'The job failed'

/** The words of a failure, with sentences of ours where they are blank. */
export function toFailure(given: { code?: string; title: string; detail?: string | undefined }): JobFailure {
  const { code, title, detail } = given
  return {
    code: readable(code) ?? 'handler-error',
    title: readable(title) ?? genericTitle,
    ...(readable(detail) === undefined ? {} : { detail: readable(detail) as string }),
  }
}

/** PostgreSQL cannot store NUL, and nobody reads a blank or an endless text. */
function readable(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const clean = text.replaceAll('\0', '').trim().slice(0, 2_000)
  return clean === '' ? undefined : clean.toWellFormed()
}

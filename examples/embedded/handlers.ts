import { type AnyHandler, defineHandler } from 'async-jobs/server'
import type { Pool } from 'pg'
import { refreshPrices } from './products.ts'

/** What whoever imports is told: what to do, and the token to report with. */
export interface Import {
  readonly jobId: string
  readonly tenant: string
  readonly reportToken: string
  readonly input: { readonly url: string }
}

export interface HandlerParts {
  readonly pool: Pool
  readonly startImport: (message: Import) => Promise<void> | void
}

/** `prices` runs here, `import` is only started here. */
export function createHandlers({ pool, startImport }: HandlerParts): AnyHandler[] {
  return [
    defineHandler({ type: 'prices', handle: ({ tenant }) => refreshPrices(pool, tenant) }),
    defineHandler<Import['input']>({
      type: 'import',
      coalesce: 'join',
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['url'],
        properties: { url: { type: 'string' } },
      },
      outputSchema: { type: 'object', required: ['rows'], properties: { rows: { type: 'integer' } } },
      start: ({ jobId, tenant, reportToken, input }) => startImport({ jobId, tenant, reportToken, input }),
    }),
  ]
}

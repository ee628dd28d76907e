import { type AsyncJobs, createAsyncJobs, type Logger } from 'async-jobs/server'
import express, { type Express } from 'express'
import helmet from 'helmet'
import type { Pool } from 'pg'
import { authenticate, type User, userOf } from './auth.ts'
import { createHandlers, type Import } from './handlers.ts'
import { productRoutes } from './products.ts'

export interface Parts {
  readonly pool: Pool
  /** Who may call, by bearer token. */
  readonly tokens: ReadonlyMap<string, User>
  /** Starts an import somewhere else. */
  readonly startImport: (message: Import) => Promise<void> | void
  readonly logger?: Logger
}

/** An application of one's own with async-jobs in it. Nothing runs until `asyncJobs.start()`. */
export function createApp({ pool, tokens, startImport, logger }: Parts): { app: Express; asyncJobs: AsyncJobs } {
  const asyncJobs = createAsyncJobs({
    pool,
    handlers: createHandlers({ pool, startImport }),
    freshness: { enabled: true, perType: { prices: 'PT10M' } },
    tenantOf: (req) => userOf(req).tenant,
    authorize: (req, action) => userOf(req).role === 'editor' || action === 'read' || action === 'watch',
    callerOf: (req) => `${userOf(req).tenant}/${userOf(req).name}`,
    ...(logger === undefined ? {} : { logger }),
  })
  const app = express()
  app.use(helmet())
  app.use('/api/v1', authenticate(tokens))
  app.use('/api/v1', asyncJobs.router)
  // What reads or validates every body comes after the router, which reads and validates its own.
  app.use(express.json({ limit: '1mb' }))
  app.use('/api/v1', productRoutes({ pool, asyncJobs }))
  return { app, asyncJobs }
}

import type { Express } from 'express'
import type { Pool } from 'pg'
import type { AnyHandler } from './handler.ts'
import type { AsyncJobs } from './assembly.ts'
import type { AsyncJobsOptions } from './service.ts'
import type { Logger } from './telemetry.ts'

/** What a module gives the runnable server, as its default export. */
export interface Application {
  readonly handlers: readonly AnyHandler[] | ((resources: { pool: Pool }) => readonly AnyHandler[])
  /** Settings that differ from the defaults. */
  readonly settings?: Omit<AsyncJobsOptions, 'pool' | 'handlers' | 'logger' | 'onEvent' | 'clock'>
  /** Prepares the application's own tables; called before jobs run. */
  readonly prepare?: (resources: { pool: Pool }) => Promise<void>
  /** Adds the application's own routes beside `/jobs`. */
  readonly routes?: (app: Express, resources: { pool: Pool; asyncJobs: AsyncJobs; log: Logger }) => void
}

/** Gives an application its types. */
export function defineApplication(application: Application): Application {
  return application
}

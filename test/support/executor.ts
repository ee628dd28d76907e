import type { AnyHandler } from '../../server/index.ts'
import { type AppOptions, startApp, type TestApp } from './app.ts'
import type { TestDatabase } from './database.ts'

/** Runs a body with an app of these handlers, and closes the app whatever happens. */
export async function withApp<T>(
  database: TestDatabase,
  { handlers, ...options }: Partial<AppOptions> & { handlers: readonly AnyHandler[] },
  body: (app: TestApp) => Promise<T>,
): Promise<T> {
  const app = await startApp({ pool: database.pool(), handlers, ...options })
  try {
    return await body(app)
  } finally {
    await app.close()
  }
}

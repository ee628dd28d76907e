import { inject, vi } from 'vitest'
import { asAdmin, type TestDatabase } from './database.ts'

/** Cuts every session of a database and lets nobody in, until {@link reopen}. */
export async function shut(database: TestDatabase): Promise<void> {
  await asAdmin(inject('postgres').adminUrl, async (admin) => {
    await admin.query(`ALTER DATABASE ${nameOf(database)} WITH ALLOW_CONNECTIONS false`)
    const cut = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1'
    await admin.query(cut, [nameOf(database)])
  })
}

/** Resolves when the database can be reached again: a pooler that was refused waits a moment before it tries anew. */
export async function reopen(database: TestDatabase): Promise<void> {
  const { adminUrl } = inject('postgres')
  await asAdmin(adminUrl, (admin) => admin.query(`ALTER DATABASE ${nameOf(database)} WITH ALLOW_CONNECTIONS true`))
  await vi.waitFor(() => asAdmin(database.url, (client) => client.query('SELECT 1')), { timeout: 5_000 })
}

export function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1)
}

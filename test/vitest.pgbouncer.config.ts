import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The integration suite through a pooler that shares sessions; test/suites/pgbouncer.ts starts it. */
export default defineConfig({
  resolve: {
    alias: { 'async-jobs/server': `${root}server/index.ts`, 'async-jobs/client': `${root}client/index.ts` },
  },
  test: {
    name: 'pgbouncer',
    root,
    include: ['test/**/*.test.ts', 'test/**/*.pgbouncer.ts'],
    exclude: [
      'test/**/*.unit.test.ts',
      // What these show is LISTEN and NOTIFY, which such a pooler does not carry; *.pgbouncer.ts shows what serves then.
      'test/**/hints.test.ts',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

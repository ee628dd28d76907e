import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The examples import the package by its name; tests run them against the sources, not against the last build. */
const alias = {
  'async-jobs/server': `${root}server/index.ts`,
  'async-jobs/client': `${root}client/index.ts`,
}

export default defineConfig({
  test: {
    root,
    projects: [
      {
        test: { name: 'unit', root, include: ['test/**/*.unit.test.ts'] },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          root,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.unit.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The checks that need a Chromium, apart from `npm test`, which needs nothing but Node. Run a build first. */
export default defineConfig({
  test: {
    name: 'browser',
    root,
    include: ['test/**/*.browser.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

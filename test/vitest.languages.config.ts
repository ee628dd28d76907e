import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Clients that other generators make of the document, in four languages. */
export default defineConfig({
  test: {
    name: 'languages',
    root,
    include: ['test/**/*.languages.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})

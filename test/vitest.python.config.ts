import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (entry: string): string => fileURLToPath(new URL(`../${entry}/index.ts`, import.meta.url))

/** The checks that need a python3, apart from `npm test`, which needs nothing but Node. */
export default defineConfig({
  resolve: { alias: { 'async-jobs/server': source('server'), 'async-jobs/client': source('client') } },
  test: {
    name: 'python',
    root,
    include: ['test/**/*.python.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

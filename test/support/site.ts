import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import express from 'express'
import { build } from 'vite'

export interface Site {
  readonly url: string
  close(): Promise<void>
}

/** Builds the page of a folder, with React as in development (its StrictMode does nothing in production), and serves it. */
export async function buildSite(root: string): Promise<Site> {
  const outDir = await mkdtemp(join(tmpdir(), 'async-jobs-site-'))
  await build({
    root,
    configFile: false,
    mode: 'development',
    logLevel: 'warn',
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { outDir, emptyOutDir: true, minify: false },
  })
  const server = createServer(express().use(express.static(outDir)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await rm(outDir, { recursive: true, force: true })
    },
  }
}

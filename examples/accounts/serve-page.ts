import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type Express } from 'express'

const pageFolder = fileURLToPath(new URL('page', import.meta.url))

/** What the page's import map names. A browser loads these files as they are installed, without a bundler. */
const modules = ['async-jobs/client', 'eventsource-parser']

/** Serves the page at `/`, its files below `/page`, and below `/modules` what it imports. */
export function servePage(app: Express): void {
  const html = readFileSync(join(pageFolder, 'index.html'), 'utf8')
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': contentSecurityPolicy(html),
    'X-Content-Type-Options': 'nosniff',
  }
  app.get('/', (_req, res) => void res.set(headers).type('html').send(html))
  app.use('/page', express.static(pageFolder, { index: false }))
  for (const name of modules) {
    app.use(`/modules/${name}`, express.static(dirname(fileURLToPath(import.meta.resolve(name)))))
  }
}

/** Lets nothing run but the page's own files and its one inline script, the import map. */
function contentSecurityPolicy(html: string): string {
  const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(html)?.[1]
  if (importMap === undefined) throw new Error('index.html has no import map')
  // A browser hashes what it has parsed, and parsing makes every line end LF.
  const hash = createHash('sha256').update(importMap.replaceAll('\r\n', '\n')).digest('base64')
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

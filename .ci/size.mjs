// What a page loads of the client, minified and gzipped: at first, and in all once it waits for a job.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const budgets = { 'client entry': 6_000, 'client with streams': 8_200 }
const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', platform: 'browser', write: false }

/** Bytes of the entry and of what it imports at once; everything else is loaded when a wait begins. */
async function measure(splitting) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: ['client/index.ts'],
    splitting,
    outdir: 'out',
    metafile: true,
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [path.split('/').pop(), text]))
  const wanted = new Set(['index.js'])
  for (const name of wanted) {
    for (const [, chunk] of texts.get(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) wanted.add(chunk)
  }
  return [...wanted].reduce((sum, name) => sum + gzipSync(texts.get(name), { level: 9 }).length, 0)
}

const sizes = { 'client entry': await measure(true), 'client with streams': await measure(false) }
for (const [name, bytes] of Object.entries(sizes)) {
  console.log(`${name}: ${bytes} of ${budgets[name]} bytes, minified and gzipped`)
  if (bytes > budgets[name]) process.exitCode = 1
}

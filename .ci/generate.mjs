// Makes generated/ from openapi.yaml and schema/*.sql. With --check it writes nothing and fails on a difference.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import { parse } from 'yaml'

const root = new URL('../', import.meta.url)
const check = process.argv.includes('--check')
const banner = (source) => `// Made by \`npm run generate\` from ${source}. Do not edit.\n`

const document = readFileSync(new URL('openapi.yaml', root), 'utf8')
const scripts = readdirSync(new URL('schema/', root))
  .filter((name) => /^\d{4}_.+\.sql$/.test(name))
  .sort()
const migrations = scripts.map((name) => ({
  version: Number(name.slice(0, 4)),
  name,
  sql: readFileSync(new URL(`schema/${name}`, root), 'utf8'),
}))

const files = {
  'generated/openapi.ts':
    banner('openapi.yaml') + astToString(await openapiTS(new URL('openapi.yaml', root), { alphabetize: true })),
  'generated/document.ts':
    banner('openapi.yaml') +
    `/** The OpenAPI document as data, so that nothing reads a file at run time. */\n` +
    `export const document: Record<string, unknown> = ${JSON.stringify(parse(document), null, 2)}\n`,
  'generated/schema.ts':
    banner('schema/*.sql') +
    `/** The reference DDL, oldest first. */\n` +
    `export const migrations: ReadonlyArray<{ readonly version: number; readonly name: string; readonly sql: string }> = ` +
    `${JSON.stringify(migrations, null, 2)}\n`,
}

const stale = Object.entries(files).filter(([name, text]) => {
  try {
    return readFileSync(new URL(name, root), 'utf8') !== text
  } catch {
    return true
  }
})
if (check && stale.length > 0) {
  console.error(`out of step with its source: ${stale.map(([name]) => name).join(', ')}; run \`npm run generate\``)
  process.exit(1)
}
for (const [name, text] of stale) writeFileSync(fileURLToPath(new URL(name, root)), text)
console.log(stale.length === 0 ? 'generated code is in step' : `wrote ${stale.map(([name]) => name).join(', ')}`)

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { installPython, run } from '../../support/tools.ts'

const version = '4.32.5'
const config = 'test/server/http/schemathesis.toml'
/** Another one finds other requests; the same one finds the same again. */
const seed = process.env['AJ_TEST_SEED'] ?? '20261201'

let database: TestDatabase
let app: TestApp
let folder: string

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({ type: 'short', handle: ({ sleep }) => sleep(300) }),
  defineHandler<unknown>({ type: 'echo', inputSchema: {}, outputSchema: {}, handle: ({ input }) => input }),
  defineHandler({
    type: 'fails',
    handle: () => {
      throw new JobFailureError({ title: 'The file is empty', code: 'empty-file' })
    },
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'async-jobs-contract-'))
  app = await startApp({ pool: database.pool(), handlers, http: { maxWait: 'PT1S' } })
})
afterAll(async () => {
  await app?.close()
  await rm(folder, { recursive: true, force: true })
  await database?.drop()
})

interface Stream {
  schema?: object
  itemSchema?: object
  'x-events': Record<string, object>
}

interface Document {
  paths: Record<string, { get?: { responses: Record<string, { content?: { 'text/event-stream'?: Stream } }> } }>
  components: { parameters: { JobType: { schema: object } } }
}

/** What the tool holds each parsed event against, made of what the document says of the events of a stream. */
function eventSchema(events: Stream['x-events']): object {
  const oneOf = Object.entries(events).map(([name, contentSchema]) => ({
    type: 'object',
    required: ['event', 'data'],
    properties: {
      event: { enum: [name] },
      id: { type: 'string' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
    },
  }))
  return { oneOf }
}

/**
 * The document as an application of these types would publish it: it names them. The tool would hold each event against the
 * schema of the stream, which is that of its whole text.
 */
async function writeDocument(): Promise<string> {
  const document = parse(await readFile('openapi.yaml', 'utf8')) as Document
  document.components.parameters.JobType.schema = { type: 'string', enum: handlers.map(({ type }) => type) }
  for (const { get } of Object.values(document.paths)) {
    const stream = get?.responses['200']?.content?.['text/event-stream']
    if (stream === undefined) continue
    delete stream.schema
    stream.itemSchema = eventSchema(stream['x-events'])
  }
  const file = join(folder, 'openapi.yaml')
  await writeFile(file, stringify(document, { aliasDuplicateObjects: false }))
  return file
}

it('answers whatever the document allows, and refuses the rest, as the document says; never 5xx', async () => {
  const schemathesis = await installPython('schemathesis', version)
  // A cancelled job stays readable: DELETE cancels the work, it does not delete the resource.
  const checks = ['--checks', 'all', '--exclude-checks', 'use_after_free', '--continue-on-failure']
  // So many for each operation and phase: with a budget of time alone, another machine would send other requests.
  const bounds = ['--request-timeout', '10', '--max-time', '240', '--max-examples', '5']
  const reproducible = ['--seed', seed, '--generation-database', 'none', '--workers', '1', '--no-color']
  const { code, output } = await run(
    [schemathesis, '--config-file', resolve(config), 'run', await writeDocument(), '--url', app.url].concat(
      checks,
      bounds,
      reproducible,
    ) as [string, ...string[]],
    { cwd: folder, env: { NO_COLOR: '1' } },
  )
  console.log(output)
  expect(code, `seed ${seed}`).toBe(0)
  // The bound on time could otherwise end it before the chains of requests, or with links that nothing has followed.
  expect(output).toMatch(/API Links: +(\d+) covered \/ \1 selected/)
  expect(app.events.filter(({ name }) => name === 'request:failed')).toEqual([])
})

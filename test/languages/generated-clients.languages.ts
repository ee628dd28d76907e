import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { mustRun } from '../support/tools.ts'
import { commands, generate, type Language } from './generators.ts'

let database: TestDatabase
let app: TestApp
/** Outside of node_modules, for which compilers of TypeScript write nothing. */
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'async-jobs-languages-'))
  app = await startApp({
    pool: database.pool(),
    retryAfterSeconds: 1,
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
      defineHandler({
        type: 'fails',
        handle: () => {
          throw new JobFailureError({ title: 'The file is empty', code: 'empty-file' })
        },
      }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await rm(folder, { recursive: true, force: true })
  await database?.drop()
})

const languages: [name: string, language: Language, shown: string][] = [
  ['Python', 'python', 'python/story.py'],
  ['Go', 'go', 'go/jobs.go'],
  ['Java', 'java', 'java/Jobs.java'],
  ['TypeScript', 'typescript', 'typescript/story.mts'],
]

describe.each(languages)('a client that is generated for %s, unedited', (_name, language, file) => {
  it('submits, polls until a job is completed, failed or cancelled, and is told of a job that is not there', async () => {
    const [program, ...args] = await generate(language, folder)
    const output = await mustRun([program, ...args, app.url])
    expect(output.trim().split('\n')).toEqual([
      'completed COMPLETED',
      'failed 422 empty-file',
      'cancelled CANCELLED',
      'missing 404 job-not-found',
    ])
  })

  it('is generated and used by what the guide says, word for word', async () => {
    const guide = (await readFile('docs/other-languages.md', 'utf8')).replaceAll(/ \\\n +/g, ' ')
    const program = await readFile(`test/languages/${file}`, 'utf8')
    const [, shown = ''] = /docs: begin\n(.*?)\n[^\n]*docs: end/s.exec(program) ?? []
    expect(shown.length).toBeGreaterThan(200)
    for (const text of [...Object.values(commands[language]).flat(), shown.trim()]) expect(guide).toContain(text)
  })
})

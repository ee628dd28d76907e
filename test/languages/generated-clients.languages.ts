import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { mustRun } from '../support/tools.ts'
import { type Generate, go, java, python, typescript } from './generators.ts'

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
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
  await database?.drop()
})

const languages: [name: string, generate: Generate, story: string][] = [
  ['Python', python, 'python/story.py'],
  ['Go', go, 'go/main.go'],
  ['Java', java, 'java/Story.java'],
  ['TypeScript', typescript, 'typescript/story.mts'],
]

describe.each(languages)('a client that is generated for %s, unedited', (_name, generate, story) => {
  it('submits, polls until a job is completed, failed or cancelled, and is told of a job that is not there', async () => {
    const [program, ...args] = await generate()
    const output = await mustRun([program, ...args, app.url])
    expect(output.trim().split('\n')).toEqual([
      'completed COMPLETED',
      'failed 422 empty-file',
      'cancelled CANCELLED',
      'missing 404 job-not-found',
    ])
  })

  it('is used as the guide says', async () => {
    const [, shown = ''] =
      /docs: begin\n(.*?)\n[^\n]*docs: end/s.exec(await readFile(`test/languages/${story}`, 'utf8')) ?? []
    const guide = await readFile('docs/other-languages.md', 'utf8')
    expect(shown.length).toBeGreaterThan(200)
    expect(guide).toContain(shown.trim())
  })
})

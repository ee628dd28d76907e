import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const circular: Record<string, unknown> = {}
circular['self'] = circular

/** What handlers give back although nothing can store it. */
const unstorable: Record<string, unknown> = {
  circular,
  bigint: 1n,
  function: () => {},
  symbol: Symbol('s'),
  'invalid-date': new Date(NaN),
  'throwing-json': {
    toJSON: () => {
      throw new Error('no')
    },
  },
  nul: { text: 'a\0b' },
  surrogate: { text: '\ud800' },
  huge: { text: 'x'.repeat(300_000) },
}

/** What handlers throw although it is no error. */
const thrown: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  empty: '',
  text: 'postgres://secret',
  number: 42,
  object: { code: 1 },
  frozen: Object.freeze(new Error('a secret')),
}

let database: TestDatabase
let app: TestApp

beforeAll(async () => {
  database = await createTestDatabase()
  const outputSchema = { type: 'object', additionalProperties: true }
  app = await startApp({
    pool: database.pool(),
    handlers: [
      ...Object.entries(unstorable).flatMap(([name, value]) => [
        defineHandler({ type: `ignored.${name}`, handle: () => value }),
        defineHandler({ type: `output.${name}`, outputSchema, handle: () => value }),
      ]),
      ...Object.entries(thrown).flatMap(([name, value]) => [
        defineHandler({
          type: `throws.${name}`,
          handle: () => {
            throw value
          },
        }),
        defineHandler({ type: `rejects.${name}`, handle: () => Promise.reject(value as Error) }),
      ]),
      defineHandler({ type: 'good', outputSchema, handle: () => ({ rows: 3, note: 'é漢😀' }) }),
      defineHandler({
        type: 'blank',
        handle: () => {
          throw new JobFailureError({ title: '  ', code: '' })
        },
      }),
      defineHandler({
        type: 'nul-title',
        handle: () => {
          throw new JobFailureError({ title: 'a\0b \ud800', detail: 'x'.repeat(10_000) })
        },
      }),
      defineHandler({ type: 'progress.bigint', handle: ({ progress }) => progress(1n as unknown as number) }),
      defineHandler({ type: 'progress.circular', handle: ({ progress }) => progress(circular as unknown as number) }),
      defineHandler({
        type: 'progress.caught',
        handle: async ({ progress }) => {
          await progress('40' as unknown as number).catch(() => {})
          await progress(50)
        },
      }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

describe('how a job ends, whatever its handler gives back or throws', () => {
  it.each(Object.keys(unstorable))('ignores what a type without output returns: %s [K13 A41]', async (name) => {
    expect(await app.ended(await app.submit(`ignored.${name}`))).toMatchObject({ status: 'COMPLETED' })
  })

  it.each(Object.keys(unstorable).filter((name) => name !== 'invalid-date'))(
    'fails once, with a clear reason, when an output cannot be stored: %s [K13]',
    async (name) => {
      const ended = await app.ended(await app.submit(`output.${name}`))
      expect(ended).toMatchObject({ jobStatus: 'FAILED', failureCode: 'invalid-output' })
      expect(ended['detail']).toEqual(expect.any(String))
    },
  )

  it.each(Object.keys(thrown).flatMap((name) => [`throws.${name}`, `rejects.${name}`]))(
    'fails with a generic sentence and says nothing of what was thrown: %s [K14 A50]',
    async (type) => {
      const ended = await app.ended(await app.submit(type))
      expect(ended).toMatchObject({ jobStatus: 'FAILED', failureCode: 'handler-error', title: 'The job failed' })
      expect(JSON.stringify(ended)).not.toMatch(/secret/)
    },
  )

  it('gives a declared output out with the status', async () => {
    expect(await app.ended(await app.submit('good'))).toMatchObject({ output: { rows: 3, note: 'é漢😀' } })
  })

  it('replaces a blank title, also as 422 [A80]', async () => {
    const ended = await app.ended(await app.submit('blank'))
    expect(ended).toMatchObject({ title: 'The job failed', failureCode: 'handler-error', status: 422 })
  })

  it('stores a failure whose words PostgreSQL could not keep as they are', async () => {
    const ended = await app.ended(await app.submit('nul-title'))
    expect(ended['title']).toBe('ab \ufffd')
    expect((ended['detail'] as string).length).toBeLessThanOrEqual(2_000)
  })

  it.each(['progress.bigint', 'progress.circular'])(
    'rejects the call when progress is no number: %s [K13]',
    async (type) => {
      expect(await app.ended(await app.submit(type))).toMatchObject({ failureCode: 'handler-error' })
    },
  )

  it('lets a handler go on after a refused progress call [K13]', async () => {
    expect(await app.ended(await app.submit('progress.caught'))).toMatchObject({ status: 'COMPLETED' })
  })
})

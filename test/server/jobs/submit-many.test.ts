import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, type ProblemError } from '../../../server/index.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { recordingPool } from '../../support/recording.ts'

let database: TestDatabase
let app: TestApp
let sent: ReturnType<typeof recordingPool>

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler<{ n: number }>({
    type: 'counts',
    inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    handle: () => {},
  }),
  defineHandler({ type: 'jealous', coalesce: 'reject', handle: ({ sleep }) => sleep('PT1M') }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  sent = recordingPool(database.url)
  app = await startApp({ pool: sent.pool, handlers, processing: { enabled: false }, hints: { enabled: false } })
})
afterAll(async () => {
  await app?.close()
  await sent?.pool.end()
  await database?.drop()
})

describe('many submits at once', () => {
  it('are one statement for 1,000 of them, answered in their order', async () => {
    sent.sent.length = 0
    const submits = Array.from({ length: 2_500 }, (_, n) => ({ type: 'counts', input: { n } }))
    const answers = await app.asyncJobs.submitMany(submits)
    expect(sent.sent).toHaveLength(3)
    const ids = answers.map((answer) => ('error' in answer ? '' : answer.jobId))
    const { rows } = await database.query(
      `SELECT (value ->> 'n')::integer AS n, job_id AS id FROM async_job_inputs ORDER BY n`,
    )
    expect((rows as { id: string }[]).map(({ id }) => id)).toEqual(ids)
  })

  it('are refused one by one, and what is refused keeps the others from nothing', async () => {
    await app.asyncJobs.submit('jealous')
    const answers = await app.asyncJobs.submitMany([
      { type: 'noop', idempotencyKey: 'k1' },
      { type: 'nobody' },
      { type: 'counts', input: { n: 'one' } },
      { type: 'noop', idempotencyKey: 'k1' },
      { type: 'counts', input: { n: 1 }, idempotencyKey: 'k1' },
      { type: 'jealous' },
      { type: 'noop', idempotencyKey: 'not a key' },
      { type: 'noop' },
    ])
    const first = answers[0] as { jobId: string }
    expect(answers).toMatchObject([
      { outcome: 'created' },
      { error: { code: 'unknown-type' } },
      { error: { code: 'invalid-input' } },
      { outcome: 'idempotent', jobId: first.jobId },
      { error: { code: 'idempotency-key-reused' } },
      { error: { code: 'job-in-flight' } },
      { error: { code: 'invalid-request' } },
      { outcome: 'created' },
    ])
  })

  it('are refused from the end where not all fit below the limit of waiting jobs, and what is invalid takes no place', async () => {
    const types = [...handlers, defineHandler({ type: 'bounded', handle: () => {} })]
    const options = { handlers: types, processing: { enabled: false, maxPending: 3 } }
    await withApp(database, options, async ({ asyncJobs }) => {
      const answers = await asyncJobs.submitMany([
        { type: 'bounded', input: 'takes none' },
        ...Array.from({ length: 5 }, () => ({ type: 'bounded' })),
      ])
      const said = answers.map((answer) => ('error' in answer ? (answer.error as ProblemError).code : answer.outcome))
      expect(said).toEqual(['invalid-input', 'created', 'created', 'created', 'queue-full', 'queue-full'])
    })
  })

  it('lose none beside a key that another transaction holds', async () => {
    const client = await database.pool().connect()
    await client.query('BEGIN')
    await app.asyncJobs.submit('noop', { tx: client, idempotencyKey: 'held-250' })
    const submits = Array.from({ length: 300 }, (_, n) => ({ type: 'noop', idempotencyKey: `held-${n}` }))
    const answers = await app.asyncJobs.submitMany(submits)
    const refused = answers.flatMap((answer, n) =>
      'error' in answer ? [[n, (answer.error as ProblemError).code]] : [],
    )
    expect(refused).toEqual([[250, 'database-unavailable']])
    await client.query('ROLLBACK')
    client.release()
  })

  it('may be none', async () => {
    expect(await app.asyncJobs.submitMany([])).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../../server/index.ts'
import { startApp, type TestApp, type TestEvent } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { type Gate, gate } from '../../support/gate.ts'

let database: TestDatabase
let app: TestApp
const gates = new Map<string, Gate>()
const nobody = '01890000-0000-7000-8000-000000000000'

const handlers = [
  defineHandler({ type: 'noop', handle: () => {} }),
  defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
  defineHandler({
    type: 'steps',
    handle: async ({ jobId, progress }) => {
      await gates.get(jobId)?.promise
      await progress(50)
    },
  }),
  defineHandler({
    type: 'fails',
    handle: () => {
      throw new JobFailureError({ title: 'The file is empty' })
    },
  }),
]

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({ pool: database.pool(), handlers })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

async function submitSteps(): Promise<{ id: string; go: () => void }> {
  const { jobId: id } = await app.asyncJobs.submit('steps')
  const made = gate()
  gates.set(id, made)
  return { id, go: () => made.open() }
}

async function readMany(ids: readonly string[], init?: RequestInit): Promise<TestEvent[]> {
  const events: TestEvent[] = []
  for await (const event of app.streamMany(ids, init)) events.push(event)
  return events
}

const of = (events: readonly TestEvent[], id: string): string[] =>
  events.filter(({ data }) => data['jobId'] === id).map(({ event }) => event)

describe('the stream of many jobs', () => {
  it('tells of each job by its name, ends when all have ended, and says so [A29 A30 A35]', async () => {
    const [one, two] = [await submitSteps(), await submitSteps()]
    const fails = await app.submit('fails')
    const cancelled = await app.submit('slow')
    const all = readMany([one.id, two.id, fails, cancelled])
    one.go()
    await app.ended(one.id)
    await app.fetch(`/jobs/${cancelled}`, { method: 'DELETE' })
    two.go()
    const events = await all
    for (const { id } of [one, two]) {
      expect(of(events, id).at(-1)).toBe('complete')
      const versions = events.filter(({ data }) => data['jobId'] === id).map(({ data }) => data['version'] as number)
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
    }
    expect(of(events, fails).at(-1)).toBe('failed')
    expect(of(events, cancelled).at(-1)).toBe('cancelled')
    expect(events.at(-1)).toMatchObject({ event: 'end', id: 'end', data: { jobs: 4 } })
  })

  it('tells of an unknown id once, and goes on with the others [K46]', async () => {
    const done = await app.submit('noop')
    await app.ended(done)
    const events = await readMany([nobody, done, nobody])
    expect(events.map(({ event, data }) => [event, data['jobId']])).toEqual([
      ['unknown', nobody],
      ['complete', done],
      ['end', undefined],
    ])
  })

  it('tells of a foreign job as of one that is not there, and of none of its changes [K74]', async () => {
    const tenantOf = (req: { get(name: string): string | undefined }): string => req.get('x-tenant') ?? ''
    await withApp(database, { handlers, tenantOf }, async (shared) => {
      const as = (tenant: string): RequestInit => ({ headers: { 'x-tenant': tenant } })
      const theirs = await shared.submit('slow', as('b'))
      const mine = await shared.submit('noop', as('a'))
      const events: TestEvent[] = []
      for await (const event of shared.streamMany([theirs, mine], as('a'))) {
        events.push(event)
        if (event.event === 'unknown') await shared.fetch(`/jobs/${theirs}`, { method: 'DELETE', ...as('b') })
      }
      expect(of(events, theirs)).toEqual(['unknown'])
      expect(of(events, mine).at(-1)).toBe('complete')
    })
  })

  it('tells of a job that is deleted meanwhile as unknown', async () => {
    const { id } = await submitSteps()
    const events: string[] = []
    for await (const { event } of app.streamMany([id])) {
      events.push(event)
      if (event === 'status') await database.query('DELETE FROM async_jobs WHERE id = $1', [id])
    }
    expect(events.slice(-2)).toEqual(['unknown', 'end'])
  })

  it('takes 200 jobs, over one connection, and sends all their snapshots at once', async () => {
    const ids: string[] = []
    for (let job = 0; job < 200; job += 1) ids.push((await app.asyncJobs.submit('noop')).jobId)
    const events = await readMany(ids)
    expect(new Set(events.filter(({ event }) => event === 'complete').map(({ data }) => data['jobId'])).size).toBe(200)
  })

  it.each([
    ['none', ''],
    ['no parameter', undefined],
    ['201', Array.from({ length: 201 }, () => nobody).join(',')],
    ['what is no UUID', `${nobody},x`],
    ['an empty one', `${nobody},`],
  ])('refuses %s by 400 that names the parameter', async (_what, ids) => {
    const response = await app.fetch(`/job-events${ids === undefined ? '' : `?job=${ids}`}`)
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors?: { in: string; name: string }[] }
    expect(errors?.[0]).toMatchObject({ in: 'query', name: expect.stringMatching(/^job(\/1)?$/) as string })
  })

  it('takes a parameter that is repeated, or written with %2C, for the same list', async () => {
    const done = await app.submit('noop')
    await app.ended(done)
    for (const query of [`job=${nobody}&job=${done}`, `job=${nobody}%2C${done}`]) {
      const response = await app.fetch(`/job-events?${query}`)
      expect([query, response.status]).toEqual([query, 200])
      expect(await response.text()).toContain('"jobs":2')
    }
  })

  it('ends for the client that has seen its end: 204', async () => {
    const response = await app.fetch(`/job-events?job=${nobody}`, { headers: { 'last-event-id': 'end' } })
    expect(response.status).toBe(204)
  })
})

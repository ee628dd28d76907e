import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, JobFailureError } from '../../server/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let app: TestApp
let go: () => void = () => {}
const gate = (): Promise<void> => new Promise((resolve) => (go = resolve))

const gated = gate()

beforeAll(async () => {
  database = await createTestDatabase()
  app = await startApp({
    pool: database.pool(),
    handlers: [
      defineHandler({ type: 'noop', handle: () => {} }),
      defineHandler({
        type: 'gated',
        handle: async ({ progress }) => {
          await progress(40)
          await gated
        },
      }),
      defineHandler({
        type: 'fails',
        handle: () => {
          throw new JobFailureError({
            title: 'The file is empty',
            code: 'empty-file',
            detail: 'accounts.csv has 0 bytes',
          })
        },
      }),
      defineHandler({ type: 'slow', handle: ({ sleep }) => sleep('PT1M') }),
    ],
  })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

describe('the main job, over HTTP', () => {
  it('accepts a submit at once with its three headers and URLs [A01 A21 A22 A71 A87 S6]', async () => {
    const response = await app.fetch('/jobs/noop', { method: 'POST' })
    expect(response.status).toBe(202)
    const body = (await response.json()) as Record<string, string>
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.get('location')).toBe(`${app.url}/jobs/${body['jobId']}/status`)
    expect(body['statusUrl']).toBe(response.headers.get('location'))
    expect(body['eventsUrl']).toBe(`${app.url}/jobs/${body['jobId']}/events`)
    expect(body['outcome']).toBe('created')
    expect(await app.ended(body['jobId'] as string)).toMatchObject({ status: 'COMPLETED', percentComplete: 100 })
  })

  it('streams the snapshot, progress and the end, and closes [A29 A30 A31 A32 A34]', async () => {
    const id = await app.submit('gated')
    const names: string[] = []
    for await (const { event, data } of app.stream(id)) {
      names.push(event)
      if (data['percentComplete'] === 40) go()
    }
    expect(names[0]).toBe('status')
    expect(names.at(-1)).toBe('complete')
  })

  it('answers a failed job with its words, as 422 [A24 A80 S5]', async () => {
    const id = await app.submit('fails')
    expect((await app.readEvents(id)).at(-1)).toMatchObject({ event: 'failed', data: { title: 'The file is empty' } })
    const response = await app.fetch(`/jobs/${id}/status`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      title: 'The file is empty',
      failureCode: 'empty-file',
      jobStatus: 'FAILED',
    })
  })

  it('cancels a running job [A38 A39 S4]', async () => {
    const id = await app.submit('slow')
    await app.seen('attempt:start', (event) => event.jobId === id)
    const response = await app.fetch(`/jobs/${id}`, { method: 'DELETE' })
    expect(response.status).toBe(202)
    expect((await app.readEvents(id)).map(({ event }) => event)).toEqual(['cancelled'])
    expect((await app.fetch(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(409)
  })
})

import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AttemptSupersededError, defineHandler, type HandlerContext } from '../../../server/index.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await database.query('CREATE TABLE writes (job_id text, token integer)')
})
afterAll(() => database?.drop())

async function writes(jobId: string): Promise<number> {
  const { rows } = await database.query('SELECT FROM writes WHERE job_id = $1', [jobId])
  return rows.length
}

const write = (client: pg.PoolClient, { jobId, fencingToken }: HandlerContext<undefined>): Promise<unknown> =>
  client.query('INSERT INTO writes VALUES ($1, $2)', [jobId, fencingToken])

type Handle = (context: HandlerContext<undefined>) => unknown

/** Runs one job of this handler. */
async function run(handle: Handle, body: (app: TestApp, jobId: string) => Promise<void>, more = {}): Promise<void> {
  const handlers = [defineHandler({ type: 'writes', outputSchema: { type: 'number' }, handle, ...more })]
  await withApp(database, { handlers }, async (app) => body(app, await app.submit('writes')))
}

describe('the transaction of a handler', () => {
  it('commits its own writes and the completion together, with what it returns as the output [A93 G5]', async () => {
    const inside = gate()
    const go = gate()
    const handle: Handle = async (context) => {
      const result = await context.transaction(async (client: pg.PoolClient) => {
        await write(client, context)
        inside.open()
        await go.promise
        return 42
      })
      expect(await context.progress(50)).toBe(false)
      return result + 1
    }
    await run(handle, async (app, jobId) => {
      await inside.promise
      expect([await writes(jobId), (await app.asyncJobs.status(jobId)).status]).toEqual([0, 'PROCESSING'])
      go.open()
      expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED', output: 42 })
      expect(await writes(jobId)).toBe(1)
      const { status } = await app.seen('attempt:end', (event) => event.jobId === jobId)
      expect(status).toBe('COMPLETED')
    })
  })

  it('rolls back with what the handler throws, and the attempt fails as any other [A93]', async () => {
    const handle: Handle = (context) =>
      context.transaction(async (client: pg.PoolClient) => {
        await write(client, context)
        throw new Error('no')
      })
    await run(handle, async (app, jobId) => {
      expect(await app.ended(jobId)).toMatchObject({ jobStatus: 'FAILED', failureCode: 'handler-error' })
      expect(await writes(jobId)).toBe(0)
    })
  })

  it('rolls back when the job was cancelled meanwhile [G5 G6]', async () => {
    const inside = gate()
    const outcome = gate<unknown>()
    const handle: Handle = async (context) => {
      try {
        await context.transaction(async (client: pg.PoolClient) => {
          await write(client, context)
          inside.open()
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
          return 1
        })
      } catch (error) {
        outcome.open(error)
      }
      return 1
    }
    await run(handle, async (app, jobId) => {
      await inside.promise
      await app.fetch(`/jobs/${jobId}`, { method: 'DELETE' })
      expect(await outcome.promise).toMatchObject({ name: 'AttemptAborted', reason: 'cancelled' })
      expect((await app.asyncJobs.status(jobId)).status).toBe('CANCELLED')
      expect(await writes(jobId)).toBe(0)
    })
  })

  it('rolls back when another attempt has the job by now, also where no signal has said so [G5 K04]', async () => {
    const outcome = gate<unknown>()
    const handle: Handle = async (context) => {
      // As another process does that takes the job over.
      await database.query('UPDATE async_jobs SET fencing_token = fencing_token + 1 WHERE id = $1', [context.jobId])
      await context.transaction((client: pg.PoolClient) => write(client, context).then(() => 1)).catch(outcome.open)
      return 1
    }
    await run(handle, async (_app, jobId) => {
      expect(await outcome.promise).toBeInstanceOf(AttemptSupersededError)
      expect(await writes(jobId)).toBe(0)
    })
  })

  it('rolls back when the output does not fit, and the job fails for that [K13]', async () => {
    const handle: Handle = (context) =>
      context.transaction(async (client: pg.PoolClient) => {
        await write(client, context)
        return 'no number'
      })
    await run(handle, async (app, jobId) => {
      expect(await app.ended(jobId)).toMatchObject({ jobStatus: 'FAILED', failureCode: 'invalid-output' })
      expect(await writes(jobId)).toBe(0)
    })
  })

  it('lets a handler throw after it, or never return, without another end [G6 K16]', async () => {
    for (const after of [() => Promise.reject(new Error('late')), () => new Promise(() => {})]) {
      const handle: Handle = async (context) => {
        await context.transaction(() => 1)
        return after()
      }
      await run(
        handle,
        async (app, jobId) => {
          expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED' })
          await app.seen('attempt:end', (event) => event.jobId === jobId)
          expect((await app.asyncJobs.status(jobId)).status).toBe('COMPLETED')
        },
        { timeout: 'PT0.5S' },
      )
    }
  })

  it('gives its connection back when its handler is given up, and nothing of it is kept [G11 K16]', async () => {
    const pool = database.pool({ max: 3 })
    const types = [
      defineHandler({
        type: 'hangs',
        timeout: 'PT0.2S',
        handle: (context) =>
          context.transaction(async (client: pg.PoolClient) => {
            await write(client, context)
            await new Promise(() => {})
          }),
      }),
    ]
    await withApp(database, { handlers: types, pool }, async (app) => {
      const ids = await Promise.all(Array.from({ length: 3 }, () => app.asyncJobs.submit('hangs')))
      await Promise.all(ids.map(({ jobId }) => app.seen('attempt:end', (event) => event.jobId === jobId)))
      for (const { jobId } of ids) {
        expect((await app.asyncJobs.status(jobId)).failure).toMatchObject({ code: 'timed-out' })
        expect(await writes(jobId)).toBe(0)
      }
      const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
      for (const client of clients) client.release()
    })
  })

  it('takes turns, so that heartbeats find a connection and no job fails for want of one [K37 G11]', async () => {
    const pool = database.pool({ max: 2 })
    const handle: Handle = async ({ transaction }) => {
      // Together they take longer than the lease, and than a statement waits for a connection.
      await transaction((client: pg.PoolClient) => client.query('SELECT pg_sleep(1)').then(() => 1))
    }
    const handlers = [defineHandler({ type: 'long', outputSchema: { type: 'number' }, handle })]
    await withApp(database, { handlers, pool }, async (app) => {
      const ids = await Promise.all(Array.from({ length: 5 }, () => app.asyncJobs.submit('long')))
      const ended = await Promise.all(ids.map(({ jobId }) => app.ended(jobId)))
      expect(ended.map(({ status }) => status)).toEqual(Array(5).fill('COMPLETED'))
      expect(app.events.filter(({ name }) => /^(database:error|worker:lease-lost)$/.test(name))).toEqual([])
    })
  })

  it('works with a pool of one connection, for more jobs than one [K37]', async () => {
    const handle: Handle = async (context) => {
      await context.transaction((client: pg.PoolClient) => write(client, context).then(() => 1))
    }
    const handlers = [defineHandler({ type: 'few', outputSchema: { type: 'number' }, handle })]
    await withApp(database, { handlers, pool: database.pool({ max: 1 }) }, async (app) => {
      const ids = await Promise.all(Array.from({ length: 10 }, () => app.asyncJobs.submit('few')))
      for (const { jobId } of ids) {
        expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED' })
        expect(await writes(jobId)).toBe(1)
      }
    })
  })

  it('is refused at once inside of another one of its attempt, which goes on', async () => {
    const told = gate<unknown>()
    const handle: Handle = ({ transaction }) =>
      transaction(async () => {
        told.open(await transaction(() => 1).catch(String))
        return 2
      })
    await run(handle, async (app, jobId) => {
      expect(await told.promise).toBe('Error: a transaction of this attempt is open already')
      expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED', output: 2 })
    })
  })

  it('that waits for its turn ends with a cancel, and keeps nobody from going on [G6 K16]', async () => {
    const [inside, go, refused] = [gate(), gate(), gate<unknown>()]
    const handlers = [
      defineHandler({
        type: 'holds',
        handle: ({ transaction }) =>
          transaction(() => {
            inside.open()
            return go.promise
          }),
      }),
      defineHandler({ type: 'waits', handle: ({ transaction }) => transaction(() => {}).catch(refused.open) }),
      defineHandler({ type: 'next', handle: ({ transaction }) => transaction(() => {}) }),
    ]
    await withApp(database, { handlers, pool: database.pool({ max: 2 }) }, async (app) => {
      const first = await app.submit('holds')
      await inside.promise
      const second = await app.submit('waits')
      await app.seen('attempt:start', ({ jobId }) => jobId === second)
      const third = await app.submit('next')
      await app.asyncJobs.cancel(second)
      expect(String(await refused.promise)).toContain('abandoned')
      go.open()
      expect((await app.ended(first))['status']).toBe('COMPLETED')
      expect((await app.ended(third))['status']).toBe('COMPLETED')
      expect((await app.asyncJobs.status(second)).status).toBe('CANCELLED')
    })
  })

  it('refuses a COMMIT of the handler’s own, and another transaction once it has committed [A93 G6]', async () => {
    const told = gate<unknown[]>()
    const handle: Handle = async ({ transaction }) => {
      const own = await transaction((client: pg.PoolClient) => client.query('COMMIT').then(() => 1)).catch(String)
      const first = await transaction(() => 2)
      told.open([own, first, await transaction(() => 3).catch(String)])
      return 4
    }
    await run(handle, async (app, jobId) => {
      expect(await told.promise).toEqual([
        'Error: the transaction was ended inside of its function; leave COMMIT and ROLLBACK out',
        2,
        'Error: the job has been completed already',
      ])
      expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED', output: 2, version: 3 })
    })
  })
})

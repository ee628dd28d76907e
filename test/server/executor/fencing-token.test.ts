import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, type HandlerContext } from '../../../server/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { withApp } from '../../support/executor.ts'
import { gate } from '../../support/gate.ts'

let database: TestDatabase
/** The statements of the guide, as a reader copies them. */
const [createFences = '', fencedWrite = ''] = [
  ...readFileSync('docs/transactions.md', 'utf8').matchAll(/```sql\n([^]*?)```/g),
].map(([, text]) => text)

beforeAll(async () => {
  database = await createTestDatabase()
  await database.query('CREATE TABLE documents (id text PRIMARY KEY, body text)')
  await database.query(createFences)
})
afterAll(() => database?.drop())

/** The guide's write; resolves to whether it was kept. */
async function write({ jobId, fencingToken, input }: HandlerContext<string>, body: string): Promise<boolean> {
  const { rowCount } = await database.query(fencedWrite, [jobId, fencingToken, body, input])
  return rowCount === 1
}

async function bodyOf(id: string): Promise<unknown> {
  return (await database.query('SELECT body FROM documents WHERE id = $1', [id])).rows[0]?.['body']
}

describe('the fenced write of the guide', () => {
  it('refuses what an attempt writes after its successor, and no later job for the same thing [G4 G5]', async () => {
    await database.query(`INSERT INTO documents VALUES ('report', 'new')`)
    const [awake, ghost] = [gate(), gate<boolean>()]
    let attempts = 0
    const handle = async (context: HandlerContext<string>): Promise<void> => {
      attempts += 1
      if (attempts > 1) return void (await write(context, `by token ${context.fencingToken}`))
      // Deaf to its signal, as a process is that the system has stopped.
      await awake.promise
      ghost.open(await write(context, 'by a ghost'))
    }
    const inputSchema = { type: 'string' }
    const handlers = [defineHandler<string>({ type: 'writes', inputSchema, retry: { maxAttempts: 2 }, handle })]
    await withApp(database, { handlers }, async (app) => {
      const { jobId } = await app.asyncJobs.submit('writes', { input: 'report' })
      await app.seen('attempt:start', (event) => event.jobId === jobId)
      await database.query('DELETE FROM async_job_workers')
      expect(await app.ended(jobId)).toMatchObject({ status: 'COMPLETED' })
      expect(await bodyOf('report')).toBe('by token 2')
      awake.open()
      expect(await ghost.promise).toBe(false)
      expect(await bodyOf('report')).toBe('by token 2')
      const later = await app.asyncJobs.submit('writes', { input: 'report' })
      expect(await app.ended(later.jobId)).toMatchObject({ status: 'COMPLETED' })
      expect(await bodyOf('report')).toBe('by token 1')
    })
  })
})

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../support/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { claim, ending, newJob, newWorker, openStore } from '../../support/store.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const shipped = readdirSync('schema')
  .sort()
  .map((name) => readFileSync(`schema/${name}`, 'utf8'))

describe('async-jobs schema', () => {
  it('prints the DDL that is shipped, also as a command of its own [A14]', async () => {
    const command = ['--import', 'tsx', 'server/cli/main.ts', 'schema']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command)
    expect(stdout).toBe(shipped.join('\n'))
    expect(stderr).toBe('')
  })

  it('prints what comes after a version, for a database that has that one', async () => {
    expect(await runCommand(['schema', '--from', '0'])).toMatchObject({ code: 0, out: shipped.join('\n') })
    expect(await runCommand(['schema', '--from', String(shipped.length)])).toMatchObject({ code: 0, out: '' })
  })

  it('puts everything into another PostgreSQL schema, in which the store works [A13]', async () => {
    const schema = 'Jobs "of" us'
    const { out } = await runCommand(['schema', '--schema', schema])
    const pool = database.pool({ max: 1 })
    await pool.query(out)
    expect((await pool.query('SHOW search_path')).rows).toEqual([{ search_path: '"$user", public' }])
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'i')
        AND relname IN ('async_jobs', 'async_job_inputs', 'async_job_keys', 'async_job_workers', 'ix_async_jobs_due')`,
      ['"Jobs ""of"" us"'],
    )
    expect(rows).toEqual([{ n: 5 }])
    const store = openStore(pool, { schema })
    await store.checkSchema()
    await store.submit(newJob('elsewhere', { input: '{"a":1}', idempotencyKey: 'k' }))
    const [job] = await claim(store, { type: 'elsewhere', workerId: await newWorker(store) })
    expect((await store.cycle([ending(job!)], undefined)).ended.size).toBe(1)
    expect((await database.query('SELECT FROM public.async_jobs')).rowCount).toBe(0)
  })

  it.each([
    [[], 'which command?'],
    [['serve'], 'there is no such command: serve'],
    [['schema', '--from', 'x'], '--from needs a version from 0 to'],
    [['schema', '--from', '999'], '--from needs a version from 0 to'],
    [['schema', '--schema', ''], '--schema needs a name'],
    [['schema', '--frm', '1'], "Unknown option '--frm'"],
    [['schema', 'public'], 'what is "public"?'],
    [['doctor'], 'which database? Set DATABASE_URL, or give --database-url'],
    [['doctor', '--from', '1'], 'there is no such command: doctor --from 1'],
  ])('refuses %j with a sentence and the usage', async (args, sentence) => {
    const { code, out, error } = await runCommand(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toContain(`async-jobs: ${sentence}`)
    expect(error).toContain('usage: async-jobs <command>')
  })

  it('tells how it is used, and which version it is', async () => {
    expect(await runCommand(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('doctor') as string })
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await runCommand(['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
  })
})

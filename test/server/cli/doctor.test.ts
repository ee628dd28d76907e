import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../../support/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const doctor = (...args: string[]): Promise<CommandResult> =>
  runCommand(['doctor', ...args], { DATABASE_URL: database.url })

const healthy = /^the schema is as async-jobs \d+\.\d+\.\d+ expects it \(version \d+\)\n$/

describe('async-jobs doctor', () => {
  beforeEach(async () => {
    const { out } = await runCommand(['schema'])
    await database.query('DROP SCHEMA public CASCADE')
    await database.query('CREATE SCHEMA public')
    await database.query(out)
  })

  it('says that the schema is as expected, and leaves nothing behind [A14]', async () => {
    const objects = (): Promise<unknown[]> =>
      database.query('SELECT oid, relnamespace FROM pg_class ORDER BY oid').then(({ rows }) => rows)
    const before = await objects()
    expect(await doctor()).toMatchObject({ code: 0, out: expect.stringMatching(healthy) as string, error: '' })
    expect(await objects()).toEqual(before)
  })

  it.each([
    [
      'DROP INDEX ix_async_jobs_due',
      'index ix_async_jobs_due is missing; create it: CREATE INDEX ix_async_jobs_due ON',
    ],
    [
      'DROP INDEX ix_async_jobs_worker; CREATE INDEX ix_async_jobs_worker ON async_jobs (worker_id)',
      'index ix_async_jobs_worker is CREATE INDEX ix_async_jobs_worker ON async_jobs USING btree (worker_id), expected',
    ],
    [
      'ALTER TABLE async_jobs ALTER percent_complete TYPE integer',
      'column async_jobs.percent_complete is integer, expected smallint',
    ],
    [
      'ALTER TABLE async_jobs ALTER version DROP DEFAULT',
      'column async_jobs.version is integer NOT NULL, expected integer NOT NULL DEFAULT 1',
    ],
    [
      'ALTER TABLE async_jobs ALTER created_at DROP NOT NULL',
      'column async_jobs.created_at is timestamp with time zone, expected timestamp with time zone NOT NULL',
    ],
    ['ALTER TABLE async_jobs DROP report_key', 'column async_jobs.report_key is missing; add it: ALTER TABLE'],
    ['ALTER TABLE async_jobs ADD region text NOT NULL', 'column async_jobs.region is extra and has no default'],
    [
      'ALTER TABLE async_jobs DROP CONSTRAINT async_jobs_attempts',
      'constraint async_jobs_attempts of async_jobs is missing',
    ],
    [
      'ALTER TABLE async_job_keys DROP CONSTRAINT async_job_keys_job_id_fkey',
      'REFERENCES public.async_jobs(id) ON DELETE CASCADE',
    ],
    ['ALTER TABLE async_jobs RESET (autovacuum_vacuum_threshold)', 'setting autovacuum_vacuum_threshold of async_jobs'],
    ['ALTER TABLE async_job_workers SET UNLOGGED', 'table async_job_workers is an unlogged table, expected a table'],
    ['DROP TABLE async_job_workers', 'table async_job_workers is missing'],
    ['DROP FUNCTION async_jobs_schema_version', 'function async_jobs_schema_version() is missing'],
    [
      `CREATE OR REPLACE FUNCTION async_jobs_schema_version() RETURNS integer LANGUAGE sql AS 'SELECT 0'`,
      'apply the rest first: npx async-jobs schema --from 0',
    ],
    [
      'DROP SCHEMA public CASCADE; CREATE SCHEMA public',
      'there are no tables of async-jobs; make them: npx async-jobs schema',
    ],
  ])('names what was done by: %s', async (ddl, sentence) => {
    await database.query(ddl)
    const { code, out } = await doctor()
    expect(out).toContain(sentence)
    expect(out.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(1)
    expect(code).toBe(1)
  })

  it('mentions what is there beside, and takes it for meant', async () => {
    await database.query(`
      ALTER TABLE async_jobs ADD region text, ADD CONSTRAINT mine CHECK (region <> ''), SET (fillfactor = 80);
      CREATE INDEX ix_mine ON async_jobs (region);
      CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER audited BEFORE INSERT ON async_jobs FOR EACH ROW EXECUTE FUNCTION audit();
      ALTER TABLE async_job_keys ENABLE ROW LEVEL SECURITY`)
    const { code, out } = await doctor()
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => line.startsWith('note: '))).toEqual(
      [
        'row-level security of async_job_keys is extra',
        'trigger audited of async_jobs is extra',
        'setting fillfactor of async_jobs is extra',
        'index ix_mine is extra',
        'constraint mine of async_jobs is extra',
        'column async_jobs.region is extra',
      ].map((text) => expect.stringContaining(text) as string),
    )
  })

  it('looks at the PostgreSQL schema that it is told, else where the search path leads [A13]', async () => {
    const { out } = await runCommand(['schema', '--schema', 'Else "where"'])
    await database.query(out)
    await database.query('DROP TABLE public.async_jobs CASCADE')
    expect(await doctor('--schema', 'Else "where"')).toMatchObject({ code: 0 })
    expect(await doctor()).toMatchObject({ code: 1 })
    expect(await doctor('--schema', 'nowhere')).toMatchObject({
      code: 1,
      out: expect.stringContaining('npx async-jobs schema --schema nowhere') as string,
    })
    await database.query('DROP FUNCTION public.async_jobs_schema_version()')
    // The search path begins with the schema that has the user's name.
    const { username } = new URL(database.url)
    await database.query(`ALTER SCHEMA "Else ""where""" RENAME TO "${username}"`)
    expect(await doctor()).toMatchObject({ code: 0 })
    await database.query(`DROP SCHEMA "${username}" CASCADE`)
  })

  it('needs no privilege but TEMP, and to look', async () => {
    const role = `aj_looks_${randomBytes(4).toString('hex')}`
    const { pathname } = new URL(database.url)
    await database.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'looks';
      REVOKE ALL ON DATABASE ${pathname.slice(1)} FROM public;
      GRANT CONNECT, TEMP ON DATABASE ${pathname.slice(1)} TO ${role};
      REVOKE ALL ON SCHEMA public FROM public;
      GRANT USAGE ON SCHEMA public TO ${role}`)
    try {
      const url = new URL(database.url)
      Object.assign(url, { username: role, password: 'looks' })
      expect(await doctor('--database-url', url.href)).toMatchObject({ code: 0, error: '' })
      await database.query(`REVOKE TEMP ON DATABASE ${pathname.slice(1)} FROM ${role}`)
      expect(await doctor('--database-url', url.href)).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringMatching(
          /^async-jobs: the database cannot be looked at: permission denied .*\n$/,
        ) as string,
      })
    } finally {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
})

it('says in one sentence that a database cannot be reached', async () => {
  const args = [
    '--import',
    'tsx',
    'server/cli/main.ts',
    'doctor',
    '--database-url',
    'postgres://u:secret@localhost:1/x',
  ]
  const [code, stderr] = await new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, args, (error, _stdout, text) => resolve([error?.code, text]))
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^async-jobs: the database cannot be looked at: connect ECONNREFUSED .*\n$/)
  expect(stderr).not.toContain('secret')
})

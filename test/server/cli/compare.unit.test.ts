import { describe, expect, it } from 'vitest'
import { compareCatalogs, type Findings } from '../../../server/cli/compare.ts'
import type { CatalogEntry } from '../../../server/store/catalog.ts'

const entry = (kind: CatalogEntry['kind'], name: string, definition: string): CatalogEntry => ({
  kind,
  table: kind === 'function' ? '' : 'async_jobs',
  name,
  definition,
})

const reference = [
  entry('table', 'async_jobs', 'a table'),
  entry('column', 'percent_complete', 'smallint'),
  entry('constraint', 'async_job_keys_job_id_fkey', 'FOREIGN KEY (job_id) REFERENCES async_jobs(id)'),
  entry('index', 'ix_async_jobs_due', 'CREATE INDEX ix_async_jobs_due ON async_jobs USING btree (type)'),
  entry('setting', 'fillfactor', '50'),
  entry('function', 'async_jobs_schema_version', 'integer'),
]

interface Found {
  readonly without?: string
  readonly and?: CatalogEntry
  readonly version?: number
  readonly schema?: string
}

/** Compares the reference with itself, but for these differences. */
function compare({ without, and, version = 2, schema = 'public' }: Found): Findings {
  const kept = reference.filter(({ name }) => name !== without && name !== and?.name)
  return compareCatalogs({
    schema,
    expected: { entries: reference, version: 2 },
    found: { entries: and === undefined ? kept : [...kept, and], version },
  })
}

describe('comparing a schema with the reference', () => {
  it('finds nothing where there is nothing to find', () => {
    expect(compare({})).toEqual({ faults: [], extras: [] })
  })

  it.each([
    [
      'ix_async_jobs_due',
      /^index ix_async_jobs_due is missing; create it: CREATE INDEX .* ON public\.async_jobs USING/,
    ],
    [
      'percent_complete',
      'column async_jobs.percent_complete is missing; add it: ALTER TABLE public.async_jobs ADD COLUMN',
    ],
    ['async_job_keys_job_id_fkey', /ADD CONSTRAINT async_job_keys_job_id_fkey .* REFERENCES public\.async_jobs\(id\)$/],
    [
      'fillfactor',
      'setting fillfactor of async_jobs is missing; set it: ALTER TABLE public.async_jobs SET (fillfactor = 50)',
    ],
    ['async_jobs_schema_version', 'function async_jobs_schema_version() is missing; its DDL: npx async-jobs schema'],
  ])('names what is missing, and how to make it: %s', (without, sentence) => {
    const { faults } = compare({ without })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(sentence)
  })

  it('says of a missing table that it is missing, and not that all of its parts are', () => {
    expect(compare({ without: 'async_jobs' }).faults).toEqual([expect.stringMatching(/^table async_jobs is missing/)])
  })

  it('says what a different thing is and what it should be', () => {
    expect(compare({ and: entry('column', 'percent_complete', 'integer') }).faults).toEqual([
      'column async_jobs.percent_complete is integer, expected smallint',
    ])
    expect(compare({ and: entry('setting', 'fillfactor', '90') }).faults).toEqual([
      'setting fillfactor of async_jobs is 90, expected 50; set it: ALTER TABLE public.async_jobs SET (fillfactor = 50)',
    ])
  })

  it('takes what is extra for meant, unless it makes every insert fail', () => {
    expect(compare({ and: entry('column', 'region', 'text') })).toEqual({
      faults: [],
      extras: ['column async_jobs.region is extra (text)'],
    })
    expect(compare({ and: entry('column', 'region', 'text NOT NULL') })).toEqual({
      faults: ['column async_jobs.region is extra and has no default, so that every insert fails'],
      extras: [],
    })
  })

  it('says first that the version is another one, and what to do', () => {
    expect(compare({ version: 1, schema: 'jobs' }).faults[0]).toBe(
      'the schema has version 1, expected 2; apply the rest first: npx async-jobs schema --schema jobs --from 1',
    )
    expect(compare({ version: 3 }).faults[0]).toMatch(/version 3, expected 2; this version of async-jobs is too old/)
  })

  it('says of a database without any of it just that', () => {
    const catalogs = {
      schema: 'a"b',
      expected: { entries: reference, version: 2 },
      found: { entries: [], version: undefined },
    }
    expect(compareCatalogs(catalogs).faults).toEqual([
      String.raw`there are no tables of async-jobs; make them: npx async-jobs schema --schema "a\"b"`,
    ])
  })
})

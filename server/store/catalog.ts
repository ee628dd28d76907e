import type { ClientBase } from 'pg'
import { migrations } from '../../generated/schema.ts'

/** One thing that the catalog of a database knows of our tables. */
export interface CatalogEntry {
  readonly kind: 'table' | 'column' | 'constraint' | 'index' | 'setting' | 'trigger' | 'row-level security' | 'function'
  /** The table that it belongs to; empty for a function. */
  readonly table: string
  readonly name: string
  /** In the words of PostgreSQL, without the schema's name. */
  readonly definition: string
}

/** Our tables in one PostgreSQL schema. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[]
  /** What the version function says; undefined without one. */
  readonly version: number | undefined
}

export interface Catalogs {
  /** The schema that was looked at. */
  readonly schema: string
  readonly found: Catalog
  readonly expected: Catalog
}

/**
 * Reads our tables as they are, and as the reference DDL makes them on this very server: it is applied to the session's
 * temporary schema, within a transaction that is rolled back. That takes the TEMP privilege and leaves nothing behind.
 * @param schema Where the tables are. Default: where the search path finds them.
 */
export async function readCatalogs(client: ClientBase, schema?: string): Promise<Catalogs> {
  await client.query('BEGIN READ WRITE')
  try {
    const target = schema ?? (await findSchema(client))
    // Definitions name what lies on the search path without its schema, so both are read with their own path.
    await client.query('SET LOCAL search_path = pg_temp')
    for (const { sql } of migrations) await client.query(sql)
    const expected = await readEntries(client, 'pg_temp')
    const tables = expected.filter(({ kind }) => kind === 'table').map(({ name }) => name)
    await client.query(`SET LOCAL search_path = ${quote(target)}, pg_temp`)
    const found = await readEntries(client, target, tables)
    const version = Math.max(...migrations.map((migration) => migration.version))
    return {
      schema: target,
      expected: { entries: expected, version },
      found: { entries: found, version: await readVersion(client, target, found) },
    }
  } finally {
    await client.query('ROLLBACK')
  }
}

/** Where unqualified statements find the tables, else where an unqualified CREATE TABLE would put them. */
async function findSchema(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(`
SELECT nspname::text AS schema FROM pg_namespace WHERE oid = coalesce(
  (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('async_jobs')),
  (SELECT pronamespace FROM pg_proc WHERE oid = to_regproc('async_jobs_schema_version')),
  to_regnamespace(quote_ident(current_schema())))`)
  return rows[0]?.schema ?? 'public'
}

/** Without `tables` it reads them all: what the reference DDL has made. */
async function readEntries(client: ClientBase, schema: string, tables?: readonly string[]): Promise<CatalogEntry[]> {
  const { rows } = await client.query<CatalogEntry>(entries, [schema, tables ?? null])
  return rows
}

async function readVersion(
  client: ClientBase,
  schema: string,
  found: readonly CatalogEntry[],
): Promise<number | undefined> {
  if (!found.some(({ kind, definition }) => kind === 'function' && definition === 'integer')) return undefined
  const { rows } = await client.query<{ version: number }>(
    `SELECT ${quote(schema)}.async_jobs_schema_version() AS version`,
  )
  return rows[0]?.version
}

/** `$1` names a schema or is `pg_temp`; `$2` the tables, or null. NOT NULL belongs to columns, though 18 lists it twice. */
const entries = `
WITH n AS (
  SELECT oid, CASE WHEN $1 = 'pg_temp' THEN 'pg_temp' ELSE quote_ident(nspname) END || '.' AS prefix FROM pg_namespace
  WHERE CASE WHEN $1 = 'pg_temp' THEN oid = pg_my_temp_schema() ELSE nspname = $1 END
),
t AS (
  SELECT c.*, n.prefix, c.relname::text AS table FROM pg_class c JOIN n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (c.relname = ANY ($2::text[]) OR $2 IS NULL AND c.relname LIKE 'async\\_job%')
)
SELECT 'table' AS kind, t.table, t.table AS name, CASE relkind WHEN 'r' THEN CASE relpersistence WHEN 'u' THEN
    'an unlogged table' ELSE 'a table' END WHEN 'p' THEN 'a partitioned table' WHEN 'f' THEN 'a foreign table'
    ELSE 'a view' END AS definition, 0 AS place
FROM t
UNION ALL
SELECT 'column', t.table, a.attname::text, concat(format_type(a.atttypid, a.atttypmod),
    (SELECT ' COLLATE ' || quote_ident(collname) FROM pg_collation o JOIN pg_type y ON y.oid = a.atttypid
     WHERE o.oid = a.attcollation AND o.oid <> y.typcollation),
    CASE WHEN a.attnotnull THEN ' NOT NULL' END,
    CASE WHEN a.attidentity <> '' THEN ' GENERATED AS IDENTITY' END,
    CASE WHEN a.attgenerated <> '' THEN ' GENERATED ' ELSE ' DEFAULT ' END || pg_get_expr(d.adbin, d.adrelid)), a.attnum
FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT 'constraint', t.table, c.conname::text, pg_get_constraintdef(c.oid), 0
FROM t JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype IN ('c', 'p', 'u', 'x', 'f')
UNION ALL
SELECT 'index', t.table, x.relname::text, replace(pg_get_indexdef(x.oid), ' ON ' || t.prefix, ' ON ')
    || CASE WHEN i.indisvalid THEN '' ELSE ' (not valid)' END, 0
FROM t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid
WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))
UNION ALL
SELECT 'setting', t.table, option_name, option_value, 0 FROM t, pg_options_to_table(t.reloptions)
UNION ALL
SELECT 'trigger', t.table, g.tgname::text, replace(pg_get_triggerdef(g.oid), ' ON ' || t.prefix, ' ON '), 0
FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
UNION ALL
SELECT 'row-level security', t.table, 'row-level security', 'enabled', 0 FROM t WHERE t.relrowsecurity
UNION ALL
SELECT 'function', '', p.proname::text, pg_get_function_result(p.oid), 0
FROM pg_proc p JOIN n ON n.oid = p.pronamespace WHERE p.proname = 'async_jobs_schema_version' AND p.pronargs = 0
ORDER BY 2, 5, 3`

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

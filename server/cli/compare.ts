import type { CatalogEntry, Catalogs } from '../store/catalog.ts'

/** What is wrong with a schema, in sentences. */
export interface Findings {
  /** What is missing or different: async-jobs may fail, or be slow. */
  readonly faults: readonly string[]
  /** What is there beside: it may be meant. */
  readonly extras: readonly string[]
}

/** Compares our tables as they are with what the reference DDL makes of them. */
export function compareCatalogs({ schema, found, expected }: Catalogs): Findings {
  if (found.entries.length === 0) {
    return { faults: [`there are no tables of async-jobs; make them: ${command({ schema })}`], extras: [] }
  }
  const ours = keyed(expected.entries)
  const theirs = keyed(found.entries)
  const missing = (table: string): boolean => table !== '' && !theirs.has(keyOf({ kind: 'table', table, name: table }))
  const faults = expected.entries.flatMap((entry) => {
    const actual = theirs.get(keyOf(entry))
    if (actual !== undefined) return actual.definition === entry.definition ? [] : [different(entry, actual, schema)]
    return entry.kind !== 'table' && missing(entry.table) ? [] : [absent(entry, schema)]
  })
  const beside = found.entries.filter((entry) => !ours.has(keyOf(entry)))
  return {
    faults: [...versionFaults({ schema, found, expected }), ...faults, ...beside.filter(isDemanding).map(demanding)],
    extras: beside.filter((entry) => !isDemanding(entry)).map(extra),
  }
}

function versionFaults({ schema, found, expected }: Catalogs): string[] {
  if (found.version === undefined || found.version === expected.version) return []
  const advice =
    found.version < (expected.version ?? 0)
      ? `apply the rest first: ${command({ schema, from: found.version })}`
      : 'this version of async-jobs is too old for it'
  return [`the schema has version ${found.version}, expected ${expected.version}; ${advice}`]
}

type Identity = Pick<CatalogEntry, 'kind' | 'table' | 'name'>

function keyOf({ kind, table, name }: Identity): string {
  return JSON.stringify([kind, table, name])
}

function keyed(entries: readonly CatalogEntry[]): Map<string, CatalogEntry> {
  return new Map(entries.map((entry) => [keyOf(entry), entry]))
}

/** Names an entry as a person would. */
function nameOf({ kind, table, name }: Identity): string {
  if (kind === 'column') return `column ${table}.${name}`
  if (kind === 'function') return `function ${name}()`
  if (kind === 'table' || kind === 'index') return `${kind} ${name}`
  return kind === 'row-level security' ? `${kind} of ${table}` : `${kind} ${name} of ${table}`
}

function absent(entry: CatalogEntry, schema: string): string {
  return `${nameOf(entry)} is missing${remedy(entry, schema)}`
}

function different(entry: CatalogEntry, actual: CatalogEntry, schema: string): string {
  const advice = entry.kind === 'setting' ? remedy(entry, schema) : ''
  return `${nameOf(entry)} is ${actual.definition}, expected ${entry.definition}${advice}`
}

function remedy({ kind, table, name, definition }: CatalogEntry, schema: string): string {
  const place = `${identifier(schema)}.`
  const on = `ALTER TABLE ${place}${table}`
  switch (kind) {
    case 'index':
      return `; create it: ${definition.replace(` ON ${table} `, ` ON ${place}${table} `)}`
    case 'column':
      return `; add it: ${on} ADD COLUMN ${name} ${definition}`
    case 'constraint':
      return `; add it: ${on} ADD CONSTRAINT ${name} ${definition.replace(/ REFERENCES (?=\w+\()/, ` REFERENCES ${place}`)}`
    case 'setting':
      return `; set it: ${on} SET (${name} = ${definition})`
    default:
      return `; its DDL: ${command({ schema })}`
  }
}

/** A column that our inserts do not name must have a value of its own. */
function isDemanding({ kind, definition }: CatalogEntry): boolean {
  return kind === 'column' && definition.endsWith(' NOT NULL')
}

function demanding(entry: CatalogEntry): string {
  return `${nameOf(entry)} is extra and has no default, so that every insert fails`
}

function extra(entry: CatalogEntry): string {
  return `${nameOf(entry)} is extra (${entry.definition})`
}

function command({ schema, from }: { schema: string; from?: number }): string {
  const option = schema === 'public' ? '' : ` --schema ${/^\w+$/.test(schema) ? schema : JSON.stringify(schema)}`
  return `npx async-jobs schema${option}${from === undefined ? '' : ` --from ${from}`}`
}

/** Plain names are left plain, as people write them. */
function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

import { migrations } from '../../generated/schema.ts'

export interface SchemaOptions {
  /** The PostgreSQL schema to put everything in. Default: what the search path says where it is applied. */
  readonly schema?: string | undefined
  /** The version that the database has already. Default: 0, none. */
  readonly from?: number | undefined
}

/** The newest version that there is. */
export const latestVersion: number = Math.max(...migrations.map(({ version }) => version))

/** The DDL after a version, as the files of `schema/` have it, for the consumer's migration tool. */
export function schemaDdl({ schema, from = 0 }: SchemaOptions): string {
  const scripts = migrations.filter(({ version }) => version > from).map(({ sql }) => sql)
  if (schema === undefined || scripts.length === 0) return scripts.join('\n')
  const name = `"${schema.replaceAll('"', '""')}"`
  const place = [`CREATE SCHEMA IF NOT EXISTS ${name};`, `SET search_path TO ${name};`]
  return [`${place.join('\n')}\n`, ...scripts, 'RESET search_path;\n'].join('\n')
}

import { createHash } from 'node:crypto'

/**
 * A statement of the store. `{now}` in its text is the start of the statement (stable, so an index can use it) and
 * `{clock}` the instant of evaluation; both are the database's, unless a clock was injected.
 */
export interface Statement {
  readonly name: string
  readonly text: string
}

export interface TextOptions {
  /** The PostgreSQL schema that has the tables. Default: what the search path says. */
  readonly schema?: string | undefined
  /** Stands in for the database's clock, in tests. */
  readonly clock?: (() => Date) | undefined
}

/** A statement as it is sent. Without a name it is not prepared. */
export interface SentStatement {
  readonly text: string
  readonly name?: string
}

const objects = /\basync_(?:jobs_schema_version|jobs|job_inputs|job_keys|job_workers)\b/g

/** Turns statements into what is sent, once each. */
export class StatementTexts {
  readonly #options: TextOptions
  readonly #sent = new Map<Statement, SentStatement>()

  constructor(options: TextOptions) {
    this.#options = options
  }

  of(statement: Statement): SentStatement {
    const { clock } = this.#options
    if (clock !== undefined) {
      const literal = `'${clock().toISOString()}'::timestamptz`
      return { text: this.#qualify(statement.text.replaceAll(/\{now\}|\{clock\}/g, literal)) }
    }
    let sent = this.#sent.get(statement)
    if (sent === undefined) {
      const text = statement.text
        .replaceAll('{now}', 'statement_timestamp()')
        .replaceAll('{clock}', 'clock_timestamp()')
      sent = named(statement.name, this.#qualify(text))
      this.#sent.set(statement, sent)
    }
    return sent
  }

  #qualify(text: string): string {
    const { schema } = this.#options
    return schema === undefined ? text : text.replaceAll(objects, `"${schema.replaceAll('"', '""')}".$&`)
  }
}

/** The name has the text's hash: behind a pooler, sessions are shared with other versions of this library. */
function named(name: string, text: string): SentStatement {
  return { text, name: `${name}_${createHash('sha1').update(text).digest('hex').slice(0, 8)}` }
}

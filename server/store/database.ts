import type { Pool, PoolClient } from 'pg'
import { ProblemError } from '../errors.ts'

/**
 * A statement of the store. `{now}` in its text is the start of the statement (stable, so an index can use it) and
 * `{clock}` the instant of evaluation; both are the database's, unless a clock was injected.
 */
export interface Statement {
  readonly name: string
  readonly text: string
}

export interface DatabaseOptions {
  /** How long to wait for a connection, in milliseconds. Default: 3,000. */
  readonly acquireTimeoutMs?: number
  /** How long a statement may take, in milliseconds. Default: 10,000. */
  readonly queryTimeoutMs?: number
  /** Stands in for the database's clock, in tests. */
  readonly clock?: () => Date
}

/** Runs statements on the application's pool. Every call settles: with rows, or with an error within both time limits. */
export class Database {
  readonly #pool: Pool
  readonly #acquireTimeoutMs: number
  readonly #queryTimeoutMs: number
  readonly #clock: (() => Date) | undefined
  readonly #texts = new Map<Statement, string>()

  constructor(pool: Pool, options: DatabaseOptions = {}) {
    this.#pool = pool
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? 3_000
    this.#queryTimeoutMs = options.queryTimeoutMs ?? 10_000
    this.#clock = options.clock
  }

  /** Runs one statement, which is its own transaction. Rejects with `database-unavailable` when a retry may help. */
  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const client = await this.#acquire()
    try {
      const result = await client.query<Row>(this.#prepare(statement, values))
      release(client)
      return result.rows
    } catch (error) {
      // A connection that may be broken must not go back to the pool.
      release(client, isUnavailable(error))
      throw isUnavailable(error) ? new ProblemError('database-unavailable', { cause: error }) : error
    }
  }

  #prepare(statement: Statement, values: readonly unknown[]): { text: string; values: unknown[]; name?: string } {
    const limits = { values: [...values], query_timeout: this.#queryTimeoutMs }
    if (this.#clock !== undefined) {
      const literal = `'${this.#clock().toISOString()}'::timestamptz`
      return { text: statement.text.replaceAll(/\{now\}|\{clock\}/g, literal), ...limits }
    }
    let text = this.#texts.get(statement)
    if (text === undefined) {
      text = statement.text.replaceAll('{now}', 'statement_timestamp()').replaceAll('{clock}', 'clock_timestamp()')
      this.#texts.set(statement, text)
    }
    return { text, name: statement.name, ...limits }
  }

  /** `pool.connect` alone may wait for ever, for a free connection or for a silent network. */
  #acquire(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (cause: unknown): void => reject(new ProblemError('database-unavailable', { cause }))
      let late = false
      const timer = setTimeout(() => {
        late = true
        refuse(new Error('no connection in time'))
      }, this.#acquireTimeoutMs)
      // By callback, because the listener must be there in the same turn: a promise leaves a gap in which the error of a
      // connection that is cut right now would end the process.
      this.#pool.connect((error, client) => {
        clearTimeout(timer)
        if (client === undefined) return refuse(error)
        if (late) return client.release()
        client.on('error', ignore)
        resolve(client)
      })
    })
  }
}

/** A connection that breaks while it is held tells so by an event too; the statement's rejection says it already. */
function ignore(): void {}

function release(client: PoolClient, destroy = false): void {
  client.off('error', ignore)
  client.release(destroy)
}

/** The SQLSTATE of an error, where it has one. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Connection faults, resources, an operator's stop, log-in, and 25006: a session that a failover left on a standby. */
const passing = /^(08|53|57P|58|25006|28|3D000)/

function isUnavailable(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined ? !(error instanceof TypeError) : passing.test(state)
}

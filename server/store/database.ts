import type { Pool, PoolClient, QueryResult } from 'pg'
import { ProblemError } from '../errors.ts'
import type { Transaction } from '../handler.ts'
import { Semaphore } from './semaphore.ts'
import { type SentStatement, type Statement, StatementTexts, type TextOptions } from './statement.ts'

export interface DatabaseOptions extends TextOptions {
  /** How long to wait for a connection, in milliseconds. Default: 3,000. */
  readonly acquireTimeoutMs?: number
  /** How long a statement may take, in milliseconds. Default: 10,000. */
  readonly queryTimeoutMs?: number
  /** Told once, when prepared statements turn out not to work here. */
  readonly onPooler?: (error: unknown) => void
}

/** What a pooler that shares sessions between transactions answers to named statements. */
const poolerStates = new Set(['42P05', '26000'])

/** Whatever runs the statements of the store. */
export interface Runs {
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Runs statements on the application's pool. Every call settles: with rows, or with an error within both time limits. */
export class Database implements Runs {
  readonly #pool: Pool
  readonly #acquireTimeoutMs: number
  readonly #queryTimeoutMs: number
  readonly #texts: StatementTexts
  readonly #onPooler: (error: unknown) => void
  /** Transactions that last as long as somebody's work must leave a connection for heartbeats, or the lease is lost. */
  readonly #transactions: Semaphore
  #prepares = true

  constructor(pool: Pool, options: DatabaseOptions = {}) {
    this.#pool = pool
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? 3_000
    this.#queryTimeoutMs = options.queryTimeoutMs ?? 10_000
    this.#texts = new StatementTexts(options)
    this.#onPooler = options.onPooler ?? (() => {})
    this.#transactions = new Semaphore(Math.max(1, sizeOf(pool) - 1))
  }

  /** Runs one statement, which is its own transaction. Rejects with `database-unavailable` when a retry may help. */
  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const client = await this.#acquire()
    try {
      const result = await this.#send<Row>(client, this.#texts.of(statement), values)
      release(client)
      return result.rows
    } catch (error) {
      // A connection that may be broken must not go back to the pool.
      release(client, isUnavailable(error))
      throw isUnavailable(error) ? new ProblemError('database-unavailable', { cause: error }) : error
    }
  }

  /** Runs statements in somebody's transaction, unnamed and as they are: its errors are its owner's. */
  within(tx: Transaction): Runs {
    return {
      run: async <Row extends object>(statement: Statement, values: readonly unknown[]) =>
        (await tx.query(this.#texts.of(statement).text, values.map(toParameter))).rows as Row[],
    }
  }

  /**
   * Gives a client inside a transaction, which commits when `work` resolves and is rolled back when it rejects. When the
   * signal is aborted its connection is cut, whatever the work is doing with it: the server rolls back then. At most all
   * connections of the pool but one are used so; the others wait for their turn, however long that takes.
   */
  async transaction<T>(work: (client: PoolClient) => Promise<T>, cut: AbortSignal): Promise<T> {
    await this.#transactions.acquire(cut)
    try {
      return await this.#begin(work, cut)
    } finally {
      this.#transactions.release()
    }
  }

  async #begin<T>(work: (client: PoolClient) => Promise<T>, cut: AbortSignal): Promise<T> {
    const client = await this.#acquire()
    let broken = true
    try {
      await client.query('BEGIN')
      const result = await Promise.race([work(client), rejectionOf(cut)])
      await client.query('COMMIT')
      broken = false
      return result
    } catch (error) {
      const rollBack = (): Promise<boolean> =>
        client.query('ROLLBACK').then(
          () => false,
          () => true,
        )
      broken = cut.aborted || (await rollBack())
      throw error
    } finally {
      release(client, broken)
    }
  }

  /** Sends statements unnamed from now on, as poolers that share sessions need it. */
  stopPreparing(): void {
    this.#prepares = false
  }

  async #send<Row extends object>(
    client: PoolClient,
    { text, name }: SentStatement,
    values: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    const unnamed = { text, values: [...values], query_timeout: this.#queryTimeoutMs }
    if (!this.#prepares || name === undefined) return client.query<Row>(unnamed)
    try {
      return await client.query<Row>({ ...unnamed, name })
    } catch (error) {
      if (!poolerStates.has(sqlState(error) ?? '')) throw error
      // It was refused before it ran, so it may be sent again.
      if (this.#prepares) this.#onPooler(error)
      this.#prepares = false
      return client.query<Row>(unnamed)
    }
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

/** Arrays as the text that PostgreSQL reads them from: query builders differ in what they make of an array. */
function toParameter(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const items = value.map((item) => (item === null ? 'NULL' : `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`))
  return `{${items.join(',')}}`
}

/** What stands in for a pool may not tell; ten is what `pg` makes of no setting. */
function sizeOf(pool: Pool): number {
  return (pool as Partial<Pool>).options?.max ?? 10
}

/** A connection that breaks while it is held tells so by an event too; the statement's rejection says it already. */
function ignore(): void {}

function release(client: PoolClient, destroy = false): void {
  client.off('error', ignore)
  client.release(destroy)
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = (): void => reject(signal.reason as Error)
    if (signal.aborted) refuse()
    else signal.addEventListener('abort', refuse, { once: true })
  })
}

/** The SQLSTATE of an error, where it has one. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * Connection faults, resources, an operator's stop, log-in, 25006: a session that a failover left on a standby, and
 * 26000: a pooler that lost even an unnamed statement before it ran.
 */
const passing = /^(08|53|57P|58|25006|26000|28|3D000)/

function isUnavailable(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined ? !(error instanceof TypeError) : passing.test(state)
}

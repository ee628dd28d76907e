import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig, Pool } from 'pg'
import type { Telemetry } from '../telemetry.ts'
import { sqlState } from './database.ts'
import { decodeHint, encodeHint, HintBuffer } from './hint-codec.ts'
import { hears } from './hint-probe.ts'
import type { Hint, WakeUps } from './port.ts'

const channel = 'async_jobs'
/** At most one NOTIFY in this time, in milliseconds. */
const pace = 15
/** A connection that has been silent is asked for a sign of life this often, in milliseconds. */
const pingEvery = 15_000
const queryTimeoutMs = 5_000
/** How long a start waits for the connection, in milliseconds. */
const longestWaitMs = 250

export interface HintOptions {
  readonly pool: Pool
  readonly telemetry: Telemetry
  /** Told once, when notifications turn out not to arrive here. */
  readonly onUnsupported?: (error: unknown) => void
  /** Longest wait between attempts to connect again, in milliseconds. Default: 30,000. */
  readonly maxBackoffMs?: number
}

/**
 * Hints over LISTEN and NOTIFY, on one connection of its own. Outside the jobs' transactions on purpose: a NOTIFY inside
 * them serialises all commits of the database. Whatever fails here is reported, retried and otherwise harmless.
 */
export class PostgresHints implements WakeUps {
  readonly #options: HintOptions
  readonly #self = randomUUID()
  readonly #buffer = new HintBuffer()
  #client: Client | undefined
  #onHint: (hint: Hint) => void = () => {}
  #stopped = true
  #failures = 0
  #sending = false
  #lastSent = 0
  #timer: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #ping: NodeJS.Timeout | undefined

  constructor(options: HintOptions) {
    this.#options = options
  }

  async start(onHint: (hint: Hint) => void): Promise<void> {
    this.#onHint = onHint
    this.#stopped = false
    this.#ping = setInterval(() => void this.#notify('SELECT 1', []), pingEvery)
    this.#ping.unref()
    // A start need not wait until it is certain that nothing arrives.
    await Promise.race([this.#connect(), wait(longestWaitMs, undefined, { ref: false })])
  }

  announce(hint: Hint): void {
    if (this.#stopped || this.#client === undefined) return
    this.#buffer.add(hint)
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
    clearInterval(this.#ping)
    const client = this.#client
    this.#client = undefined
    if (client !== undefined && !this.#buffer.empty) {
      await client
        .query('SELECT pg_notify($1, $2)', [channel, encodeHint(this.#self, this.#buffer.take())])
        .catch(() => {})
    }
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = newClient(this.#options.pool)
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection ended')))
    client.on('notification', ({ payload }) => {
      const hint = decodeHint(this.#self, payload ?? '')
      if (hint !== undefined) this.#onHint(hint)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      if (!(await hears(client, this.#options.pool, channel)))
        return this.#stepBack(client, new Error('no notification arrived'))
      if (this.#stopped) return await client.end()
      this.#client = client
      this.#failures = 0
      this.#options.telemetry.emit('hints:connected', {})
      // Whatever was announced while this process was deaf is found by looking.
      this.#onHint({ types: [], jobs: null })
    } catch (error) {
      if (isRefused(error)) this.#stepBack(client, error)
      else this.#lose(client, error)
    }
  }

  /** Notifications do not arrive here, and will not: polling serves. */
  #stepBack(client: Client, error: unknown): void {
    client.removeAllListeners()
    client.on('error', () => {})
    const leave = client.query('UNLISTEN *').catch(() => {})
    void leave.then(() => client.end()).catch(() => {})
    if (this.#stopped) return
    this.#stopped = true
    clearInterval(this.#ping)
    this.#options.onUnsupported?.(error)
  }

  #lose(client: Client, error: unknown): void {
    client.removeAllListeners()
    client.on('error', () => {})
    void client.end().catch(() => {})
    if (this.#stopped || (this.#client !== undefined && this.#client !== client)) return
    this.#client = undefined
    this.#failures += 1
    this.#options.telemetry.emit('hints:lost', { error })
    const longest = Math.min(this.#options.maxBackoffMs ?? 30_000, 250 * 2 ** this.#failures)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), longest * (0.5 + Math.random() / 2))
    this.#retry.unref()
  }

  #schedule(): void {
    if (this.#sending || this.#timer !== undefined) return
    const due = this.#lastSent + pace - performance.now()
    this.#timer = setTimeout(() => void this.#send(), Math.max(0, due))
  }

  async #send(): Promise<void> {
    this.#timer = undefined
    this.#sending = true
    this.#lastSent = performance.now()
    await this.#notify('SELECT pg_notify($1, $2)', [channel, encodeHint(this.#self, this.#buffer.take())])
    this.#sending = false
    if (!this.#stopped && this.#client !== undefined && !this.#buffer.empty) this.#schedule()
  }

  async #notify(text: string, values: string[]): Promise<void> {
    const client = this.#client
    if (client === undefined) return
    try {
      // The ready query config has the timeout; its type does not know it.
      await client.query({ text, values, query_timeout: queryTimeoutMs } as { text: string; values: string[] })
    } catch (error) {
      this.#lose(client, error)
    }
  }
}

/** An answer of a server that knows no LISTEN, as opposed to a connection that broke. */
function isRefused(error: unknown): boolean {
  return /^(0A|42)/.test(sqlState(error) ?? '')
}

/** A client like those of the pool, but not one of them: a pool of one connection must stay usable. */
function newClient(pool: Pool): Client {
  const { Client: PoolClass, options } = pool as unknown as {
    Client: new (config: ClientConfig) => Client
    options: ClientConfig
  }
  // `options` is passed on as it is: its password is hidden from enumeration, so a copy would lose it.
  const client = new PoolClass(options)
  return client
}

/** For deployments without LISTEN, or where polling is enough. */
export const noHints: WakeUps = {
  start: () => Promise.resolve(),
  announce: () => {},
  stop: () => Promise.resolve(),
}

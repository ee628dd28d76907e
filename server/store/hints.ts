import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, Pool } from 'pg'
import type { Telemetry } from '../telemetry.ts'
import { ask, newClient } from './hint-client.ts'
import { decodeHint, encodeHint, HintBuffer } from './hint-codec.ts'
import { hears, isRefusal } from './hint-probe.ts'
import type { Hint, WakeUps } from './port.ts'

const channel = 'async_jobs'
/** At most one NOTIFY in this time, in milliseconds. */
const pace = 15
/** A connection that has been silent is asked for a sign of life this often, in milliseconds. */
const pingEvery = 15_000
/** How long a start waits for the connection, and a stop for its end, in milliseconds. */
const longestWaitMs = 250

export interface HintOptions {
  readonly pool: Pool
  readonly telemetry: Telemetry
  /** Told once, when sessions turn out to be shared, so that notifications do not arrive. */
  readonly onPooler?: (error: unknown) => void
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
  /** The present connection; it counts as connected once notifications have been seen to arrive on it. */
  #client: Client | undefined
  #connected = false
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
    this.#ping = setInterval(() => void this.#ask(), pingEvery)
    this.#ping.unref()
    // A start need not wait until it is certain that nothing arrives.
    await Promise.race([this.#connect(), wait(longestWaitMs, undefined, { ref: false })])
  }

  announce(hint: Hint): void {
    if (this.#stopped || !this.#connected) return
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
    if (client === undefined) return
    const ended = (this.#buffer.empty ? Promise.resolve() : ask(client, ...this.#message()))
      .catch(() => {})
      .then(() => client.end())
      .catch(() => {})
    // On a silent network neither is answered.
    await Promise.race([ended, wait(longestWaitMs, undefined, { ref: false })])
  }

  async #connect(): Promise<void> {
    const client = newClient(this.#options.pool)
    this.#client = client
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection ended')))
    client.on('notification', ({ payload }) => {
      const hint = decodeHint(this.#self, payload ?? '')
      if (hint !== undefined) this.#onHint(hint)
    })
    try {
      await client.connect()
      await ask(client, `LISTEN ${channel}`)
      if (!(await hears(client, this.#options.pool, channel))) return this.#stepBack(client)
      if (this.#client !== client) return
      this.#connected = true
      this.#failures = 0
      this.#options.telemetry.emit('hints:connected', {})
      // Whatever was announced while this process was deaf is found by looking.
      this.#onHint({ types: [], jobs: null })
    } catch (error) {
      if (isRefusal(error)) this.#stepBack(client, error)
      else this.#lose(client, error)
    }
  }

  /** Notifications do not arrive here, and will not: polling serves. */
  #stepBack(client: Client, refusal?: unknown): void {
    if (this.#client !== client) return
    this.#stopped = true
    clearInterval(this.#ping)
    if (refusal !== undefined) this.#options.telemetry.emit('hints:unsupported', { error: refusal })
    else this.#options.onPooler?.(new Error('no notification arrives'))
    // The session that was made to listen may go on to serve others.
    void ask(client, 'UNLISTEN *')
      .catch(() => {})
      .then(() => this.#leave(client))
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return
    this.#leave(client)
    if (this.#stopped) return
    this.#failures += 1
    this.#options.telemetry.emit('hints:lost', { error })
    const longest = Math.min(this.#options.maxBackoffMs ?? 30_000, 250 * 2 ** this.#failures)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), longest * (0.5 + Math.random() / 2))
    this.#retry.unref()
  }

  #leave(client: Client): void {
    if (this.#client === client) this.#client = undefined
    this.#connected = false
    void client.end().catch(() => {})
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
    await this.#ask(...this.#message())
    this.#sending = false
    if (!this.#stopped && this.#connected && !this.#buffer.empty) this.#schedule()
  }

  #message(): [text: string, values: string[]] {
    return ['SELECT pg_notify($1, $2)', [channel, encodeHint(this.#self, this.#buffer.take())]]
  }

  async #ask(...[text, values]: [text?: string, values?: string[]]): Promise<void> {
    const client = this.#client
    if (client === undefined || !this.#connected) return
    await ask(client, text, values).catch((error: unknown) => this.#lose(client, error))
  }
}

/** For deployments without LISTEN, or where polling is enough. */
export const noHints: WakeUps = {
  start: () => Promise.resolve(),
  announce: () => {},
  stop: () => Promise.resolve(),
}

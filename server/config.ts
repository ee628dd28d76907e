import { ConfigurationError } from './errors.ts'
import { type IsoDuration, parseDuration } from './duration.ts'
import type { AnyHandler } from './handler.ts'
import { registerHandlers, type RegisteredType } from './jobs/registry.ts'

/** How the server behaves. Every value has a default; durations are ISO 8601, of weeks or less. */
export interface Settings {
  /** How long the record of a job stays relevant after its last change; feeds `Expires` and bounds a stream. [PT1H] */
  readonly retention?: IsoDuration
  /** The `Retry-After` of a submit and of the status of an active job, in seconds. [5] */
  readonly retryAfterSeconds?: number
  /** Whether equal submits join the job that does the same work now. [false] */
  readonly coalesceInFlight?: boolean
  /** Whether a job that completed not long ago answers for a new submit. */
  readonly freshness?: {
    /** [false] */
    readonly enabled?: boolean
    /** For types without a window of their own. [none: not applied] */
    readonly defaultWindow?: IsoDuration
    /** By type. */
    readonly perType?: Readonly<Record<string, IsoDuration>>
  }
  readonly processing?: {
    /** Whether this process runs jobs; without it, it takes and shows them only, and other processes run them. [true] */
    readonly enabled?: boolean
    /** How many jobs run in this process at once; what comes on top waits in the table. [256] */
    readonly concurrencyLimit?: number
    /** How many jobs of a type may wait before submits are answered 503. [no limit] */
    readonly maxPending?: number
    /** How often this process looks for work when no hint comes. [PT1S] */
    readonly pollInterval?: IsoDuration
    /** How long after its last heartbeat a process counts as dead. [PT30S] */
    readonly lease?: IsoDuration
    /** How long `stop()` lets handlers finish. [PT10S] */
    readonly stopGrace?: IsoDuration
  }
  readonly sse?: {
    /** Between two comments that keep an idle stream open. [PT15S] */
    readonly heartbeat?: IsoDuration
    /** Streams that may be open in this process; more are answered 503. [10000] */
    readonly maxStreams?: number
    /** Streams that one caller may have open in this process; more are answered 429. [1000] */
    readonly maxStreamsPerCaller?: number
    /** How many events may wait for a client that does not read; then it is dropped. [64] */
    readonly maxPendingEvents?: number
    /** The worst latency of an event when no hint arrives. [PT1S] */
    readonly pollInterval?: IsoDuration
  }
  readonly recovery?: {
    /** Without it the jobs of a dead process stay PROCESSING for ever. [true] */
    readonly enabled?: boolean
    /** Between two sweeps. [PT30S] */
    readonly scanInterval?: IsoDuration
    /** How long a fire-and-forget job may be silent. [PT15M] */
    readonly processingTimeout?: IsoDuration
    /** Jobs in one sweep. [100] */
    readonly batchSize?: number
  }
  readonly hints?: {
    /** Whether processes tell each other of changes by LISTEN and NOTIFY; without it they poll. [true] */
    readonly enabled?: boolean
  }
  readonly web?: {
    /** Whether there is a router; without it there is the engine alone, to be used in code. [true] */
    readonly enabled?: boolean
  }
  readonly database?: {
    /** The PostgreSQL schema that has the tables. [what the search path says] */
    readonly schema?: string
  }
  readonly http?: {
    /** The longest body, in bytes. [102400] */
    readonly maxBodyBytes?: number
  }
  /** The URL that the router is reachable at, with the mount path. [taken from each request] */
  readonly publicUrl?: string
}

/** The settings as the parts take them: complete, checked, in milliseconds. */
export interface Config {
  readonly types: ReadonlyMap<string, RegisteredType>
  readonly retentionMs: number
  readonly retryAfterSeconds: number
  readonly coalesceInFlight: boolean
  readonly freshForMs: (type: string) => number | null
  readonly processing: {
    readonly enabled: boolean
    readonly concurrencyLimit: number
    readonly maxPending: number | undefined
    readonly pollIntervalMs: number
    readonly leaseMs: number
    readonly heartbeatMs: number
    readonly stopGraceMs: number
  }
  readonly sse: {
    readonly heartbeatMs: number
    readonly maxPendingEvents: number
    readonly pollIntervalMs: number
    readonly maxStreams: number
    readonly maxStreamsPerCaller: number
  }
  readonly recovery: {
    readonly enabled: boolean
    readonly scanIntervalMs: number
    readonly processingTimeoutMs: number
    readonly batchSize: number
  }
  readonly hints: { readonly enabled: boolean }
  readonly web: { readonly enabled: boolean }
  readonly database: { readonly schema: string | undefined }
  readonly http: { readonly maxBodyBytes: number }
  readonly publicUrl: string | undefined
}

/** Reads values one by one and gathers what is wrong with them. */
class Reader {
  readonly mistakes: string[] = []

  /** @returns milliseconds. */
  duration(name: string, found: unknown, fallback: IsoDuration): number {
    const value = found ?? fallback
    const ms = parseDuration(value)
    if (ms !== undefined && ms > 0) return ms
    this.#mistake(name, 'an ISO 8601 duration such as PT30S, longer than zero, without years and months', value)
    return 1
  }

  whole(name: string, found: unknown, { fallback, least }: { fallback: number; least: number }): number {
    const value = found ?? fallback
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
    this.#mistake(name, `a whole number of at least ${least}`, value)
    return fallback
  }

  flag(name: string, found: unknown, fallback: boolean): boolean {
    const value = found ?? fallback
    if (typeof value === 'boolean') return value
    this.#mistake(name, 'true or false', value)
    return fallback
  }

  url(name: string, found: string | undefined): string | undefined {
    if (found === undefined) return undefined
    if (typeof found === 'string' && URL.canParse(found) && /^https?:/.test(found)) return found.replace(/\/+$/, '')
    this.#mistake(name, 'an absolute http or https URL', found)
    return undefined
  }

  name(name: string, found: string | undefined): string | undefined {
    if (found === undefined) return undefined
    if (typeof found === 'string' && /^[^\0]{1,63}$/.test(found)) return found
    this.#mistake(name, 'the name of a PostgreSQL schema', found)
    return undefined
  }

  known(name: string, found: unknown, shape: object): void {
    if (typeof found !== 'object' || found === null) return
    for (const key of Object.keys(found)) {
      if (!(key in shape)) this.mistakes.push(`${name}${key}: there is no such option`)
    }
  }

  #mistake(name: string, expected: string, found: unknown): void {
    this.mistakes.push(`${name}: expected ${expected}, found ${JSON.stringify(found) ?? typeof found}`)
  }
}

/** Checks settings and handlers. Throws one ConfigurationError that names every mistake. */
export function readConfig(handlers: readonly AnyHandler[], settings: Settings): Config {
  const read = new Reader()
  const types = registerHandlers(handlers, read.mistakes)
  for (const { name, handler } of types.values()) {
    if ('timeout' in handler && handler.timeout !== undefined)
      read.duration(`handler "${name}": timeout`, handler.timeout, '')
  }
  const retentionMs = read.duration('retention', settings.retention, 'PT1H')
  const config: Config = {
    types,
    retentionMs,
    retryAfterSeconds: read.whole('retryAfterSeconds', settings.retryAfterSeconds, { fallback: 5, least: 1 }),
    coalesceInFlight: read.flag('coalesceInFlight', settings.coalesceInFlight, false),
    freshForMs: readFreshness(read, settings, retentionMs),
    processing: readProcessing(read, settings.processing ?? {}),
    sse: readSse(read, settings.sse ?? {}),
    recovery: readRecovery(read, settings.recovery ?? {}),
    web: { enabled: read.flag('web.enabled', settings.web?.enabled, true) },
    database: { schema: read.name('database.schema', settings.database?.schema) },
    hints: { enabled: read.flag('hints.enabled', settings.hints?.enabled, true) },
    http: {
      maxBodyBytes: read.whole('http.maxBodyBytes', settings.http?.maxBodyBytes, { fallback: 102_400, least: 0 }),
    },
    publicUrl: read.url('publicUrl', settings.publicUrl),
  }
  checkNames(read, settings)
  if (read.mistakes.length > 0) throw new ConfigurationError(read.mistakes)
  return Object.freeze(config)
}

function readProcessing(read: Reader, found: NonNullable<Settings['processing']>): Config['processing'] {
  const at = 'processing.'
  const leaseMs = read.duration(`${at}lease`, found.lease, 'PT30S')
  return {
    enabled: read.flag(`${at}enabled`, found.enabled, true),
    concurrencyLimit: read.whole(`${at}concurrencyLimit`, found.concurrencyLimit, { fallback: 256, least: 1 }),
    maxPending:
      found.maxPending === undefined
        ? undefined
        : read.whole(`${at}maxPending`, found.maxPending, { fallback: 1, least: 1 }),
    pollIntervalMs: read.duration(`${at}pollInterval`, found.pollInterval, 'PT1S'),
    leaseMs,
    // Two heartbeats may be lost before the lease is.
    heartbeatMs: Math.max(1, Math.floor(leaseMs / 3)),
    stopGraceMs: read.duration(`${at}stopGrace`, found.stopGrace, 'PT10S'),
  }
}

function readSse(read: Reader, found: NonNullable<Settings['sse']>): Config['sse'] {
  return {
    heartbeatMs: read.duration('sse.heartbeat', found.heartbeat, 'PT15S'),
    maxPendingEvents: read.whole('sse.maxPendingEvents', found.maxPendingEvents, { fallback: 64, least: 1 }),
    pollIntervalMs: read.duration('sse.pollInterval', found.pollInterval, 'PT1S'),
    maxStreams: read.whole('sse.maxStreams', found.maxStreams, { fallback: 10_000, least: 1 }),
    maxStreamsPerCaller: read.whole('sse.maxStreamsPerCaller', found.maxStreamsPerCaller, {
      fallback: 1_000,
      least: 1,
    }),
  }
}

function readRecovery(read: Reader, found: NonNullable<Settings['recovery']>): Config['recovery'] {
  return {
    enabled: read.flag('recovery.enabled', found.enabled, true),
    scanIntervalMs: read.duration('recovery.scanInterval', found.scanInterval, 'PT30S'),
    processingTimeoutMs: read.duration('recovery.processingTimeout', found.processingTimeout, 'PT15M'),
    batchSize: read.whole('recovery.batchSize', found.batchSize, { fallback: 100, least: 1 }),
  }
}

function readFreshness(read: Reader, settings: Settings, retentionMs: number): Config['freshForMs'] {
  const { enabled, defaultWindow, perType = {} } = settings.freshness ?? {}
  const window = (name: string, found: IsoDuration): number => {
    const ms = read.duration(name, found, '')
    if (ms > retentionMs) read.mistakes.push(`${name}: expected no longer than retention, found ${found}`)
    return ms
  }
  const fallback = defaultWindow === undefined ? null : window('freshness.defaultWindow', defaultWindow)
  const byType = new Map(
    Object.entries(perType).map(([type, found]) => [type, window(`freshness.perType.${type}`, found)]),
  )
  return read.flag('freshness.enabled', enabled, false) ? (type) => byType.get(type) ?? fallback : () => null
}

/** A misspelt option would otherwise be ignored in silence. */
function checkNames(read: Reader, settings: Settings): void {
  const nested: Readonly<Record<string, readonly string[]>> = {
    freshness: ['enabled', 'defaultWindow', 'perType'],
    processing: ['enabled', 'concurrencyLimit', 'maxPending', 'pollInterval', 'lease', 'stopGrace'],
    sse: ['heartbeat', 'maxPendingEvents', 'pollInterval', 'maxStreams', 'maxStreamsPerCaller'],
    web: ['enabled'],
    database: ['schema'],
    recovery: ['enabled', 'scanInterval', 'processingTimeout', 'batchSize'],
    hints: ['enabled'],
    http: ['maxBodyBytes'],
  }
  const flat = ['retention', 'retryAfterSeconds', 'coalesceInFlight', 'publicUrl']
  const shape = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, true]))
  read.known('', settings, shape([...flat, ...Object.keys(nested)]))
  for (const [name, names] of Object.entries(nested)) {
    read.known(`${name}.`, settings[name as keyof Settings], shape(names))
  }
}

import { ConfigurationError } from '../errors.ts'
import type { AnyHandler } from '../handler.ts'
import { registerHandlers, type RegisteredType } from '../jobs/registry.ts'
import { OptionReader } from './reader.ts'
import type { Settings } from './settings.ts'

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
  readonly purge: {
    readonly enabled: boolean
    readonly intervalMs: number
    readonly batchSize: number
    readonly afterMs: number
  }
  readonly hints: { readonly enabled: boolean }
  readonly web: { readonly enabled: boolean }
  readonly database: { readonly schema: string | undefined }
  readonly http: { readonly maxBodyBytes: number; readonly maxBatchBytes: number; readonly maxWaitMs: number }
  readonly publicUrl: string | undefined
}

/** How settings are read: with what was found wrong before, and by the names that their giver knows them by. */
export interface ConfigReading {
  readonly mistakes?: string[]
  readonly label?: (name: string) => string
}

/**
 * Checks settings and handlers. Throws one ConfigurationError that names every mistake.
 */
export function readConfig(
  handlers: readonly AnyHandler[],
  settings: Settings,
  { label = (name) => name, mistakes = [] }: ConfigReading = {},
): Config {
  const types = registerHandlers(handlers, mistakes)
  const read = new OptionReader(settings, mistakes, label)
  for (const { name, handler } of types.values()) {
    if ('timeout' in handler && handler.timeout !== undefined) {
      read.durationOf(`handler "${name}": timeout`, handler.timeout)
    }
  }
  const config = build(read, types)
  if (mistakes.length > 0) throw new ConfigurationError(mistakes)
  return Object.freeze(config)
}

function build(read: OptionReader, types: Config['types']): Config {
  const retentionMs = read.duration('retention')
  const leaseMs = read.duration('processing.lease')
  return {
    types,
    retentionMs,
    retryAfterSeconds: read.whole('retryAfterSeconds'),
    coalesceInFlight: read.flag('coalesceInFlight'),
    freshForMs: freshness(read, retentionMs),
    processing: {
      enabled: read.flag('processing.enabled'),
      concurrencyLimit: read.whole('processing.concurrencyLimit'),
      maxPending: read.optional('processing.maxPending', () => read.whole('processing.maxPending')),
      pollIntervalMs: read.duration('processing.pollInterval'),
      leaseMs,
      // Two heartbeats may be lost before the lease is.
      heartbeatMs: Math.max(1, Math.floor(leaseMs / 3)),
      stopGraceMs: read.duration('processing.stopGrace'),
    },
    sse: {
      heartbeatMs: read.duration('sse.heartbeat'),
      maxPendingEvents: read.whole('sse.maxPendingEvents'),
      pollIntervalMs: read.duration('sse.pollInterval'),
      maxStreams: read.whole('sse.maxStreams'),
      maxStreamsPerCaller: read.whole('sse.maxStreamsPerCaller'),
    },
    ...maintenance(read, retentionMs),
    web: { enabled: read.flag('web.enabled') },
    database: { schema: read.optional('database.schema', () => read.schemaName('database.schema')) },
    hints: { enabled: read.flag('hints.enabled') },
    http: {
      maxBodyBytes: read.whole('http.maxBodyBytes'),
      maxBatchBytes: read.whole('http.maxBatchBytes'),
      maxWaitMs: read.duration('http.maxWait'),
    },
    publicUrl: read.optional('publicUrl', () => read.url('publicUrl')),
  }
}

function maintenance(read: OptionReader, retentionMs: number): Pick<Config, 'recovery' | 'purge'> {
  const afterMs = read.optional('purge.after', () => read.duration('purge.after')) ?? retentionMs
  if (afterMs < retentionMs) read.mistake('purge.after', 'no shorter than retention')
  return {
    recovery: {
      enabled: read.flag('recovery.enabled'),
      scanIntervalMs: read.duration('recovery.scanInterval'),
      processingTimeoutMs: read.duration('recovery.processingTimeout'),
      batchSize: read.whole('recovery.batchSize'),
    },
    purge: {
      enabled: read.flag('purge.enabled'),
      intervalMs: read.duration('purge.interval'),
      batchSize: read.whole('purge.batchSize'),
      afterMs,
    },
  }
}

/** A window that is longer than the retention would trust a record that may be gone. */
function freshness(read: OptionReader, retentionMs: number): Config['freshForMs'] {
  const window = (name: string, found: unknown): number => {
    const ms = read.durationOf(name, found)
    if (ms > retentionMs) read.mistake(name, 'no longer than retention', found)
    return ms
  }
  const name = 'freshness.defaultWindow'
  const fallback = read.optional(name, () => window(name, read.value(name))) ?? null
  const byType = new Map(
    Object.entries(read.record('freshness.perType')).map(([type, found]) => [
      type,
      window(`freshness.perType.${type}`, found),
    ]),
  )
  return read.flag('freshness.enabled') ? (type) => byType.get(type) ?? fallback : () => null
}

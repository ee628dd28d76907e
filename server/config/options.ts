/** What an option is and what it is when it is left out. */
export type Option =
  | { readonly kind: 'duration'; readonly fallback?: string }
  | { readonly kind: 'whole'; readonly fallback?: number; readonly least: number }
  | { readonly kind: 'flag'; readonly fallback: boolean }
  | { readonly kind: 'text' }
  | { readonly kind: 'durations by type' }

const duration = (fallback?: string): Option => ({ kind: 'duration', ...(fallback === undefined ? {} : { fallback }) })
const whole = (least: number, fallback?: number): Option => ({
  kind: 'whole',
  least,
  ...(fallback === undefined ? {} : { fallback }),
})
const flag = (fallback: boolean): Option => ({ kind: 'flag', fallback })

/** Every option by its name: the one table that defaults, checks and environment variables come from. */
export const options: Readonly<Record<string, Option>> = {
  retention: duration('PT1H'),
  retryAfterSeconds: whole(1, 5),
  coalesceInFlight: flag(false),
  publicUrl: { kind: 'text' },
  'freshness.enabled': flag(false),
  'freshness.defaultWindow': duration(),
  'freshness.perType': { kind: 'durations by type' },
  'processing.enabled': flag(true),
  'processing.concurrencyLimit': whole(1, 256),
  'processing.maxPending': whole(1),
  'processing.pollInterval': duration('PT1S'),
  'processing.lease': duration('PT30S'),
  'processing.stopGrace': duration('PT10S'),
  'sse.heartbeat': duration('PT15S'),
  'sse.maxPendingEvents': whole(1, 64),
  'sse.pollInterval': duration('PT1S'),
  'sse.maxStreams': whole(1, 10_000),
  'sse.maxStreamsPerCaller': whole(1, 1_000),
  'recovery.enabled': flag(true),
  'recovery.scanInterval': duration('PT30S'),
  'recovery.processingTimeout': duration('PT15M'),
  'recovery.batchSize': whole(1, 100),
  'purge.enabled': flag(false),
  'purge.interval': duration('PT10M'),
  'purge.batchSize': whole(1, 1_000),
  'purge.after': duration(),
  'hints.enabled': flag(true),
  'web.enabled': flag(true),
  'database.schema': { kind: 'text' },
  'http.maxBodyBytes': whole(0, 102_400),
  'http.maxBatchBytes': whole(0, 1_048_576),
  'http.maxWait': duration('PT30S'),
}

import type { EventName, Logger, OperationalEvents, Subscriber } from './telemetry.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'

/** How each event is logged. `attempt:end` with an error is raised to a warning below. */
const lines: Readonly<Record<EventName, readonly [Level, string]>> = {
  'job:submitted': ['debug', 'job submitted'],
  'attempt:start': ['debug', 'attempt started'],
  'attempt:end': ['debug', 'attempt ended'],
  'attempt:refused': ['info', 'the end of an attempt was refused'],
  'attempt:abandoned': ['warn', 'a handler did not return in time and was abandoned'],
  'worker:lease-lost': ['warn', 'the lease of this process was lost'],
  'recovery:found': ['warn', 'jobs without a living worker were recovered'],
  'recovery:released': ['warn', 'claims whose reply was lost were released'],
  'jobs:purged': ['debug', 'jobs that ended long ago were deleted'],
  'database:error': ['error', 'a statement failed in the background'],
  'hints:lost': ['warn', 'hints between processes are off, polling serves'],
  'hints:unsupported': ['warn', 'the server refuses LISTEN or NOTIFY: no hints between processes, polling serves'],
  'pooler:found': [
    'warn',
    'sessions are shared here, as by a pooler in transaction mode: no hints, polling serves; nothing is prepared',
  ],
  'hints:connected': ['info', 'hints between processes work'],
  'stream:dropped': ['warn', 'a stream whose client did not read was dropped'],
  'request:failed': ['error', 'a request failed'],
}

/** The only place where operational events become log lines. */
export function logEvents(logger: Logger): Subscriber {
  return <Name extends EventName>(name: Name, event: OperationalEvents[Name]) => {
    const [level, message] = lines[name]
    const { error, ...rest } = event as OperationalEvents[Name] & { error?: unknown }
    const raised = name === 'attempt:end' && error !== undefined ? 'warn' : level
    logger[raised]({ event: name, ...rest, ...(error === undefined ? {} : { error: describeError(error) }) }, message)
  }
}

/** An error as plain fields, with its causes, for a log line. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack,
    ...(error.cause !== undefined && depth < 3 ? { cause: describeError(error.cause, depth + 1) } : {}),
  }
}

const severity: Readonly<Record<Level, number>> = { debug: 10, info: 20, warn: 30, error: 40 }

/**
 * The default logger: one line of JSON per record, control characters escaped.
 * @param write Receives each line with its line feed.
 * @param least The lowest level that is written. Default: info.
 */
export function jsonLinesLogger(write: (line: string) => void, least: Level = 'info'): Logger {
  const at = (level: Level) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (severity[level] < severity[least]) return
    const own = { time: new Date().toISOString(), level, message }
    // Twice: they come first in the line, and no field can take their place.
    write(`${toLine({ ...own, ...fields, ...own }) ?? toLine({ ...own, unwritable: true })}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * JSON escapes C0 controls; C1 controls and the Unicode line separators break lines in some viewers too.
 * @returns undefined for what cannot be written, which must not hurt the work that it tells of.
 */
function toLine(record: Record<string, unknown>): string | undefined {
  const text = toJson(record)
  // oxlint-disable-next-line no-control-regex
  return text?.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function toJson(record: Record<string, unknown>): string | undefined {
  const seen = new WeakSet<object>()
  try {
    return JSON.stringify(record, (_key, value: unknown) => {
      if (typeof value === 'bigint') return String(value)
      if (typeof value !== 'object' || value === null) return value
      if (seen.has(value)) return '[repeated]'
      seen.add(value)
      return value
    })
  } catch {
    return undefined
  }
}

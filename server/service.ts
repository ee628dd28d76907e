import type { Pool } from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { assemble, type AsyncJobs, type Parts } from './assembly.ts'
import { type ConfigReading, readConfig } from './config/config.ts'
import type { Settings } from './config/settings.ts'
import { ConfigurationError } from './errors.ts'
import type { AnyHandler } from './handler.ts'
import type { AccessHooks } from './http/access.ts'
import { defaultPolicy, type Policy } from './http/policy.ts'
import { jsonLinesLogger, logEvents } from './log.ts'
import { Database } from './store/database.ts'
import { noHints, PostgresHints } from './store/hints.ts'
import type { Store, WakeUps } from './store/port.ts'
import { postgresStore } from './store/postgres-store.ts'
import { type Logger, type Subscriber, Telemetry } from './telemetry.ts'

/** What the application hands over, beside {@link Settings}. */
export interface AsyncJobsOptions extends Settings, AccessHooks {
  /** The application's own pool. Nothing of it is configured; a listener for its errors is added. Not needed with `store`. */
  readonly pool?: Pool
  /** One handler per type. A process without handlers serves HTTP and runs nothing. */
  readonly handlers?: readonly AnyHandler[]
  /** Receives log lines. Default: one line of JSON each, on standard error. */
  readonly logger?: Logger
  /** Receives operational events, for metrics. */
  readonly onEvent?: Subscriber
  /** Stands in for the database's clock. For tests only: with it, statements are not prepared. */
  readonly clock?: () => Date
  /** Another store in the place of the one on `pool`; `storeConformance` of `async-jobs/testing` says whether it fits. */
  readonly store?: Store
  /** Carries hints between processes in the place of LISTEN and NOTIFY. */
  readonly wakeUps?: WakeUps
  /** Decides `Retry-After` and `Expires` in the place of the configuration. */
  readonly policy?: Policy
  /** Makes the ids of jobs, UUIDs that grow with time. Default: UUIDv7. */
  readonly newId?: () => string
}

/** Throws a ConfigurationError with every mistake. */
export function createAsyncJobs(options: AsyncJobsOptions, reading: ConfigReading = {}): AsyncJobs {
  const { handlers = [], logger, onEvent, policy, newId, ...others } = options
  const { pool: _pool, clock: _clock, store: _store, wakeUps: _wakeUps, ...rest } = others
  const { tenantOf, authorize, callerOf, ...settings } = rest
  const config = readConfig(handlers, settings, reading)
  const log = logger ?? jsonLinesLogger((line) => process.stderr.write(line))
  const telemetry = new Telemetry()
  telemetry.subscribe(logEvents(log))
  if (onEvent !== undefined) telemetry.subscribe(onEvent)
  const data = openData(options, { config, telemetry, log })
  return assemble({
    ...data,
    config,
    log,
    telemetry,
    newId: newId ?? uuidv7,
    policy: policy ?? defaultPolicy(config),
    hooks: {
      ...(tenantOf === undefined ? {} : { tenantOf }),
      ...(authorize === undefined ? {} : { authorize }),
      ...(callerOf === undefined ? {} : { callerOf }),
    },
  })
}

/** The store and the hints: the consumer's own, or ours on the pool. */
function openData(
  { pool, store, wakeUps, clock }: AsyncJobsOptions,
  { config, telemetry, log }: Pick<Parts, 'config' | 'telemetry' | 'log'>,
): Pick<Parts, 'store' | 'hints'> {
  if (pool === undefined) {
    if (store === undefined) throw new ConfigurationError(['pool: expected a pg.Pool, found undefined'])
    return { store, hints: wakeUps ?? noHints }
  }
  // Without a listener an idle connection that breaks ends the process.
  pool.on('error', (error) => telemetry.emit('database:error', { during: 'idle connection', error }))
  warnOfEndlessConnecting(pool, log)
  // Either sign of a pooler may come first; both are told of once, together.
  let told = false
  const onPooler = (error: unknown): void => {
    database.stopPreparing()
    if (!told) telemetry.emit('pooler:found', { error })
    told = true
  }
  const database = new Database(pool, { schema: config.database.schema, clock, onPooler })
  const hints = config.hints.enabled ? new PostgresHints({ pool, telemetry, onPooler }) : noHints
  return { store: store ?? postgresStore(database), hints: wakeUps ?? hints }
}

/** A connection that a silent network never answers keeps its place in the pool until this time is over. */
function warnOfEndlessConnecting(pool: Pool, log: Logger): void {
  if ((pool.options.connectionTimeoutMillis ?? 0) > 0) return
  log.warn(
    { option: 'connectionTimeoutMillis' },
    'the pool has no connectionTimeoutMillis: a silent network may fill it for good; 5000 is a good value',
  )
}

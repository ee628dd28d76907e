// A process that runs jobs: `node --import tsx bench/worker.ts <database url> <settings as JSON>`.
import pg from 'pg'
import { createAsyncJobs } from '../server/index.ts'
import type { Settings } from '../server/config/settings.ts'
import { napping, quiet } from './napping.ts'

const [url, settings] = [process.argv[2], JSON.parse(process.argv[3] ?? '{}') as Settings]
const pool = new pg.Pool({ connectionString: url, max: 5, connectionTimeoutMillis: 5_000 })
const asyncJobs = createAsyncJobs({ pool, logger: quiet, ...settings, handlers: [napping] })
await asyncJobs.start()
process.send?.('ready')
process.once('disconnect', () => void asyncJobs.stop({ graceMs: 0 }).finally(() => process.exit()))

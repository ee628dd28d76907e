import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { PostgresHints } from '../../../server/store/hints.ts'
import type { Hint } from '../../../server/store/port.ts'
import { type EventName, Telemetry } from '../../../server/telemetry.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { cutHints, type Notify, shadowNotify } from '../../support/notify.ts'
import { recordingPool } from '../../support/recording.ts'

let database: TestDatabase
let notify: Notify
let started: { hints: PostgresHints; pool: pg.Pool }[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  notify = await shadowNotify(database)
})
afterEach(async () => {
  await Promise.all(started.map(({ hints }) => hints.stop()))
  for (const { pool } of started) void pool.end()
  started = []
  await database.drop()
})

interface Started {
  readonly hints: PostgresHints
  readonly names: EventName[]
  readonly heard: Hint[]
  /** Ends the connection that carries the hints. */
  readonly cut: () => Promise<boolean>
  readonly onPooler: Mock<(error: unknown) => void>
}

async function start(): Promise<Started> {
  const telemetry = new Telemetry()
  const [names, heard, onPooler]: [EventName[], Hint[], Started['onPooler']] = [[], [], vi.fn()]
  telemetry.subscribe((name) => names.push(name))
  const { pool, sent } = recordingPool(database.url, { max: 2 })
  const hints = new PostgresHints({ pool, telemetry, onPooler, maxBackoffMs: 100 })
  started.push({ hints, pool })
  await hints.start((hint) => heard.push(hint))
  return { hints, names, heard, onPooler, cut: () => cutHints(database, sent) }
}

const look: Hint = { types: [], jobs: null }
const work: Hint = { types: ['a'], jobs: [] }
const within = (timeout: number): { timeout: number } => ({ timeout })

describe('hints over LISTEN and NOTIFY', () => {
  it('count as connected once one has arrived, and then reach others and not their sender', async () => {
    const [here, there] = [await start(), await start()]
    await vi.waitFor(() => expect([here.names, there.names]).toEqual([['hints:connected'], ['hints:connected']]))
    here.hints.announce(work)
    await vi.waitFor(() => expect(there.heard).toEqual([look, work]))
    expect(here.heard).toEqual([look])
  })

  it('step back for good, and say so once, where nothing arrives, as behind a pooler [K38]', async () => {
    await notify.vanishes()
    const { hints, names, onPooler, cut } = await start()
    hints.announce(work)
    await vi.waitFor(() => expect(onPooler).toHaveBeenCalledOnce(), within(5_000))
    await vi.waitFor(async () => expect(await cut()).toBe(false))
    await notify.works()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(names).toEqual([])
    expect(onPooler).toHaveBeenCalledOnce()
  })

  it.each(['0A000', '42883', '42501'])('step back for good from a server that answers %s [K38]', async (code) => {
    await notify.refuses(code)
    const { hints, names, onPooler } = await start()
    await vi.waitFor(() => expect(names).toEqual(['hints:unsupported']))
    await notify.works()
    hints.announce(work)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(names).toEqual(['hints:unsupported'])
    expect(onPooler).not.toHaveBeenCalled()
  })

  it('take a connection that is cut while it is tried for cut, not for deaf [K38]', async () => {
    await notify.vanishes()
    const { names, onPooler, cut } = await start()
    await cut()
    await vi.waitFor(() => expect(names).toContain('hints:lost'))
    await notify.works()
    await cut()
    await vi.waitFor(() => expect(names.at(-1)).toBe('hints:connected'), within(5_000))
    expect(onPooler).not.toHaveBeenCalled()
  })

  it('come back when their connection is lost or a NOTIFY fails, and look at what they missed [K39 G13]', async () => {
    const { hints, names, heard, cut } = await start()
    await vi.waitFor(() => expect(names).toEqual(['hints:connected']))
    await cut()
    await vi.waitFor(() => expect(names).toEqual(['hints:connected', 'hints:lost', 'hints:connected']), within(5_000))
    expect(heard).toEqual([look, look])
    // What a server says whose queue of notifications is full.
    await notify.refuses('54000')
    hints.announce(work)
    await vi.waitFor(
      () => expect(names.filter((name) => name === 'hints:lost').length).toBeGreaterThan(2),
      within(5_000),
    )
    await notify.works()
    await vi.waitFor(() => expect(names.at(-1)).toBe('hints:connected'), within(5_000))
  })

  it('keep neither a start nor a stop waiting for the probe [K38]', async () => {
    await notify.hangs()
    const from = performance.now()
    const { hints } = await start()
    await hints.stop()
    expect(performance.now() - from).toBeLessThan(1_500)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { build, preview, type PreviewServer } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type ExampleServer, startExampleServer } from './example-server.ts'

const root = fileURLToPath(new URL('../../examples/react', import.meta.url))
const sizes = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }

let database: TestDatabase
let server: ExampleServer
let site: PreviewServer
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
let pictures: string
let outDir: string

beforeAll(async () => {
  browser = await launchChromium()
  pictures = await mkdtemp(join(tmpdir(), 'async-jobs-pictures-'))
  console.log(`screenshots: ${pictures}`)
  outDir = await mkdtemp(join(tmpdir(), 'async-jobs-react-'))
  database = await createTestDatabase()
  server = await startExampleServer(database.url)
  process.env['API_URL'] = server.url
  const shared = { root, logLevel: 'warn', build: { outDir, emptyOutDir: true } } as const
  await build(shared)
  site = await preview({ ...shared, preview: { host: '127.0.0.1', port: 0 } })
})
afterAll(async () => {
  delete process.env['API_URL']
  await browser?.close()
  await site?.close()
  await server?.stop()
  await database?.drop()
  await rm(outDir, { recursive: true, force: true })
})
beforeEach(async () => {
  complaints = []
  context = await browser.newContext({ viewport: sizes.wide })
  page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(site.resolvedUrls!.local[0]!)
})
afterEach(async () => {
  await context?.close()
})

const card = (title: string): Locator => page.getByRole('region', { name: title })
const status = (title: string, expected: string): Promise<void> =>
  card(title).getByRole('status').getByText(expected, { exact: true }).waitFor({ timeout: 30_000 })
const press = (title: string, button: string): Promise<void> =>
  card(title).getByRole('button', { name: button }).click()
/** By the name that assistive technology reads. */
const percent = async (title: string): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: title }).getAttribute('value'))

async function reach(title: string, least: number): Promise<void> {
  await expect.poll(() => percent(title), { timeout: 30_000, interval: 50 }).toBeGreaterThanOrEqual(least)
}

async function picture(name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await page.screenshot({ path: join(pictures, `react-${name}-${size}-${colorScheme}.png`), fullPage: true })
    }
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(sizes.phone.width)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(sizes.wide)
}

describe('the React example', () => {
  it('runs three jobs at once: one to its summary, one is cancelled, one fails in words', async () => {
    await page.getByText('Nothing runs.').waitFor()
    await page.getByRole('button', { name: 'Start all' }).click()
    await page.getByText('3 of 3 jobs running').waitFor()
    await reach('Rate accounts', 10)
    await reach('Archive receipts', 1)
    await status('Import statement', 'Failed')
    const fault = card('Import statement').getByRole('alert')
    await fault.getByText('The bank statement cannot be read').waitFor()
    await fault.getByText('Line 3 of statement.csv').waitFor()
    await picture('running')
    await press('Archive receipts', 'Cancel')
    await status('Archive receipts', 'Cancelled')
    await status('Rate accounts', 'Done')
    expect(await percent('Rate accounts')).toBe(100)
    await card('Rate accounts').getByText('Rated A').waitFor()
    await page.getByText('Nothing runs.').waitFor()
    await picture('ended')
    // The browser itself notes the 422 of the failed job.
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
  })

  it('goes on after a reload in mid-job, and in another tab', async () => {
    await press('Rate accounts', 'Start')
    await reach('Rate accounts', 20)
    const early = await percent('Rate accounts')
    await page.reload()
    await reach('Rate accounts', early)
    await status('Rate accounts', 'Running')
    const other = await context.newPage()
    await other.goto(page.url())
    await status('Rate accounts', 'Done')
    await other.getByRole('region', { name: 'Rate accounts' }).getByText('Done').waitFor()
    expect(complaints).toEqual([])
  })

  it('starts again what has ended', async () => {
    await press('Import statement', 'Start')
    await status('Import statement', 'Failed')
    const before = page.url()
    await press('Import statement', 'Start again')
    await status('Import statement', 'Running')
    expect(await card('Import statement').getByRole('alert').count()).toBe(0)
    await status('Import statement', 'Failed')
    expect(page.url()).not.toBe(before)
  })
})

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type ExampleServer, startExampleServer } from './example-server.ts'

const sizes = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }

let database: TestDatabase
let server: ExampleServer
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
let pictures: string

beforeAll(async () => {
  browser = await launchChromium()
  pictures = await mkdtemp(join(tmpdir(), 'async-jobs-pictures-'))
  console.log(`screenshots: ${pictures}`)
  database = await createTestDatabase()
  server = await startExampleServer(database.url)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await database?.drop()
})

beforeEach(async () => {
  complaints = []
  context = await browser.newContext({ viewport: sizes.wide })
  page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(server.url)
})
afterEach(async () => {
  await context?.close()
})

/** Submits a job of a type and returns its card. */
async function submit(type: string): Promise<Locator> {
  const before = await page.locator('.card').count()
  await page.getByRole('radio', { name: type }).check()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.locator('.card').nth(before).waitFor()
  // Cards are in the order of submits, newest first, so a card is found again by its id and not by its place.
  const id = await page.locator('.card .id').first().textContent()
  return page.locator('.card', { hasText: id! })
}

async function status(card: Locator, expected: string, timeoutMs = 30_000): Promise<void> {
  await card.locator('.badge', { hasText: expected }).waitFor({ timeout: timeoutMs })
}

async function percent(card: Locator): Promise<number> {
  return Number((await card.getByRole('progressbar').getAttribute('aria-valuenow')) ?? 0)
}

async function reach(card: Locator, least: number): Promise<void> {
  await expect.poll(() => percent(card), { timeout: 30_000, interval: 50 }).toBeGreaterThanOrEqual(least)
}

async function picture(name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(sizes.wide)
}

describe('the page of the accounts example', () => {
  it('shows progress to the end, and then the summary', async () => {
    const card = await submit('accounts')
    await reach(card, 10)
    const early = await percent(card)
    await picture('mid-run')
    await reach(card, early + 10)
    await status(card, 'COMPLETED')
    expect(await percent(card)).toBe(100)
    await card.getByText('50,000').waitFor()
    await picture('completed')
    expect(complaints).toEqual([])
  })

  it('shows a failure in words, a cancelled job, and several jobs at once', async () => {
    const accounts = await submit('accounts')
    const slow = await submit('slow')
    const fails = await submit('fails')
    await status(fails, 'FAILED')
    await fails.getByText('The bank statement cannot be read').waitFor()
    await fails.getByText('Line 3 of statement.csv').waitFor()
    await fails.getByText('statement-unreadable').waitFor()
    await slow.getByRole('button', { name: 'Cancel' }).click()
    await status(slow, 'CANCELLED')
    await (await submit('noop')).getByText('COMPLETED').waitFor()
    await fails.getByText('The same with curl').click()
    await fails.getByText(`curl -i -X POST ${server.url}/jobs/fails`).waitFor()
    await picture('failure')
    await status(accounts, 'COMPLETED')
    expect(complaints).toEqual([])
  })

  it('is no wider than a phone', async () => {
    const card = await submit('fails')
    await status(card, 'FAILED')
    await card.getByText('The same with curl').click()
    await page.setViewportSize(sizes.phone)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(sizes.phone.width)
  })

  it('goes on after a reload in mid-job, and forgets what is removed', async () => {
    await reach(await submit('accounts'), 10)
    await page.reload()
    const card = page.locator('.card')
    await reach(card, 10)
    await status(card, 'COMPLETED')
    await card.getByText('50,000').waitFor()
    await card.getByRole('button', { name: 'Remove' }).click()
    await page.reload()
    await page.getByText('Nothing submitted yet').waitFor()
    expect(await page.locator('.card').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('goes on after a restart of the server in mid-job', async () => {
    const card = await submit('accounts')
    await reach(card, 20)
    await server.stop()
    await page.getByText('The server does not answer. Reconnecting').waitFor()
    await picture('reconnecting')
    server = await startExampleServer(database.url, Number(new URL(server.url).port))
    await status(card, 'COMPLETED')
    expect(await page.locator('#connection').textContent()).toBe('')
  })
})

import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { buildSite, type Site } from '../../support/site.ts'

let browser: Browser
let site: Site
let page: Page
let complaints: string[]
let own: Locator
let kept: Locator
let copy: Locator

beforeAll(async () => {
  browser = await launchChromium()
  site = await buildSite(fileURLToPath(new URL('page', import.meta.url)))
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(async () => {
  complaints = []
  page = await browser.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(site.url)
  own = page.getByRole('region', { name: 'own' })
  kept = page.getByRole('region', { name: 'kept' })
  copy = page.getByRole('region', { name: 'copy' })
})
afterEach(async () => {
  const rejections = await page.evaluate(() => window.kit.rejections)
  await page.close()
  const all = [...complaints, ...rejections]
  if (all.length > 0) throw new Error(`the page complains: ${all.join('; ')}`)
})

interface Shown {
  readonly jobId: string | null
  readonly status: string
  readonly percentComplete: number | null
}

const press = (panel: Locator | Page, name: string): Promise<void> =>
  panel.getByRole('button', { name, exact: true }).click()

async function shown(panel: Locator): Promise<Shown> {
  return JSON.parse((await panel.locator('output').textContent()) ?? '{}') as Shown
}

/** Waits until a panel shows all of this. */
async function shows(panel: Locator, expected: Record<string, unknown>): Promise<Shown> {
  await expect.poll(() => shown(panel), { timeout: 10_000 }).toMatchObject(expected)
  return shown(panel)
}

/** Submits in a panel. @returns the id of the job that it then shows. */
async function submit(panel: Locator): Promise<string> {
  await press(panel, 'Submit')
  const { jobId } = await shows(panel, { status: 'PENDING', isActive: true, error: null })
  return jobId!
}

const requests = (line: string): Promise<number> =>
  page.evaluate((line) => window.kit.requests.filter((one) => one.startsWith(line)).length, line)
const openStreams = (): Promise<number> => page.evaluate(() => window.kit.server.openStreams)
const progress = (id: string, percent: number): Promise<unknown> =>
  page.evaluate(([id, percent]) => window.kit.server.job(id).progress(percent), [id, percent] as const)
const statusOf = (id: string): Promise<string> => page.evaluate((id) => window.kit.server.job(id).status, id)

describe('useJob', () => {
  it('shows a job from the submit over its progress to its output, with one request of each kind in StrictMode', async () => {
    await shows(own, { status: 'idle', isActive: false, jobId: null, percentComplete: null })
    const id = await submit(own)
    await progress(id, 40)
    await shows(own, { status: 'PROCESSING', percentComplete: 40 })
    await page.evaluate((id) => window.kit.server.job(id).complete({ rated: 3 }), id)
    await shows(own, { status: 'COMPLETED', isActive: false, percentComplete: 100, output: { rated: 3 }, error: null })
    expect([await requests('POST'), await requests('GET /job-events'), await openStreams()]).toEqual([1, 1, 0])
  })

  it('gives the typed error of a failed job and of a refused submit', async () => {
    const id = await submit(own)
    await page.evaluate((id) => window.kit.server.job(id).fail({ title: 'It broke', code: 'mine' }), id)
    await shows(own, { status: 'FAILED', isActive: false, failure: 'mine', error: 'JobFailedError' })
    const strange = page.getByRole('region', { name: 'strange' })
    await press(strange, 'Submit')
    await shows(strange, { status: 'error', error: 'HttpError', jobId: null })
    await press(strange, 'Reset')
    await shows(strange, { status: 'idle', error: null })
  })

  it('cancels a job that runs, which is no error', async () => {
    const id = await submit(own)
    await press(own, 'Cancel')
    await shows(own, { status: 'CANCELLED', isActive: false, isCancelling: false, error: null })
    expect(await statusOf(id)).toBe('CANCELLED')
  })

  it('cancels a job that is still being submitted, as soon as it is accepted', async () => {
    await page.evaluate(() => window.kit.held.add('POST'))
    await press(own, 'Submit')
    await shows(own, { status: 'submitting', isActive: true })
    await press(own, 'Cancel')
    await shows(own, { status: 'submitting', isCancelling: true })
    expect(await page.evaluate(() => window.kit.server.jobs.length)).toBe(0)
    await page.evaluate(() => window.kit.held.clear())
    await page.evaluate(() => window.kit.release())
    await shows(own, { status: 'CANCELLED', isCancelling: false })
  })

  it('says nothing of a cancel that comes too late, and says why another one failed', async () => {
    const id = await submit(own)
    await page.evaluate(() => window.kit.held.add('DELETE'))
    await press(own, 'Cancel')
    await page.evaluate((id) => window.kit.server.job(id).complete(), id)
    await shows(own, { status: 'COMPLETED', isCancelling: true })
    await page.evaluate(() => window.kit.held.clear())
    await page.evaluate(() => window.kit.release())
    await shows(own, { status: 'COMPLETED', isCancelling: false, error: null })
    const second = await submit(own)
    await page.evaluate((id) => window.kit.refused.add(id), second)
    await press(own, 'Cancel')
    await shows(own, { status: 'PENDING', error: 'HttpError' })
  })

  it('shows the newest of several submits, whatever the order of their answers; the others go on', async () => {
    const first = await submit(kept)
    await progress(first, 10)
    await shows(kept, { percentComplete: 10 })
    await page.evaluate(() => window.kit.held.add('POST'))
    await press(kept, 'Submit')
    await shows(kept, { status: 'submitting', percentComplete: null, jobId: null })
    await page.evaluate(() => window.kit.held.clear())
    const newest = await submit(kept)
    expect(newest).not.toBe(first)
    await page.evaluate(() => window.kit.release())
    await expect.poll(() => page.evaluate(() => window.kit.server.jobs.length)).toBe(3)
    await progress(newest, 70)
    await shows(kept, { jobId: newest, percentComplete: 70 })
    expect(await page.getByRole('textbox', { name: 'Job' }).inputValue()).toBe(newest)
    expect(await statusOf(first)).toBe('PROCESSING')
  })

  it('waits no more when it unmounts, while the job goes on, and takes the wait up when it is back', async () => {
    const id = await submit(kept)
    await progress(id, 10)
    await shows(kept, { percentComplete: 10 })
    expect(await openStreams()).toBe(1)
    await press(page, 'Mount')
    await expect.poll(openStreams).toBe(0)
    await progress(id, 60)
    expect(await statusOf(id)).toBe('PROCESSING')
    await press(page, 'Mount')
    await shows(kept, { jobId: id, status: 'PROCESSING', percentComplete: 60 })
    await page.evaluate((id) => window.kit.server.job(id).complete(), id)
    await shows(kept, { status: 'COMPLETED' })
  })

  it('keeps the id of a job that is accepted after it has unmounted', async () => {
    await page.evaluate(() => window.kit.held.add('POST'))
    await press(kept, 'Submit')
    await shows(kept, { status: 'submitting' })
    await press(page, 'Mount')
    await page.evaluate(() => window.kit.held.clear())
    await page.evaluate(() => window.kit.release())
    await expect.poll(() => page.getByRole('textbox', { name: 'Job' }).inputValue()).toMatch(/^[\da-f-]{36}$/)
    await press(page, 'Mount')
    await shows(kept, { status: 'PENDING' })
  })

  it('shows a job that was accepted although the callback for its id throws', async () => {
    const careless = page.getByRole('region', { name: 'careless' })
    const id = await submit(careless)
    await progress(id, 30)
    await shows(careless, { status: 'PROCESSING', percentComplete: 30, error: null })
    expect(complaints.splice(0)).toEqual(['no room to keep the id'])
  })

  it('shares one wait among all components that show a job', async () => {
    const id = await submit(kept)
    await press(page, 'Copy')
    await shows(copy, { jobId: id, status: 'PENDING' })
    await progress(id, 30)
    await shows(copy, { percentComplete: 30 })
    await shows(kept, { percentComplete: 30 })
    expect([await requests('GET'), await openStreams()]).toEqual([1, 1])
    await press(page, 'Mount')
    await progress(id, 50)
    await shows(copy, { percentComplete: 50 })
    expect([await requests('GET'), await openStreams()]).toEqual([1, 1])
    await press(copy, 'Cancel')
    await shows(copy, { status: 'CANCELLED' })
    await press(page, 'Mount')
    await shows(kept, { status: 'CANCELLED' })
  })

  it('follows the job that it is asked for, and none when it is asked for none', async () => {
    const first = await submit(own)
    await progress(first, 20)
    const second = await submit(kept)
    await page.getByRole('textbox', { name: 'Job' }).fill(first)
    await shows(kept, { jobId: first, percentComplete: 20 })
    await press(page, 'Clear')
    await shows(kept, { status: 'idle', jobId: null, percentComplete: null })
    await page.getByRole('textbox', { name: 'Job' }).fill(second)
    await shows(kept, { jobId: second, status: 'PENDING' })
    await page.getByRole('textbox', { name: 'Job' }).fill('018f2c5e-7b1a-7c3d-9e4f-0123456789ab')
    await shows(kept, { status: 'error', error: 'JobNotFoundError' })
  })

  it('says why a wait ended without the job, and waits anew when told to', async () => {
    await page.evaluate(() => window.kit.refused.add('job-events'))
    await press(own, 'Submit')
    const { jobId } = await shows(own, { status: 'error', isActive: false, error: 'HttpError' })
    await page.evaluate(() => window.kit.refused.clear())
    await press(own, 'Retry')
    await shows(own, { jobId, status: 'PENDING', error: null })
  })
})

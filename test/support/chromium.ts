import { access } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the Chromium of this machine; fails with a sentence that says what is missing. */
export async function launchChromium(): Promise<Browser> {
  await access(executablePath).catch(() => {
    throw new Error(`There is no Chromium at ${executablePath}: install one, or set CHROMIUM_PATH to its executable.`)
  })
  return chromium.launch({ executablePath, args })
}

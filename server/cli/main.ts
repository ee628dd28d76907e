#!/usr/bin/env node
import { run } from './run.ts'

// Whoever reads the output may stop reading early, as `head` does.
process.stdout.on('error', () => process.exit())

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
})

import { type AnyHandler, defineHandler, JobFailureError } from 'async-jobs/server'
import type { Pool } from 'pg'
import { accountCount, evaluateAccounts } from './accounts.ts'

const batchSize = 1_000

/** The work itself takes about a second. The pauses are there only so that one can watch it, cancel it or restart. */
const pauseMs = 120

/** One handler per type of job. */
export function createHandlers({ pool }: { pool: Pool }): AnyHandler[] {
  return [accounts(pool), slow, fails, noop]
}

/** Evaluates every account anew. Safe to repeat, so a job whose worker died may have other attempts. */
function accounts(pool: Pool): AnyHandler {
  return defineHandler({
    type: 'accounts',
    retry: { maxAttempts: 3 },
    handle: async ({ signal, progress, sleep }) => {
      for (let after = 0; after < accountCount; after += batchSize) {
        signal.throwIfAborted()
        const upTo = Math.min(after + batchSize, accountCount)
        await evaluateAccounts(pool, { after, upTo })
        const accepted = await progress((upTo / accountCount) * 100)
        if (!accepted) return
        await sleep(pauseMs)
      }
    },
  })
}

/** Made to be cancelled: `sleep` wakes as soon as it is. It has the one attempt that is the default. */
const slow = defineHandler({
  type: 'slow',
  handle: async ({ progress, sleep }) => {
    for (let second = 1; second <= 60; second += 1) {
      await sleep('PT1S')
      await progress((second / 60) * 100)
    }
  },
})

/** Fails on purpose, in words for the one who reads them. */
const fails = defineHandler({
  type: 'fails',
  handle: async ({ progress, sleep }) => {
    await progress(30)
    await sleep('PT1S')
    throw new JobFailureError({
      code: 'statement-unreadable',
      title: 'The bank statement cannot be read',
      detail: 'Line 3 of statement.csv has 4 fields where 5 are expected. No account was changed.',
    })
  },
})

/** Ends at once: shows what a job costs by itself. */
const noop = defineHandler({ type: 'noop', handle: () => {} })

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { problems } from '../../../server/errors.ts'

it('the HTTP guide lists every problem as it is', () => {
  const guide = readFileSync('docs/http.md', 'utf8')
  const rows = [...guide.matchAll(/^\| `([a-z-]+)` +\| (\d{3}) +\| (.+?) +\| (yes|no) +\|$/gm)]
  const listed = rows.map(([, code, status, title, retry]) => ({ code, status, title, retry }))
  expect(listed).toEqual(
    Object.entries(problems).map(([code, { status, title, retryable }]) => ({
      code,
      status: String(status),
      title,
      retry: retryable ? 'yes' : 'no',
    })),
  )
})

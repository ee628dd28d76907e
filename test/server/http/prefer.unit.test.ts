import { describe, expect, it } from 'vitest'
import { preferredWait } from '../../../server/http/prefer.ts'

describe('the wait that a Prefer field asks for', () => {
  it.each([
    ['wait=5', 5],
    ['WAIT=5', 5],
    ['wait="7"', 7],
    ['wait = 5', 5],
    ['respond-async, wait=5', 5],
    ['wait=5; foo=bar, wait=9', 5],
    ['wait=0', 0],
    ['wait=99999', 30],
    ['wait=999999999', 30],
  ])('%s is %d s, 30 at most', (field, seconds) => expect(preferredWait(field, 30)).toBe(seconds))

  it.each([undefined, '', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=5s', 'wait="5', 'await=5', 'return=minimal'])(
    '%j asks for none',
    (field) => expect(preferredWait(field, 30)).toBeUndefined(),
  )
})

import { describe, expect, it } from 'vitest'
import { canonicalJson, findJsonFault, maxDepth } from '../../server/jobs/json.ts'
import { toPercent } from '../../server/jobs/percent.ts'

function nested(depth: number): unknown {
  let value: unknown = 0
  for (let n = 0; n < depth; n += 1) value = [value]
  return value
}

describe('an input', () => {
  it.each([5_000, 20_000, 49_000])('is refused when it is nested %i deep, without overflowing [K45]', (depth) => {
    expect(findJsonFault(nested(depth))).toMatchObject({
      code: 'body-too-deep',
      detail: expect.stringContaining('100'),
    })
  })

  it('may be as deep as the limit', () => {
    expect(findJsonFault(nested(maxDepth))).toBeUndefined()
  })

  it.each([{ x: '\0' }, { '\0k': 1 }, { x: '\ud800' }, ['\udc00'], { deep: [{ x: 'a\0' }] }])(
    'is refused when PostgreSQL could not keep it: %j [K44]',
    (value) => {
      expect(findJsonFault(value)).toMatchObject({ code: 'invalid-input' })
    },
  )

  it.each([1n, Symbol('s'), () => {}, NaN, Infinity])('is refused when it is no JSON', (value) => {
    expect(findJsonFault({ value })).toMatchObject({ code: 'invalid-input' })
  })

  it('is kept when it is unusual but sound', () => {
    expect(findJsonFault({ '': null, emoji: '😀', nested: [{}, [], false, -0, 1e300] })).toBeUndefined()
  })

  it('is equal to another whose properties stand in another order', () => {
    expect(canonicalJson({ a: [{ c: 1, b: 2 }], d: null })).toBe(canonicalJson({ d: null, a: [{ b: 2, c: 1 }] }))
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
  })
})

describe('a percentage', () => {
  it('is a whole number from 0 to 100', () => {
    expect([0, 33.9, 99.999, 100].map(toPercent)).toEqual([0, 33, 99, 100])
  })

  it.each([-1, 100.1, NaN, '40', null, undefined, 1n])('names what came when it is none: %s [K13]', (value) => {
    expect(() => toPercent(value)).toThrow(/expected a number from 0 to 100, found /)
  })
})

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeHint, encodeHint, HintBuffer } from '../../../server/store/hint-codec.ts'

const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID())

describe('a hint', () => {
  it('arrives at others as it was sent, and not at its sender', () => {
    const hint = { types: ['accounts'], jobs: ids(300) }
    const payload = encodeHint('me', hint)
    expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
    expect(decodeHint('you', payload)).toEqual(hint)
    expect(decodeHint('me', payload)).toBeUndefined()
  })

  it('says "many" when there are too many jobs to name [G14]', () => {
    const buffer = new HintBuffer()
    buffer.add({ types: ['a'], jobs: ids(200) })
    buffer.add({ types: ['b'], jobs: ids(200) })
    expect(buffer.take()).toEqual({ types: ['a', 'b'], jobs: null })
    expect(buffer.empty).toBe(true)
  })

  it('never exceeds what NOTIFY takes, whatever the types are called', () => {
    const types = Array.from({ length: 200 }, (_, n) => `${'t'.repeat(90)}${n}`)
    const payload = encodeHint('me', { types, jobs: ids(1) })
    expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
    expect(decodeHint('you', payload)?.jobs).toBeNull()
  })

  it('is ignored when it is not one', () => {
    expect(decodeHint('me', 'hello')).toBeUndefined()
    expect(decodeHint('me', '{}')).toBeUndefined()
    expect(decodeHint('me', 'null')).toBeUndefined()
  })
})

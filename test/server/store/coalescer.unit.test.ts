import { describe, expect, it } from 'vitest'
import { type Answer, Coalescer } from '../../../server/store/coalescer.ts'
import { gate } from '../../support/gate.ts'

const echo = (batch: readonly number[]): Answer<number>[] => batch.map((reply) => ({ reply }))

describe('coalescing', () => {
  it('sends what arrives in one turn as one batch', async () => {
    const batches: number[] = []
    const coalescer = new Coalescer<number, number>(async (batch) => {
      batches.push(batch.length)
      return echo(batch)
    })
    expect(await Promise.all([1, 2, 3].map((n) => coalescer.add(n)))).toEqual([1, 2, 3])
    expect(batches).toEqual([3])
  })

  it('lets what arrives while enough is under way gather', async () => {
    const batches: number[][] = []
    const hold = gate()
    const coalescer = new Coalescer<number, number>(
      async (batch) => {
        batches.push([...batch])
        await hold.promise
        return echo(batch)
      },
      { inFlight: 1, batch: 2 },
    )
    const first = coalescer.add(1)
    await Promise.resolve()
    const rest = [2, 3, 4].map((n) => coalescer.add(n))
    hold.open()
    expect(await Promise.all([first, ...rest])).toEqual([1, 2, 3, 4])
    expect(batches).toEqual([[1], [2, 3], [4]])
  })

  it('rejects one request of a batch alone, or all of them when the batch fails', async () => {
    const coalescer = new Coalescer<number, number>(async (batch) => {
      if (batch.includes(0)) throw new Error('no')
      return batch.map((n) => (n < 0 ? { error: new Error('negative') } : { reply: n }))
    })
    const [good, bad] = await Promise.allSettled([coalescer.add(1), coalescer.add(-1)])
    expect([good?.status, bad?.status]).toEqual(['fulfilled', 'rejected'])
    await expect(Promise.all([coalescer.add(0), coalescer.add(1)])).rejects.toThrow('no')
  })

  it('bounds what may wait [G14]', async () => {
    const hold = gate()
    const coalescer = new Coalescer<number, number>(
      async (batch) => {
        await hold.promise
        return echo(batch)
      },
      { inFlight: 1, batch: 1, waiting: 2 },
    )
    const accepted = coalescer.add(1)
    await Promise.resolve()
    const waiting = [coalescer.add(2), coalescer.add(3)]
    await expect(coalescer.add(4)).rejects.toMatchObject({ code: 'database-unavailable' })
    hold.open()
    expect(await Promise.all([accepted, ...waiting])).toEqual([1, 2, 3])
  })
})

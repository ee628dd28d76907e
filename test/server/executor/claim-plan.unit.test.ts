import { describe, expect, it } from 'vitest'
import { ClaimPlan } from '../../../server/executor/claim-plan.ts'
import type { ClaimedJob } from '../../../server/store/port.ts'

const job = (type: string, runAt: number, priority = 1): ClaimedJob =>
  ({ type, priority, runAt: new Date(runAt) }) as ClaimedJob

const jobs = (type: string, count: number): ClaimedJob[] => Array.from({ length: count }, () => job(type, 0))

describe('what a claim asks for', () => {
  it('lets every type and priority have a share, however few slots there are [K20 G12]', () => {
    const shares = new ClaimPlan(['a', 'b', 'c']).shares(1, false)
    expect(shares).toHaveLength(12)
    expect(shares.every(({ limit }) => limit >= 1)).toBe(true)
  })

  it('gives what is spare to those that had more than they were given', () => {
    const plan = new ClaimPlan(['deep', 'quiet'])
    const first = plan.shares(100, false)
    const limit = first.find(({ type, priority }) => type === 'deep' && priority === 1)?.limit ?? 0
    expect(plan.learn(first, jobs('deep', limit))).toBe(true)
    const second = plan.shares(100, false)
    expect(second.find(({ type, priority }) => type === 'deep' && priority === 1)?.limit).toBe(93)
    expect(second.find(({ type }) => type === 'quiet')?.limit).toBe(1)
  })

  it('begins with another type each time', () => {
    const plan = new ClaimPlan(['a', 'b'])
    const first = Array.from({ length: 4 }, () => plan.shares(1, false)[0]?.type)
    expect(new Set(first)).toEqual(new Set(['a', 'b']))
  })

  it('begins with the least urgent now and then, so that no priority starves', () => {
    const plan = new ClaimPlan(['a'])
    const first = Array.from({ length: 10 }, () => plan.shares(1, false)[0]?.priority)
    expect(first.filter((priority) => priority === 3)).toHaveLength(2)
    expect(first.filter((priority) => priority === 0)).toHaveLength(8)
  })

  it('follows the last claimed with a floor, downwards too, and sweeps below it', () => {
    const plan = new ClaimPlan(['a'])
    const floor = (sweep = false): number | undefined =>
      plan
        .shares(8, sweep)
        .find(({ priority }) => priority === 1)
        ?.floor?.getTime()
    expect(floor()).toBeUndefined()
    plan.learn(plan.shares(8, false), [job('a', 100_000), job('a', 90_000)])
    expect(floor()).toBe(90_000)
    expect(floor(true)).toBeUndefined()
    plan.learn(plan.shares(8, true), [job('a', 20_000)])
    expect(floor()).toBe(10_000)
    plan.learn(plan.shares(8, false), [])
    expect(floor()).toBe(10_000)
  })
})

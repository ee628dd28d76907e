import type { ClaimedJob, ClaimShare } from '../store/port.ts'

/** The levels that the schema knows, most urgent first. */
const priorities = [0, 1, 2, 3]

/**
 * How far behind the last claimed job a claim still looks, in milliseconds. Jobs that commit later than that after they
 * were due are found by the sweep.
 */
const marginMs = 10_000

interface Pair {
  readonly type: string
  readonly priority: number
  floor: Date | null
  /** Took all that it was allowed to: more is waiting. */
  hungry: boolean
}

/**
 * Decides what each claim asks for. Every (type, priority) has its own share and its own floor, so that one deep or
 * blocked type starves no other; the order rotates, so that with fewer slots than pairs each has its turn.
 */
export class ClaimPlan {
  readonly #pairs: readonly Pair[]
  #turn = 0

  constructor(types: readonly string[]) {
    this.#pairs = priorities.flatMap((priority) =>
      types.map((type) => ({ type, priority, floor: null, hungry: false })),
    )
  }

  /**
   * @param total the slots to fill.
   * @param sweep looks below the floors too: for late commits and released jobs.
   */
  shares(total: number, sweep: boolean): ClaimShare[] {
    const hungry = this.#pairs.filter((pair) => pair.hungry).length
    const spare = Math.max(0, total - this.#pairs.length)
    const extra = Math.floor(spare / (hungry || this.#pairs.length || 1))
    return this.#ordered().map(({ type, priority, floor, hungry: isHungry }) => ({
      type,
      priority,
      limit: 1 + (isHungry || hungry === 0 ? extra : 0),
      floor: sweep ? null : floor,
    }))
  }

  /** Learns from what a claim brought. @returns whether more is waiting. */
  learn(shares: readonly ClaimShare[], claimed: readonly ClaimedJob[]): boolean {
    const limits = new Map(shares.map((share) => [`${share.priority} ${share.type}`, share.limit]))
    const taken = new Map<string, ClaimedJob[]>()
    for (const job of claimed) {
      const key = `${job.priority} ${job.type}`
      const jobs = taken.get(key)
      if (jobs === undefined) taken.set(key, [job])
      else jobs.push(job)
    }
    for (const pair of this.#pairs) {
      const key = `${pair.priority} ${pair.type}`
      const jobs = taken.get(key) ?? []
      pair.hungry = jobs.length > 0 && jobs.length >= (limits.get(key) ?? 0)
      // The floor follows downwards too, so that one sweep which finds old rows opens the way for the next claims.
      if (jobs.length > 0) pair.floor = new Date(Math.max(...jobs.map((job) => job.runAt.getTime())) - marginMs)
    }
    return this.#pairs.some((pair) => pair.hungry)
  }

  /** Urgent pairs first, except each fifth time, so that no priority starves another; types take turns. */
  #ordered(): Pair[] {
    this.#turn += 1
    const perLevel = this.#pairs.length / priorities.length || 1
    const levels = priorities.map((_, level) => {
      const pairs = this.#pairs.slice(level * perLevel, (level + 1) * perLevel)
      const start = this.#turn % perLevel
      return [...pairs.slice(start), ...pairs.slice(0, start)]
    })
    return (this.#turn % 5 === 0 ? levels.toReversed() : levels).flat()
  }
}

import type { ClaimedJob, CycleResult, Ending, Store } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import type { ClaimPlan } from './claim-plan.ts'
import { storeEndings } from './endings.ts'

/** Statements under way at once: while one commits, the next one's endings gather. */
const maxInFlight = 2
/** Endings in one statement. */
const maxEndings = 500
/** After a failed statement, in milliseconds: doubling from the first to the second. */
const backoffMs = [100, 5_000] as const
/** A sweep looks below the floors; the next follows after this, or twenty times its own duration, in milliseconds. */
const sweepEveryMs = 2_000

export interface CycleOptions {
  readonly store: Pick<Store, 'cycle' | 'releaseUnheld'>
  readonly telemetry: Telemetry
  readonly plan: ClaimPlan
  readonly fireAndForget: readonly string[]
  readonly pollIntervalMs: number
  /** The slots that are free now. */
  freeSlots(): number
  /** The lease to claim under; undefined while there is none. */
  workerId(): string | undefined
  onClaimed(jobs: readonly ClaimedJob[]): void
  /** Told of endings once they are stored; one without a state was refused. */
  onEnded(endings: readonly Ending[], states: CycleResult['ended']): void
}

/**
 * Ends what has finished and claims what is due, in one statement where both are at hand. Nothing is timed: an ending
 * leaves in the same turn of the event loop, together with whatever else has ended by then.
 */
export class Cycles {
  readonly #options: CycleOptions
  #endings: Ending[] = []
  #inFlight = 0
  #reserved = 0
  #wanted = false
  #claiming = false
  #scheduled = false
  #failures = 0
  #nextSweep = 0
  #poll: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  /** A claim whose reply was lost may have taken jobs that nobody here knows of. */
  #unsure = false
  #idle: (() => void)[] = []

  constructor(options: CycleOptions) {
    this.#options = options
  }

  start(): void {
    this.#claiming = true
    this.#poll = setInterval(() => this.wake(), this.#options.pollIntervalMs)
    this.wake()
  }

  /** There may be new work. */
  wake(): void {
    this.#wanted = true
    this.#schedule()
  }

  /** Stores how an attempt ended. */
  end(ending: Ending): void {
    this.#endings.push(ending)
    this.#schedule()
  }

  /** A slot is free again. */
  slotFreed(): void {
    if (this.#wanted) this.#schedule()
  }

  /** Claims nothing any more; endings are still stored. Resolves when no claim is under way. */
  async stopClaiming(): Promise<void> {
    this.#claiming = false
    clearInterval(this.#poll)
    this.#poll = undefined
    await this.#settled(() => this.#reserved === 0)
  }

  /** Resolves when all endings are stored, or when they cannot be. */
  async drain(): Promise<void> {
    await this.#settled(() => this.#inFlight === 0 && (this.#endings.length === 0 || this.#failures > 2))
    clearTimeout(this.#retry)
  }

  /** Gives back what this worker owns but does not hold; no claim may be under way meanwhile. */
  async reconcile(held: () => ReadonlyMap<string, number>, force: boolean): Promise<number> {
    const workerId = this.#options.workerId()
    if (workerId === undefined || !this.#claiming || !(force || this.#unsure)) return 0
    this.#claiming = false
    try {
      await this.#settled(() => this.#reserved === 0)
      const released = await this.#options.store.releaseUnheld(workerId, held())
      this.#unsure = false
      if (released.length > 0) this.#options.telemetry.emit('recovery:released', { count: released.length })
      return released.length
    } finally {
      this.#claiming = this.#poll !== undefined
      this.wake()
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#retry !== undefined || this.#inFlight >= maxInFlight) return
    this.#scheduled = true
    // Handlers that end in this turn of the event loop share the statement.
    setImmediate(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#inFlight >= maxInFlight || this.#retry !== undefined) return
    const workerId = this.#options.workerId()
    const free = this.#options.freeSlots() - this.#reserved
    const claims = this.#wanted && this.#claiming && free > 0 && workerId !== undefined
    const endings = this.#endings.splice(0, maxEndings)
    if (!claims && endings.length === 0) return
    if (claims) this.#wanted = false
    void this.#run(endings, claims ? { workerId, total: free } : undefined)
    if (this.#endings.length > 0) this.#schedule()
  }

  async #run(endings: readonly Ending[], claim: { workerId: string; total: number } | undefined): Promise<void> {
    const { plan, fireAndForget, store } = this.#options
    const startedAt = performance.now()
    const sweep = claim !== undefined && startedAt >= this.#nextSweep
    const shares = claim === undefined ? [] : plan.shares(claim.total, sweep)
    this.#inFlight += 1
    this.#reserved += claim?.total ?? 0
    try {
      const request = claim === undefined ? undefined : { ...claim, shares, fireAndForget }
      const { ended, claimed } = await storeEndings(store, endings, request)
      if (claim !== undefined && plan.learn(shares, claimed)) this.#wanted = true
      if (sweep) this.#nextSweep = performance.now() + Math.max(sweepEveryMs, 20 * (performance.now() - startedAt))
      this.#failures = 0
      this.#reserved -= claim?.total ?? 0
      if (claimed.length > 0) this.#options.onClaimed(claimed)
      this.#options.onEnded(endings, ended)
    } catch (error) {
      this.#reserved -= claim?.total ?? 0
      this.#fail(endings, claim !== undefined, error)
    } finally {
      this.#inFlight -= 1
      this.#schedule()
      for (const check of this.#idle.splice(0)) check()
    }
  }

  /** Nothing is lost: the endings go round again. Those that were stored already are then refused by their token. */
  #fail(endings: readonly Ending[], claimed: boolean, error: unknown): void {
    this.#options.telemetry.emit('database:error', { during: 'cycle', error })
    this.#endings.unshift(...endings)
    this.#wanted = true
    if (claimed) this.#unsure = true
    const delay = Math.min(backoffMs[1], backoffMs[0] * 2 ** Math.min(this.#failures, 10))
    this.#failures += 1
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      this.#schedule()
    }, delay)
  }

  #settled(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (done()) resolve()
        else this.#idle.push(check)
      }
      check()
    })
  }
}

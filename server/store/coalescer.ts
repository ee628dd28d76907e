import { ProblemError } from '../errors.ts'

/** One request that waits for its batch. */
interface Waiting<Request, Reply> {
  readonly request: Request
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** How one request of a batch was answered. */
export type Answer<Reply> = { readonly reply: Reply } | { readonly error: unknown }

export interface CoalescerLimits {
  /** Requests in one batch. Default: 200. */
  readonly batch?: number
  /** Batches under way at once; while that many are, later requests gather. Default: 2. */
  readonly inFlight?: number
  /** Requests that may wait; beyond, they are refused with `database-unavailable`. Default: 20,000. */
  readonly waiting?: number
}

/**
 * Group commit in the process: requests of one moment leave as one statement. There is no timer, so an idle server
 * sends at once, and a busy one sends ever larger batches.
 */
export class Coalescer<Request, Reply> {
  readonly #run: (batch: readonly Request[]) => Promise<readonly Answer<Reply>[]>
  readonly #limits: Required<CoalescerLimits>
  #waiting: Waiting<Request, Reply>[] = []
  #inFlight = 0
  #scheduled = false

  /** @param run Answers each request of a batch, in their order. When it rejects, all of the batch do. */
  constructor(
    run: (batch: readonly Request[]) => Promise<readonly Answer<Reply>[]>,
    { batch = 200, inFlight = 2, waiting = 20_000 }: CoalescerLimits = {},
  ) {
    this.#run = run
    this.#limits = { batch, inFlight, waiting }
  }

  add(request: Request): Promise<Reply> {
    if (this.#waiting.length >= this.#limits.waiting) return Promise.reject(new ProblemError('database-unavailable'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#inFlight >= this.#limits.inFlight) return
    this.#scheduled = true
    // Requests that arrive in the same turn of the event loop share the batch.
    queueMicrotask(() => {
      this.#scheduled = false
      void this.#send(this.#waiting.splice(0, this.#limits.batch))
      this.#schedule()
    })
  }

  async #send(batch: readonly Waiting<Request, Reply>[]): Promise<void> {
    this.#inFlight += 1
    try {
      const answers = await this.#run(batch.map(({ request }) => request))
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index] ?? { error: new Error('a request of the batch was not answered') }
        if ('reply' in answer) resolve(answer.reply)
        else reject(answer.error)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#inFlight -= 1
      this.#schedule()
    }
  }
}

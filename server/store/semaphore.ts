/** Lets so many at a time go ahead, and the others in the order they came. */
export class Semaphore {
  #permits: number
  readonly #waiting = new Set<() => void>()

  constructor(permits: number) {
    this.#permits = permits
  }

  /** Resolves when it is this one's turn; rejects with the signal's reason when that is aborted before. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#permits > 0) {
      this.#permits -= 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const proceed = (): void => {
        signal.removeEventListener('abort', refuse)
        resolve()
      }
      const refuse = (): void => {
        this.#waiting.delete(proceed)
        reject(signal.reason as Error)
      }
      this.#waiting.add(proceed)
      signal.addEventListener('abort', refuse, { once: true })
    })
  }

  /** Ends a turn that was acquired. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#permits += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

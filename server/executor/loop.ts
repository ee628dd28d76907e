/**
 * The shape of every background loop: do a bit of work, say how long to sleep. Starting twice, stopping twice and
 * stopping before the start are all allowed; `stop` resolves when no work is under way any more.
 */
export class Loop {
  readonly #work: () => Promise<number>
  readonly #onError: (error: unknown) => void
  #running: Promise<void> | undefined
  #stopped = false
  #wake: () => void = () => {}

  /**
   * @param work does a bit of work and resolves to the milliseconds to sleep.
   * @param onError is told what the work threw; the loop goes on after a second.
   */
  constructor(work: () => Promise<number>, onError: (error: unknown) => void) {
    this.#work = work
    this.#onError = onError
  }

  start(): void {
    this.#stopped = false
    this.#running ??= this.#run()
  }

  /** Ends the present sleep. */
  wake(): void {
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    await this.#running
    this.#running = undefined
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      let sleepMs = 1_000
      try {
        sleepMs = await this.#work()
      } catch (error) {
        this.#onError(error)
      }
      if (!this.#stopped) await this.#sleep(sleepMs)
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

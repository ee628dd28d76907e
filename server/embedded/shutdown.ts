/** Signals that stop a postmaster, and how long each may take: fast, immediate, kill. */
const STEPS: ReadonlyArray<readonly [signal: NodeJS.Signals, patienceMs: number]> = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
]

/** A postmaster as seen by whoever wants to end it. */
export interface Stoppable {
  signal(signal: NodeJS.Signals): void | Promise<void>
  /** Waits for the end; `false` when it did not come in time. */
  endsWithin(ms: number): Promise<boolean>
}

/**
 * Asks for a fast shutdown (sessions are cut, data is flushed) and escalates after 10 seconds.
 *
 * @throws when even SIGKILL had no effect
 */
export async function shutDown(server: Stoppable): Promise<void> {
  for (const [signal, patienceMs] of STEPS) {
    await server.signal(signal)
    if (await server.endsWithin(patienceMs)) return
  }
  throw new Error('PostgreSQL does not end, not even on SIGKILL')
}

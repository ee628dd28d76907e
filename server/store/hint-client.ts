import type { Client, ClientConfig, Pool } from 'pg'

/** How long a statement may take, in milliseconds. */
const queryTimeoutMs = 5_000

/** A client like those of the pool, but not one of them: a pool of one connection must stay usable. */
export function newClient(pool: Pool): Client {
  const { Client: PoolClass, options } = pool as unknown as {
    Client: new (config: ClientConfig) => Client
    options: ClientConfig
  }
  // `options` is passed on as it is: its password is hidden from enumeration, so a copy would lose it.
  return new PoolClass(options)
}

/** Runs a statement, by default a mere sign of life. Rejects when it is not answered in time. */
export async function ask(to: Client | Pool, text = 'SELECT 1', values: readonly string[] = []): Promise<void> {
  const timed = { text, values: [...values], query_timeout: queryTimeoutMs }
  // The ready query config has the timeout; its type does not know it.
  await to.query(timed as { text: string; values: string[] })
}

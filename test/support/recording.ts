import pg from 'pg'

/** What a connection of a recording pool was given. */
export interface Sent {
  readonly client: pg.Client
  readonly text: string
  readonly name: string | undefined
}

/** A pool that records every statement of its connections, and of those that are made like them. */
export function recordingPool(url: string, options: pg.PoolConfig = {}): { pool: pg.Pool; sent: Sent[] } {
  const sent: Sent[] = []
  class RecordingClient extends pg.Client {
    override query(...args: unknown[]): never {
      const [first] = args as [string | { text: string; name?: string }]
      const { text, name } = typeof first === 'string' ? { text: first } : first
      sent.push({ client: this, text, name })
      return (super.query as (...given: unknown[]) => never).apply(this, args)
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: 5, Client: RecordingClient, ...options })
  pool.on('error', () => {})
  return { pool, sent }
}

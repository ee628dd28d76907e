import { randomUUID } from 'node:crypto'
import type { Client, Notification, Pool } from 'pg'

/** How long a notification may take to arrive, in milliseconds. */
const patienceMs = 5_000

/**
 * Whether what others notify reaches this connection. Behind a pooler that shares sessions LISTEN succeeds and nothing
 * ever comes. The probe is sent over another connection: on its own a session would hear itself even there.
 */
export async function hears(client: Client, pool: Pool, channel: string): Promise<boolean> {
  const probe = `probe ${randomUUID()}`
  let listener: (notification: Notification) => void = () => {}
  let timer: NodeJS.Timeout | undefined
  const heard = new Promise<boolean>((resolve) => {
    listener = ({ payload }) => {
      if (payload === probe) resolve(true)
    }
    timer = setTimeout(() => resolve(false), patienceMs)
  })
  client.on('notification', listener)
  try {
    await pool.query('SELECT pg_notify($1, $2)', [channel, probe])
    return await heard
  } finally {
    clearTimeout(timer)
    client.off('notification', listener)
  }
}

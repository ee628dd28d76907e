import { randomUUID } from 'node:crypto'
import type { Client, Notification, Pool } from 'pg'
import { sqlState } from './database.ts'
import { ask } from './hint-client.ts'

/** How long a notification may take to arrive, in milliseconds. */
const patienceMs = 2_000

/**
 * Whether what others notify reaches this connection. Behind a pooler that shares sessions LISTEN succeeds and nothing
 * ever comes. The probe is sent over another connection: on its own a session would hear itself even there.
 * Rejects when either connection breaks meanwhile, which says nothing.
 */
export async function hears(client: Client, pool: Pool, channel: string): Promise<boolean> {
  const probe = `probe ${randomUUID()}`
  let heard = false
  let wake = (): void => {}
  const waited = new Promise<void>((resolve) => (wake = resolve))
  const onNotification = ({ payload }: Notification): void => {
    if (payload !== probe) return
    heard = true
    wake()
  }
  client.on('notification', onNotification).once('end', wake)
  let timer: NodeJS.Timeout | undefined
  try {
    await ask(pool, 'SELECT pg_notify($1, $2)', [channel, probe])
    // Only now: how long a busy pool keeps its callers waiting says nothing about notifications.
    timer = setTimeout(wake, patienceMs)
    await waited
    // A connection that answers and has not heard by then is deaf; one that is cut or silent rejects here.
    if (!heard) await ask(client)
    return heard
  } finally {
    clearTimeout(timer)
    client.off('notification', onNotification).off('end', wake)
  }
}

/** Whether an error is the answer of a server that has no LISTEN or NOTIFY, as opposed to a connection that broke. */
export function isRefusal(error: unknown): boolean {
  return /^(0A|42)/.test(sqlState(error) ?? '')
}

import type { TestDatabase } from './database.ts'
import type { Sent } from './recording.ts'

/** Lets a test decide what the server does with notifications. */
export interface Notify {
  /** They arrive, as they do from the beginning. */
  works(): Promise<unknown>
  /** They are taken and never arrive, as behind a pooler. */
  vanishes(): Promise<unknown>
  refuses(code: string): Promise<unknown>
  hangs(): Promise<unknown>
}

/** Puts a function of the test's own before the server's. Sessions that are open already do not see it. */
export async function shadowNotify(database: TestDatabase): Promise<Notify> {
  const become = (body: string): Promise<unknown> =>
    database.query(`CREATE OR REPLACE FUNCTION shadow.pg_notify(channel text, payload text) RETURNS void
      LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$`)
  const works = (): Promise<unknown> => become('PERFORM pg_catalog.pg_notify(channel, payload)')
  await database.query('CREATE SCHEMA shadow')
  await works()
  const name = new URL(database.url).pathname.slice(1)
  await database.query(`ALTER DATABASE ${name} SET search_path = shadow, public, pg_catalog`)
  return {
    works,
    vanishes: () => become('NULL'),
    refuses: (code) => become(`RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'`),
    hangs: () => become('PERFORM pg_sleep(60)'),
  }
}

/** Ends the connection that was made to listen last. @returns whether it was still there. */
export async function cutHints(database: TestDatabase, sent: readonly Sent[]): Promise<boolean> {
  const listening = sent.findLast(({ text }) => text.startsWith('LISTEN'))?.client as { processID?: number } | undefined
  const { rows } = await database.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = $1', [
    listening?.processID,
  ])
  return rows.length > 0
}

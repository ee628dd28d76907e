import type { Pool } from 'pg'

/** How many accounts there are; their ids are 1 to this. */
export const accountCount = 50_000

/** Ratings depend on how old a movement is: as of a fixed day, so that every run gives the same. */
const ratedAsOf = '2026-01-01T00:00:00Z'

/** Makes the table and its accounts where they are missing. Every database gets the same accounts. */
export async function prepareAccounts(pool: Pool): Promise<void> {
  // One query text is one transaction, and the lock lets processes that start together do this one after the other.
  await pool.query(`
    SELECT pg_advisory_xact_lock(hashtext('example_accounts'));
    CREATE TABLE IF NOT EXISTS example_accounts (
      id               integer PRIMARY KEY,
      balance_cents    bigint NOT NULL,
      overdrafts       integer NOT NULL,
      last_movement_at timestamptz NOT NULL,
      rating           text CHECK (rating IN ('A', 'B', 'C')),
      evaluated_at     timestamptz
    );
    INSERT INTO example_accounts (id, balance_cents, overdrafts, last_movement_at)
    SELECT id,
           hash % 2000000 - 300000,
           hash / 7 % 6,
           timestamptz '${ratedAsOf}' - hash / 11 % 400 * interval '1 day'
      FROM (SELECT id, id::bigint * 2654435761 % 4294967296 AS hash FROM generate_series(1, ${accountCount}) AS id) AS made
     WHERE NOT EXISTS (SELECT FROM example_accounts)`)
}

/**
 * Rates the accounts of one batch. The result depends on nothing but the accounts themselves, so doing it again, even
 * by two attempts at once, changes nothing but `evaluated_at`.
 * @param batch ids above `after`, up to and with `upTo`.
 */
export async function evaluateAccounts(pool: Pool, batch: { after: number; upTo: number }): Promise<void> {
  await pool.query(
    `UPDATE example_accounts
        SET rating = CASE
              WHEN balance_cents < 0 AND overdrafts >= 3 THEN 'C'
              WHEN balance_cents < 0 OR overdrafts >= 4 THEN 'B'
              WHEN last_movement_at < timestamptz '${ratedAsOf}' - interval '180 days' THEN 'B'
              ELSE 'A'
            END,
            evaluated_at = now()
      WHERE id > $1 AND id <= $2`,
    [batch.after, batch.upTo],
  )
}

/** What a client reads once the job is COMPLETED. */
export interface AccountsSummary {
  readonly total: number
  readonly ratings: { readonly A: number; readonly B: number; readonly C: number }
  /** Not evaluated yet. */
  readonly unrated: number
  /** When the last batch was evaluated; null before the first one. */
  readonly evaluatedAt: Date | null
}

export async function readSummary(pool: Pool): Promise<AccountsSummary> {
  const { rows } = await pool.query<{ total: number; a: number; b: number; c: number; evaluated_at: Date | null }>(
    `SELECT count(*)::integer AS total,
            count(*) FILTER (WHERE rating = 'A')::integer AS a,
            count(*) FILTER (WHERE rating = 'B')::integer AS b,
            count(*) FILTER (WHERE rating = 'C')::integer AS c,
            max(evaluated_at) AS evaluated_at
       FROM example_accounts`,
  )
  const [{ total, a, b, c, evaluated_at }] = rows as [(typeof rows)[number]]
  return { total, ratings: { A: a, B: b, C: c }, unrated: total - a - b - c, evaluatedAt: evaluated_at }
}

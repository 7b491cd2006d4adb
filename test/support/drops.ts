import type { Database } from '../../src/db/database.js';

/** Names on a drop list with that purge time; the n-th has the score n - 1. @returns them, best score first */
export async function addDrops(
  database: Database,
  count: number,
  purgeAt: Date,
  label = 'drop',
): Promise<string[]> {
  await database.query(
    `INSERT INTO domain (domain, name, tld, wayback, state, list_kind, listed_at, purge_at, news_until)
     SELECT $3 || number || '.com.au', $3 || number, 'com.au', number, 'listed', 'deleted',
            $2::timestamptz - interval '1 day',
            $2, $2::timestamptz + interval '7 days'
       FROM generate_series(0, $1::int - 1) AS number`,
    [count, purgeAt, label],
  );
  return Array.from({ length: count }, (_, place) => `${label}${count - 1 - place}.com.au`);
}

/** How many names there are in each state. */
export async function countStates(database: Database): Promise<Record<string, number>> {
  const rows = await database.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM domain GROUP BY state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

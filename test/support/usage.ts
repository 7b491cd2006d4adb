import type { Database } from '../../src/db/database.js';
import { type TestKey, WITH_KEYS } from './accounts.js';
import { type Client, startTestApp, type TestApp } from './app.js';
import { addDomains } from './domains.js';

const NAMES = 60;

/** The starter's month, and minutes that no test spends. */
export const USAGE_ENVIRONMENT = {
  ...WITH_KEYS,
  TIERS: JSON.stringify({ starter: { recordsPerMinute: 100_000, requestsPerMinute: 100_000 } }),
};

/** Two instances on one database, with names history-0.com.au and on to be paid for. The first is closed last. */
export async function startTwoInstances(): Promise<[first: TestApp, second: TestApp]> {
  const first = await startTestApp(USAGE_ENVIRONMENT);
  const second = await startTestApp({ ...USAGE_ENVIRONMENT, DATABASE_URL: first.databaseUrl });
  const seed = { wayback: 1, first_seen: null, available: true, hidden: false };
  await addDomains(
    first.database,
    Array.from({ length: NAMES }, (_, place) => ({ ...seed, domain: `history-${place}.com.au` })),
  );
  return [first, second];
}

export const askWithKey = (app: TestApp, { bearer }: TestKey, path: string): ReturnType<Client['get']> =>
  app.caller().get(path).set('Authorization', bearer);

/** What the budgets have charged to the live keys of the account this month. */
export async function chargedTo(database: Database, { accountId }: TestKey): Promise<number> {
  const [row] = await database.query<{ used: number }>(
    `SELECT period_used AS used FROM record_budget WHERE caller = $1 AND period = 'month'`,
    [`account:${accountId}`],
  );
  return row?.used ?? 0;
}

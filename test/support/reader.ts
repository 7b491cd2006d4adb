import { addKey, WITH_KEYS } from './accounts.js';
import { startTestApp, type TestApp } from './app.js';
import { until } from './processes.js';
import type { Pair } from './streaming-replica.js';

const MANY = { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };

/** Whatever a replica lacks, it is read from. */
export const PATIENT = { REPLICA_MAX_LAG_MS: '60000' };
export const STRICT = { REPLICA_MAX_LAG_MS: '2000' };

/** The address of the feed from a place on. */
export const feed = (place: string): string => `/api/v1/dropped?limit=100&${place}`;
export const BEGINNING = 'since=2026-01-01T00:00:00Z';

/** An instance that reads at the replica of a pair, and a caller of it who may read everything. */
export interface Reader extends TestApp {
  get(path: string): Promise<{ status: number; body: Answer }>;
}

/** What the tests look at, of whatever was asked for. */
export interface Answer {
  available_records: number;
  total: number;
  count: number;
  available: boolean;
  state: string;
  next_cursor: string;
  results: { domain: string; type: string; data: { domain: string; available: boolean } }[];
}

export async function startReader(pair: Pair, environment: Record<string, string>): Promise<Reader> {
  const app = await startTestApp({
    ...WITH_KEYS,
    DATABASE_URL: pair.primaryUrl,
    DATABASE_REPLICA_URLS: pair.replicaUrl,
    TIERS: JSON.stringify({ demo: MANY, firehose: MANY }),
    ...environment,
  });
  const { bearer } = await addKey(app.database, { tier: 'firehose' });
  return {
    ...app,
    get: async (path) => app.caller().get(path).set('Authorization', bearer),
  };
}

/** More than others may have left behind: what a session read is counted when it has had time for that. */
const READS = 3;

/** Asks until the replica has answered. */
export async function untilUsed(pair: Pair, reader: Reader): Promise<void> {
  const before = await readsAt(pair);
  await until('the replica is read from', async () => {
    expect((await reader.get('/v1/stats')).status).toBe(200);
    return (await readsAt(pair)) >= before + READS;
  });
}

/** How often the counters of the dataset were read at the replica. */
async function readsAt(pair: Pair): Promise<number> {
  const [row] = await pair.onReplica<{ reads: number }>(
    `SELECT (seq_scan + coalesce(idx_scan, 0))::int AS reads FROM pg_stat_user_tables WHERE relname = 'dataset'`,
  );
  return row?.reads ?? 0;
}

export const said = (reader: Reader, text: string): number =>
  reader.log.filter((line) => line.includes(text)).length;
export const AWAY = 'is not read from: ';
const BACK = 'is not read from no longer';

/** What the log says of the replica, in order. */
export const comings = (reader: Reader): string[] =>
  reader.log.flatMap((line) => (line.includes(AWAY) ? ['away'] : line.includes(BACK) ? ['back'] : []));

/** On a slow machine it also comes and goes by itself; however often, each is said once. */
export function expectInTurn(words: readonly string[]): void {
  expect(words).toEqual(words.map((_, place) => (place % 2 === 0 ? 'away' : 'back')));
}

import { addKey, WITH_KEYS } from './accounts.js';
import { startTestApp, type TestApp } from './app.js';
import { type Pair, untilReadAt } from './streaming-replica.js';

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
    // A search that is cut short is asked again at the primary.
    SUGGEST_TIME_CAP_MS: '10000',
    ...environment,
  });
  const { bearer } = await addKey(app.database, { tier: 'firehose' });
  return {
    ...app,
    get: async (path) => app.caller().get(path).set('Authorization', bearer),
  };
}

/** Asks until the replica has answered. */
export const untilUsed = (pair: Pair, reader: Reader): Promise<void> =>
  untilReadAt(pair.replicaUrl, async () => (await reader.get('/v1/stats')).status);

export const said = (reader: Reader, text: string): number =>
  reader.log.filter((line) => line.includes(text)).length;
export const AWAY = 'is not read from: ';
const BACK = 'is not read from no longer';

/** What the log says of the replica, in order. */
export const comings = (reader: Reader): string[] =>
  reader.log.flatMap((line) => (line.includes(AWAY) ? ['away'] : line.includes(BACK) ? ['back'] : []));

/** A slow machine loses it by itself too; the log names each reason once, and its return once. */
export function expectInTurn({ log }: Reader): void {
  let reasons: string[] | null = null;
  for (const line of log) {
    if (line.includes(BACK)) {
      expect(reasons).not.toBeNull();
      reasons = null;
    } else if (line.includes(AWAY)) {
      const reason = line.slice(line.indexOf(AWAY)).replace(/\d+/g, '');
      expect(reasons ?? []).not.toContain(reason);
      reasons = [...(reasons ?? []), reason];
    }
  }
}

/** What the replica answered. A busy machine loses it now and then, and then the primary answers. */
export async function readAtReplica(pair: Pair, reader: Reader, path: string): Promise<Answer> {
  for (;;) {
    const before = comings(reader);
    const { body } = await reader.get(path);
    if (before.at(-1) !== 'away' && comings(reader).length === before.length) return body;
    await untilUsed(pair, reader);
  }
}

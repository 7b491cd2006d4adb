import type { Database } from '../../src/db/database.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomains, VOUCHED_AT } from '../support/domains.js';
import { after, startJobs, type StartedJobs, stateOf } from '../support/jobs.js';

const PURGE_AT = new Date('2026-11-20T03:00:00Z');
const DAY = 86_400;

describe('as time passes', () => {
  let url: string;
  let jobs: StartedJobs;
  let database: Database;
  beforeEach(async () => {
    url = await cloneTemplate();
    jobs = await startJobs(url);
    ({ database } = jobs);
  });
  afterEach(async () => {
    await jobs.close();
    dropDatabase(url);
  });

  const addListed = (count: number, purgeAt: Date) =>
    database.query(
      `INSERT INTO domain (domain, name, tld, state, list_kind, purge_at)
       SELECT format('listed-%s.com.au', number), format('listed-%s', number), 'com.au', 'listed', 'deleted', $2
         FROM generate_series(1, $1::int) AS number`,
      [count, purgeAt],
    );
  const countsByState = async () => {
    const rows = await database.query<{ state: string; count: number }>(
      'SELECT state, count(*)::int AS count FROM domain GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  const addOffered = (count: number) =>
    addDomains(
      database,
      Array.from({ length: count }, (_, place) => ({
        domain: `offered-${place}.com.au`,
        wayback: place,
        first_seen: null,
        available: true,
        hidden: false,
      })),
    );

  it('names are purged at their time and not before, however many they are', async () => {
    await addListed(1_201, PURGE_AT);
    await jobs.runAll(after(PURGE_AT, -1));
    expect(await countsByState()).toEqual({ listed: 1_201 });
    await jobs.runAll(after(PURGE_AT, 4));
    expect(await countsByState()).toEqual({ purged: 1_201 });
    expect(await stateOf(database, 'purge')).toMatchObject({
      failures: 0,
      lastSuccessAt: after(PURGE_AT, 4),
    });
  });

  it('names on offer are given a time for their next question, wherever they came from', async () => {
    await addOffered(2_500);
    // A batch of the sweep every 5 s.
    for (let second = 0; second <= 15; second += 5) await jobs.runAll(after(VOUCHED_AT, second));
    expect(
      await database.query('SELECT count(*)::int AS count FROM recheck WHERE ask_at > $1', [VOUCHED_AT]),
    ).toEqual([{ count: 2_500 }]);
    expect(await stateOf(database, 'recheck-sweep')).toMatchObject({ cursor: { after: '' } });
  });

  it('names that nobody has asked about for 120 days leave the offer', async () => {
    await addOffered(401);
    const lastDay = after(VOUCHED_AT, 120 * DAY);
    await jobs.runAll(lastDay);
    expect(await countsByState()).toEqual({ available: 401 });
    await jobs.runAll(after(lastDay, 61));
    expect(await countsByState()).toEqual({ stale: 401 });
    expect(await database.query('SELECT available_records::int FROM dataset')).toEqual([
      { available_records: 0 },
    ]);
  });
});

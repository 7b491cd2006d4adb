import { join } from 'node:path';
import type { Database } from '../../src/database/database.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { compileSources, makeFolder, run } from '../support/processes.js';
import {
  chance,
  DAY_MS,
  FIRST_DAY,
  startYearServer,
  type YearServer,
  YearWorld,
} from '../support/year-world.js';

// npm run test:year plays a year, with 40 kills; the suite a few days, with a few.
const DAYS = Number(process.env.YEAR_DAYS ?? 4);
const NAMES_A_DAY = Number(process.env.YEAR_NAMES_A_DAY ?? 20);
const KILLS = Number(process.env.YEAR_KILLS ?? 2);
/** After the last list, until the last of its names is purged, late or not. */
const REST_DAYS = 6;
const QUESTIONS_A_DAY = NAMES_A_DAY * 9;

jest.setTimeout(120_000 + DAYS * NAMES_A_DAY * 1_000);

interface Row {
  domain: string;
  state: string;
  checked_at: Date | null;
  confirmed_by: string | null;
  announced: boolean;
}
interface Event {
  number: number;
  type: string;
  domain: string;
}

describe(`${DAYS} days of lists, the process killed ${KILLS} times`, () => {
  const world = new YearWorld(DAYS, NAMES_A_DAY);
  const end = new Date(FIRST_DAY + (DAYS + REST_DAYS) * DAY_MS);
  let test: TestDatabase;
  let server: YearServer;
  let rows: Row[];
  let events: Event[];

  beforeAll(async () => {
    test = await createTestDatabase();
    await test.database.query('CREATE TABLE handed_clock (now timestamptz NOT NULL)');
    await test.database.query('INSERT INTO handed_clock VALUES ($1)', [new Date(FIRST_DAY + 60_000)]);
    server = await startYearServer(world, test.url);
    await play(join(await compileSources(await makeFolder('compiled')), 'test/support/year-player.js'));
    rows = await test.database.query('SELECT domain, state, checked_at, confirmed_by, announced FROM domain');
    events = await test.database.query('SELECT number::int, type, domain FROM domain_event ORDER BY number');
  });
  afterAll(async () => {
    await server.close();
    await test.close();
  });

  /** Kills it at moments that belong to the run: so many requests after the last time, and up to 20 ms after one. */
  async function play(player: string): Promise<void> {
    const environment = {
      LIST_DELETED_URLS: `${server.url}/deleted`,
      LIST_EXPIRED_URLS: `${server.url}/expired`,
      REGISTRY_RDAP_URL: `${server.url}/rdap/`,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_CANARIES: 'off',
      SAMPLE_PER_DAY: '5',
      REGISTRY_RATE_PER_SECOND: (QUESTIONS_A_DAY / 86_400).toFixed(3),
      REGISTRY_BURST: String(Math.ceil(QUESTIONS_A_DAY / 12)),
    };
    // At the least: both lists every hour, and every name once.
    const wholeRequests = DAYS * (48 + NAMES_A_DAY);
    for (let killed = 0; ; killed += 1) {
      const child = run(player, [test.url, JSON.stringify(environment), end.toISOString()]);
      const isLast = killed === KILLS;
      let left = Math.ceil((wholeRequests / (KILLS + 1)) * (0.3 + chance(`kill ${killed}`)));
      server.onRequest = () => {
        left -= 1;
        if (left === 0 && !isLast)
          setTimeout(() => child.child.kill('SIGKILL'), chance(`late ${killed}`) * 20);
      };
      const outcome = await child.ended;
      if (outcome === 'SIGKILL') continue;
      if (outcome !== 0) throw new Error(`the player ended with ${outcome}:\n${child.output()}`);
      expect(killed).toBe(KILLS);
      return;
    }
  }
  const eventsOf = (domain: string) =>
    events.filter((event) => event.domain === domain).map(({ type }) => type.replace('domain.', ''));

  it('loses no name and invents none', () => {
    const listed = new Set(world.listings.map(({ domain }) => domain));
    expect(new Set(rows.map(({ domain }) => domain))).toEqual(listed);
  });

  it('offers none without a confirmation', () => {
    const saidFree = new Set(
      server.answers.filter(({ said }) => said === 'free').map(({ domain, at }) => `${domain} ${at}`),
    );
    const offered = rows.filter(({ state }) => state === 'available');
    expect(offered.length).toBeGreaterThan(0);
    expect(offered.filter(({ confirmed_by }) => confirmed_by !== 'sandbox')).toEqual([]);
    expect(
      offered.filter(({ domain, checked_at }) => !saidFree.has(`${domain} ${checked_at?.getTime()}`)),
    ).toEqual([]);
  });

  it('leaves no name waiting', () => {
    expect(rows.filter(({ state }) => ['listed', 'purged', 'unconfirmed'].includes(state))).toEqual([]);
  });

  it('says of each name what the registry said last', () => {
    const wrong = rows.filter(({ domain, state }) => {
      const last = server.answers.filter((answer) => answer.domain === domain).at(-1)?.said;
      return last === 'free' ? state !== 'available' : state !== 'taken' && state !== 'rescued';
    });
    expect(wrong).toEqual([]);
  });

  it('writes every event once, in its order, and misses none', async () => {
    expect(events.map(({ number }) => number)).toEqual(events.map((_, place) => place + 1));
    for (const { domain, state, announced } of rows) {
      const told = eventsOf(domain);
      expect(told.filter((type) => type === 'listed')).toHaveLength(world.listingsOf(domain).length);
      // Each listing begins anew; then a drop and what ends it, in turns, or a rescue.
      expect(told.join(' ')).toMatch(/^(listed( rescued|( dropped)?( taken dropped)*( taken)?) ?)+$/);
      const last = told.filter((type) => type !== 'listed').at(-1);
      expect([domain, last]).toEqual([
        domain,
        { available: 'dropped', taken: 'taken', rescued: 'rescued' }[state],
      ]);
      expect(announced).toBe(state === 'available');
    }
  });

  it('counts what it offers', async () => {
    const [dataset] = await count(test.database);
    expect(dataset).toEqual({
      available_records: rows.filter(({ state }) => state === 'available').length,
      last_event: events.length,
    });
  });

  const count = (database: Database) =>
    database.query('SELECT available_records::int, last_event::int FROM dataset');
});

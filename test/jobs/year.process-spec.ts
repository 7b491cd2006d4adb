import { join } from 'node:path';
import { ArchiveQueue } from '../../src/archive/archive-queue.repository.js';
import { QueueLengthRepository } from '../../src/domains/freshness/queue-length.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { compiledSources, run, type Running } from '../support/processes.js';
import { chance, madeUpDays, realDays } from '../support/year/days.js';
import { isSameLife, possibleLives } from '../support/year/oracle.js';
import { startYearServer, type YearServer } from '../support/year/server.js';
import { DAY_MS, FIRST_DAY, YearWorld } from '../support/year/world.js';

// npm run test:year plays a year, with 40 kills; the suite a few days, with a few. YEAR_LISTS is a folder of real lists.
const DAYS = Number(process.env.YEAR_DAYS ?? 3);
const NAMES_A_DAY = Number(process.env.YEAR_NAMES_A_DAY ?? 15);
const KILLS = Number(process.env.YEAR_KILLS ?? 2);
const LISTS = process.env.YEAR_LISTS;
/** After the last list, until the last of its names is purged, late or not, and answered for. */
const REST_DAYS = 5;
const END = new Date(FIRST_DAY + (DAYS + REST_DAYS) * DAY_MS);
/** What is left when every name was confirmed is for the names on offer. */
const QUESTIONS_A_DAY = NAMES_A_DAY * 3;
/** From one moment of the fast clock to the next turns come together, one of which is left to callers. */
const STEPS_A_DAY = DAYS < 10 ? 12 : 4;
const MIN_RATE_PER_SECOND = 0.001;
/** How long a name is offered without being asked again: the default of OFFER_MAX_AGE_DAYS. */
const OFFER_DAYS = 120;
/** Within a few days there are turns for every name on offer; over a year there are fewer than names. */
const RECHECK_DAYS = DAYS < 10 ? 1 : OFFER_DAYS;
/** Names on offer that nobody has asked about for long are stale. */
const DONE = ['available', 'stale', 'taken', 'rescued'];

/**
 * On a busy machine an answer comes after its time limit, or waits for a lock for longer than it may. It is not
 * written, and the name is asked about again: seen of 1 in 6,587 names.
 */
const MAX_UNWRITTEN = Math.ceil((DAYS * NAMES_A_DAY) / 1_000);

jest.setTimeout(300_000 + DAYS * NAMES_A_DAY * 2_000);

interface Row {
  domain: string;
  state: string;
  checkedAt: Date | null;
  confirmedBy: string | null;
  announced: boolean;
  archive: string;
  wayback: number;
}
interface Event {
  number: number;
  type: string;
  domain: string;
  at: Date;
}

describe(`${DAYS} days of lists, the process killed ${KILLS} times`, () => {
  let world: YearWorld;
  let test: TestDatabase;
  let server: YearServer;
  let playing: Running | undefined;
  let rows: Row[] = [];
  let events: Event[] = [];

  beforeAll(async () => {
    world = new YearWorld(
      LISTS === undefined ? madeUpDays(DAYS, NAMES_A_DAY) : await realDays(LISTS, DAYS, NAMES_A_DAY),
    );
    test = await createTestDatabase();
    await test.database.query('CREATE TABLE handed_clock (now timestamptz NOT NULL)');
    await test.database.query('INSERT INTO handed_clock VALUES ($1)', [new Date(FIRST_DAY + 60_000)]);
    server = await startYearServer(world, test.url);
    await play(join(await compiledSources(), 'dist/test/support/year/player.js'));
    rows = await readRows();
    events = await test.database.query(
      `SELECT number::int, replace(type, 'domain.', '') AS type, domain, occurred_at AS at FROM domain_event ORDER BY number`,
    );
  });
  afterAll(async () => {
    await playing?.stop('SIGKILL');
    const { list, registry, archive } = server.requests;
    process.stdout.write(
      `${DAYS} days, ${KILLS} kills: ${world.listings.length} listings of ${rows.length} names, ` +
        `${list} requests for lists, ${registry} to the registry, ${archive} to the archive, ${events.length} events\n`,
    );
    await server.close();
    await test.close();
  });

  const readRows = () =>
    test.database.query<Row & Record<string, unknown>>(
      `SELECT domain, state, checked_at AS "checkedAt", confirmed_by AS "confirmedBy", announced,
              archive_status AS archive, wayback FROM domain`,
    );

  /** Kills it at moments that belong to the run: so many requests after the last time, and up to 20 ms after one. */
  async function play(player: string): Promise<void> {
    const environment = {
      LIST_DELETED_URLS: `${server.url}/deleted`,
      LIST_EXPIRED_URLS: `${server.url}/expired`,
      REGISTRY_RDAP_URL: `${server.url}/rdap/`,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_CANARIES: 'off',
      REGISTRY_TIMEOUT_MS: '60000',
      SAMPLE_PER_DAY: '5',
      REGISTRY_RATE_PER_SECOND: Math.max(MIN_RATE_PER_SECOND, QUESTIONS_A_DAY / 86_400).toFixed(5),
      REGISTRY_BURST: String(1 + Math.ceil(QUESTIONS_A_DAY / STEPS_A_DAY)),
      ARCHIVE_CDX_URL: `${server.url}/archive`,
      ARCHIVE_SOURCE: 'sandbox',
      ARCHIVE_RATE_PER_MINUTE: '60000',
    };
    // At the least: both lists at each moment, and every name once at the registry and once at the archive.
    const wholeRequests = DAYS * 2 * STEPS_A_DAY + world.listings.length * 2;
    for (let killed = 0; ; killed += 1) {
      const child = (playing = run(player, [
        ...[test.url, JSON.stringify(environment), END.toISOString(), String(86_400 / STEPS_A_DAY)],
      ]));
      const isLast = killed === KILLS;
      let left = Math.ceil((wholeRequests / (KILLS + 1)) * (0.3 + chance(`kill ${killed}`)));
      server.onRequest = () => {
        left -= 1;
        if (left === 0 && !isLast)
          setTimeout(() => child.child.kill('SIGKILL'), chance(`late ${killed}`) * 20);
      };
      const outcome = await child.ended;
      server.loseLast();
      const kept = await readRows();
      expect(offeredWithoutWord(kept)).toEqual([]);
      expect(scoredWithoutWord(kept)).toEqual([]);
      if (outcome === 'SIGKILL') continue;
      if (outcome !== 0) throw new Error(`the player ended with ${outcome}:\n${child.output()}`);
      expect(killed).toBe(KILLS);
      return;
    }
  }

  function offeredWithoutWord(kept: Row[]): Row[] {
    const free = new Set(
      server.answers.filter(({ truth }) => truth.said === 'free').map(({ domain, at }) => `${domain} ${at}`),
    );
    return kept.filter(
      ({ domain, state, checkedAt, confirmedBy }) =>
        state === 'available' &&
        (confirmedBy !== 'sandbox' || !free.has(`${domain} ${checkedAt?.getTime()}`)),
    );
  }

  /** An error is no score: neither is a name that was never answered for. One that is listed again keeps its score meanwhile. */
  function scoredWithoutWord(kept: Row[]): Row[] {
    return kept.filter(({ domain, archive, wayback }) => {
      const isScored = archive === 'ok' || archive === 'none' || wayback !== 0;
      return isScored && (!server.scored.has(domain) || wayback !== world.scoreOf(domain));
    });
  }

  it('loses no name and invents none', () => {
    expect(new Set(rows.map(({ domain }) => domain))).toEqual(new Set(world.domains));
  });

  it('leaves no name waiting, and its queues empty', async () => {
    expect(rows.filter(({ state }) => !DONE.includes(state))).toEqual([]);
    const { lengths } = await new QueueLengthRepository(test.database).measure(END);
    const { drops, older, retry, unconfirmed, recheck } = lengths;
    const empty = { waiting: 0, precision: 'exact', oldest: null };
    expect([drops, older, retry, unconfirmed]).toEqual(Array(4).fill(empty));
    // Names on offer are asked again as far as the turns reach, the likeliest to be gone first; none waits for longer than it is offered.
    expect(recheck.oldest?.getTime() ?? END.getTime()).toBeGreaterThan(END.getTime() - RECHECK_DAYS * DAY_MS);
    const oldest = Math.min(
      ...rows.filter(({ state }) => state === 'available').map(({ checkedAt }) => Number(checkedAt)),
    );
    expect(oldest).toBeGreaterThan(END.getTime() - (OFFER_DAYS + 1) * DAY_MS);
    expect(await new ArchiveQueue(test.database).size(END)).toMatchObject({
      waiting: 0,
      retries: 0,
      oldest: null,
    });
    expect(await test.database.query('SELECT kind, last_error FROM work WHERE failures > 0')).toEqual([]);
  });

  it('offers some of them, and none without a confirmation', () => {
    expect(rows.some(({ state }) => state === 'available')).toBe(true);
    expect(offeredWithoutWord(rows)).toEqual([]);
  });

  it('scores every name as the archive has it, and no error as 0', () => {
    const scores = rows.map(({ domain, archive, wayback }) => ({ domain, archive, wayback }));
    expect(scores).toEqual(
      rows.map(({ domain }) => {
        const wayback = world.scoreOf(domain);
        return { domain, archive: wayback > 0 ? 'ok' : 'none', wayback };
      }),
    );
  });

  it('writes every event once, in its order, and misses none', () => {
    expect(events.map(({ number }) => number)).toEqual(events.map((_, place) => place + 1));
    const eventsByName = grouped(events);
    const answersByName = grouped(server.answers);
    let unwritten = 0;
    const wrong: unknown[] = [];
    for (const { domain, state, announced } of rows) {
      const told = eventsByName.get(domain) ?? [];
      const listings = world.listingsOf(domain);
      // Each purge is told once at the most, and not before it was due: whether it was depends on when an answer came.
      const purges = told.filter(({ type }) => type === 'purged');
      const isPurgedInTime =
        purges.length <= listings.length &&
        purges.every(({ at }) => listings.some(({ purgeAt }) => purgeAt <= at.getTime()));
      const listedAt = told.filter(({ type }) => type === 'listed').map(({ at }) => at.getTime());
      const isListedInTime =
        listedAt.map((at) => Math.floor((at - FIRST_DAY) / DAY_MS)).join() ===
        listings.map(({ day }) => day).join();
      const answers = answersByName.get(domain) ?? [];
      const lives = possibleLives(listings, listedAt, answers);
      const life = {
        events: told.filter(({ type }) => type !== 'purged').map(({ type, at }) => ({ type, at })),
        state: state === 'stale' ? 'available' : state,
      };
      const isLife = lives.some((one) => isSameLife(life, one));
      const isWithoutOne = (lost: unknown) =>
        possibleLives(
          listings,
          listedAt,
          answers.filter((answer) => answer !== lost),
        ).some((one) => isSameLife(life, one));
      const isUnwritten = !isLife && unwritten < MAX_UNWRITTEN && answers.some(isWithoutOne);
      if (isUnwritten) unwritten += 1;
      const isTold = isLife || isUnwritten;
      if (!isTold || !isPurgedInTime || !isListedInTime || announced !== (life.state === 'available'))
        wrong.push({ domain, announced, state, told, listings, answers, meant: lives[0] });
    }
    if (wrong.length > 0)
      process.stdout.write(
        `${wrong.length} wrong, the first:\n${JSON.stringify(wrong.slice(0, 20), null, 1)}\n`,
      );
    expect(wrong).toHaveLength(0);
  });

  it('counts what it offers', async () => {
    expect(await test.database.query('SELECT available_records::int, last_event::int FROM dataset')).toEqual([
      {
        available_records: rows.filter(({ state }) => state === 'available').length,
        last_event: events.length,
      },
    ]);
  });
});

function grouped<Item extends { domain: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(item.domain, [...(groups.get(item.domain) ?? []), item]);
  return groups;
}

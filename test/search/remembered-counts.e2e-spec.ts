import fc from 'fast-check';
import { readConfig } from '../../src/config/read-config.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';
import type { NameFilter } from '../../src/domains/schema/filters/filters.js';
import { NameCounter } from '../../src/domains/search/name-counter.js';
import { NameSampler } from '../../src/domains/search/name-sampler.js';
import { ReadDatabase } from '../../src/db/replicas/read-database.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { passing } from '../support/discovery-oracle.js';
import { addDomains, type DomainSeed } from '../support/domains.js';
import { importVouched } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { until } from '../support/processes.js';
import { runs } from '../support/runs.js';

const LARGE = { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };
const AT = new Date('2026-11-20T03:00:00Z');
const nothingElse = () => Promise.resolve();

let test: TestApp;
let bearer: string;
beforeAll(async () => {
  test = await startTestApp({ ...WITH_KEYS, TIERS: JSON.stringify({ firehose: LARGE }) });
  ({ bearer } = await addKey(test.database, { tier: 'firehose' }));
});
afterAll(() => test.close());

const lifecycle = () =>
  lifecycleOn(test.database, {
    REGISTRY_SECOND_ANSWER_MINUTES: '0',
    REGISTRY_MAX_FLIPS_PER_HOUR: '1000000',
  });

async function fill(rows: DomainSeed[]): Promise<void> {
  await test.database.query('TRUNCATE domain, domain_cube, domain_event, registry_answer, recheck');
  await test.database.query(
    'UPDATE dataset SET available_records = 0, last_event = 0, last_event_at = NULL, refreshed = NULL, offers_left = offers_left + 1',
  );
  await addDomains(test.database, rows);
}

/** A change of which nobody counts a move. */
const hideByHand = (domain: string) =>
  test.database.query('UPDATE domain SET hidden = true WHERE domain = $1', [domain]);

const seed = (domain: string, wayback = 20): DomainSeed => ({
  domain,
  wayback,
  first_seen: '2026-10-01',
  available: true,
  hidden: false,
});

describe('a search whose count is remembered', () => {
  const totalOf = async (query: string) => {
    const { body, status } = await test.caller().get(`/api/v1/search?${query}`).set('Authorization', bearer);
    expect({ query, status, body }).toMatchObject({ query, status: 200 });
    return { total: body.total as number, capped: body.total_capped as boolean };
  };

  it('is not counted again, whatever page and order is asked for, until the offer changes', async () => {
    await fill(['reef.au', 'reef.com.au', 'reefs.au', 'tea.au'].map((domain) => seed(domain)));
    expect(await totalOf('q=reef')).toEqual({ total: 3, capped: false });
    await hideByHand('reefs.au');
    for (const query of ['q=reef', 'q=reef&sort=domain', 'q=reef&per_page=1&page=2', 'q=reef&hyphens=allow'])
      expect(await totalOf(query)).toEqual({ total: 3, capped: false });
    // Others were not counted before.
    expect(await totalOf('q=reef&min_length=4')).toEqual({ total: 2, capped: false });
    // Scores within a band, and days within a month, are never remembered.
    const within = ['q=reef&min_wayback=15', 'q=reef&first_seen_from=2026-09-15'];
    for (const query of within) expect(await totalOf(query)).toEqual({ total: 2, capped: false });
    await hideByHand('reef.au');
    for (const query of within) expect(await totalOf(query)).toEqual({ total: 1, capped: false });
    await lifecycle().observeHidden('tea.au', true, AT, nothingElse);
    expect(await totalOf('q=reef')).toEqual({ total: 1, capped: false });
  });

  it('is counted anew after connections were lost: what answers then may have another past', async () => {
    await fill(['reef.au', 'reefs.au'].map((domain) => seed(domain)));
    expect(await totalOf('q=reef')).toEqual({ total: 2, capped: false });
    await hideByHand('reef.au');
    await test.database.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await until('it is counted anew', async () => (await totalOf('q=reef')).total === 1);
  });

  it('is counted as long as instances may write that count no moves', async () => {
    await fill(['reef.au', 'reefs.au'].map((domain) => seed(domain)));
    await test.database.query(`UPDATE dataset SET moves_counted_from = now() + interval '1 minute'`);
    try {
      expect(await totalOf('q=reef')).toEqual({ total: 2, capped: false });
      await hideByHand('reef.au');
      expect(await totalOf('q=reef')).toEqual({ total: 1, capped: false });
    } finally {
      await test.database.query(`UPDATE dataset SET moves_counted_from = '-infinity'`);
    }
  });
});

// Of few names and cells, so that changes meet the filters, on both sides of bands and months.
const NAMES = ['reef', 'reefs', 'a-reef', 'reef1', 'tea', 'teas'].flatMap((name) =>
  SUFFIXES.slice(0, 3).map((tld) => `${name}.${tld}`),
);
const anyName = fc.constantFrom(...NAMES);
const anyScore = fc.constantFrom(0, 5, 20, 50, 500);
const anyChange = fc.oneof(
  fc.record({ kind: fc.constantFrom('answer' as const), domain: anyName, isFree: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('hide' as const), domain: anyName, hidden: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('score' as const), domain: anyName, wayback: anyScore }),
  fc.record({ kind: fc.constantFrom('forget' as const), domain: anyName }),
  fc.record({
    kind: fc.constantFrom('import' as const),
    rows: fc.array(fc.tuple(anyName, anyScore, fc.constantFrom('2026-10-01', '2026-10-09', '2026-11-02')), {
      minLength: 1,
      maxLength: 5,
    }),
    isRebuilt: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
  }),
  fc.record({ kind: fc.constantFrom('nothing' as const) }),
);
type Change = typeof anyChange extends fc.Arbitrary<infer Found> ? Found : never;
const anyFilter: fc.Arbitrary<NameFilter> = fc.record({
  q: fc.constantFrom('reef', 'ee', 'a', 'tea'),
  mode: fc.constantFrom('contains', 'prefix'),
  suffixes: fc.constantFrom([], [], ['au']),
  minWayback: fc.constantFrom(0, 10, 10, 15),
  hyphens: fc.constantFrom('allow', 'exclude'),
  firstSeenFrom: fc.constantFrom(undefined, undefined, '2026-10-01', '2026-10-05'),
});

async function make(change: Change, at: Date): Promise<unknown> {
  switch (change.kind) {
    case 'answer':
      for (const state of change.isFree
        ? (['pending_delete', 'available'] as const)
        : (['registered'] as const))
        await lifecycle().observeAnswer(change.domain, {
          state,
          source: 'rdap',
          checkedAt: at,
          registeredAt: null,
        });
      return;
    case 'hide':
      return lifecycle().observeHidden(change.domain, change.hidden, at, nothingElse);
    case 'score': {
      const score = { status: 'ok', firstCapture: null, lastCapture: null, captures: null } as const;
      return lifecycle().observeScore(change.domain, { ...score, wayback: change.wayback });
    }
    case 'forget':
      return lifecycle().forget(change.domain, at, nothingElse);
    case 'import': {
      const rows = change.rows.map((row) => row.join(',')).join('\n');
      return importVouched(test.database, `domain,wayback,first_seen\n${rows}\n`, {
        now: at,
        vouch: { by: 'test', at },
        ...(change.isRebuilt && { rebuildMinChanges: 0 }),
      });
    }
    case 'nothing':
      return;
    default:
      return change satisfies never;
  }
}

describe('counts', () => {
  // So few that names are counted beyond them as well.
  const LIMITS = { max: 4, beyond: 2 };

  it('are those of a look at every name, whatever is remembered and has changed', async () => {
    const reads = ReadDatabase.open(
      test.database,
      readConfig({ SUGGEST_TIME_CAP_MS: '5000' }),
      () => undefined,
    );
    const asked = { known: 0, apart: 0 };
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyFilter, { minLength: 4, maxLength: 4 }),
          fc.array(anyChange, { minLength: 12, maxLength: 12 }),
          async (filters, changes) => {
            await fill(NAMES.slice(0, 12).map((domain, place) => seed(domain, place * 7)));
            const counter = new NameCounter(reads, new NameSampler(test.database), LIMITS);
            for (const [place, change] of changes.entries()) {
              await make(change, new Date(AT.getTime() + place * 60_000));
              const rows = await test.database.query<DomainSeed & Record<string, unknown>>(
                `SELECT domain, wayback, to_char(first_seen, 'YYYY-MM-DD') AS first_seen, available, hidden FROM domain`,
              );
              for (const filter of filters) {
                asked[counter.mayKnow(filter) ? 'known' : 'apart'] += 1;
                const found = passing(rows, filter).length;
                expect({ change, filter, ...(await counter.count(filter)) }).toEqual({
                  change,
                  filter,
                  total: Math.min(found, LIMITS.max),
                  isCapped: found > LIMITS.max,
                });
              }
            }
          },
        ),
        { numRuns: runs(10) },
      );
    } finally {
      await reads.onApplicationShutdown();
    }
    expect(asked.known).toBeGreaterThan(20);
    expect(asked.apart).toBeGreaterThan(20);
  }, 60_000);
});

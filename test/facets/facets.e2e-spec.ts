import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { passing, seedOf } from '../support/discovery-oracle.js';
import { addDomains, addInState, type DomainSeed } from '../support/domains.js';
import type { NameFilter } from '../../src/domains/schema/filters/filters.js';
import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';

let test: TestApp;
let rows: DomainSeed[];
beforeAll(async () => {
  test = await startTestApp(WITH_KEYS);
  holdMinute(test);
  rows = Array.from({ length: 120 }, (_, place) => ({
    domain: `${['shop', 'cafe-', 'c0ffee', 'tea-2'][place % 4]}${'x'.repeat(place % 5)}${'abc'[place % 3]}y${'z'.repeat(place % 7)}${place % 2 === 0 ? place : ''}k${'q'.repeat(Math.floor(place / 8))}.${SUFFIXES[place % 6]}`,
    wayback: place % 3 === 0 ? 0 : (place * 137) % 15_000,
    first_seen:
      place % 9 === 0
        ? null
        : `2026-${String(9 + (place % 3)).padStart(2, '0')}-${String(1 + (place % 30)).padStart(2, '0')}`,
    available: place % 20 !== 11,
    hidden: place % 20 === 12,
  }));
  await addDomains(test.database, rows);
});
afterAll(() => test.close());

const everything: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };
const LAST_DAYS: Record<string, string> = { '2026-09': '30', '2026-10': '31', '2026-11': '30' };

/** What the facets must be, as JSON lines without an order. */
function facetsOf(found: readonly DomainSeed[]): Record<string, string[]> {
  const count = (of: (seed: ReturnType<typeof seedOf>) => object) => {
    const counts = new Map<string, number>();
    for (const row of found) {
      const value = JSON.stringify(of(seedOf(row)));
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].map(([value, names]) => `${value} ${names}`).sort();
  };
  return {
    tld: count(({ tld }) => ({ tld })),
    length: count(({ name }) => ({ length: name.length })),
    hyphens: count(({ name }) => ({ hyphens: name.includes('-') ? 'only' : 'exclude' })),
    numbers: count(({ name }) => ({ numbers: /\d/.test(name) ? 'only' : 'exclude' })),
    wayback: count(({ wayback }) => {
      const band = SCORE_BANDS.find(({ from }) => wayback >= from);
      return { min_wayback: band?.from, max_wayback: band?.to };
    }),
    first_seen: count(({ firstSeen }) => {
      const month = firstSeen?.slice(0, 7);
      return {
        first_seen_from: month ? `${month}-01` : null,
        first_seen_to: month ? `${month}-${LAST_DAYS[month]}` : null,
      };
    }),
  };
}

function linesOf(facets: Record<string, ({ count: number } & object)[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(facets).map(([name, values]) => [
      name,
      values.map(({ count, ...value }) => `${JSON.stringify(value)} ${count}`).sort(),
    ]),
  );
}

describe('GET /api/v1/facets', () => {
  it.each([
    ['', {}],
    ['tld=com.au,id.au&hyphens=only', { suffixes: ['com.au', 'id.au'], hyphens: 'only' }],
    ['numbers=exclude&min_length=8&max_length=14', { numbers: 'exclude', minLength: 8, maxLength: 14 }],
    ['min_wayback=100&max_wayback=9999', { minWayback: 100, maxWayback: 9_999 }],
    ['min_wayback=55', { minWayback: 55 }],
    ['first_seen_from=2026-10-01', { firstSeenFrom: '2026-10-01' }],
    ['first_seen_to=2026-10-31', { firstSeenTo: '2026-10-31' }],
    [
      'first_seen_from=2026-09-10&first_seen_to=2026-11-15',
      { firstSeenFrom: '2026-09-10', firstSeenTo: '2026-11-15' },
    ],
    ['q=ff', { q: 'ff' }],
    ['q=shop&mode=prefix&hyphens=exclude', { q: 'shop', mode: 'prefix', hyphens: 'exclude' }],
    ['q=nothing', { q: 'nothing' }],
  ] as const)('%s: counts what a list in memory counts', async (parameters, filter) => {
    const { body } = await test.caller().get(`/api/v1/facets?${parameters}`).expect(200);
    const found = passing(rows, { ...everything, ...filter });
    expect(linesOf(body.facets)).toEqual(facetsOf(found));
    expect(body).toMatchObject({ ok: true, total: found.length, total_capped: false, counted: found.length });
  });

  it('says of counts that rest on a sandbox that its answers are made up, and nothing of a real registry', async () => {
    const { body } = await test.caller().get('/api/v1/facets').expect(200);
    expect(body.note).toBe('The registry is a sandbox: its answers are made up.');
    const real = await startTestApp({ REGISTRY_SOURCE: 'rdap', REGISTRY_CANARIES: 'google.com.au' });
    try {
      expect((await real.caller().get('/api/v1/facets').expect(200)).body).not.toHaveProperty('note');
    } finally {
      await real.close();
    }
  });

  it('gives each value as the parameters that ask for these names', async () => {
    const { body } = await test.caller().get('/api/v1/facets').expect(200);
    for (const [name, values] of Object.entries<({ count: number } & object)[]>(body.facets)) {
      const [{ count, ...value } = { count: NaN }] = values.slice(-1);
      const parameters = Object.entries<string | number | null>({ ...value })
        .filter(([, given]) => given !== null)
        .map(([key, given]) =>
          key === 'length' ? `min_length=${given}&max_length=${given}` : `${key}=${given}`,
        );
      const searched = await test
        .caller()
        .get(`/api/v1/search?${parameters.join('&')}`)
        .expect(200);
      expect({ name, total: searched.body.total }).toEqual({ name, total: count });
    }
  });

  it('costs nothing without a keyword and a record with one, and goes on without one when none is left', async () => {
    const caller = test.caller();
    for (const [parameters, left] of [
      ['', 5],
      ['?hyphens=only', 5],
      ['?q=c', 4],
      ['?q=c', 3],
    ] as const) {
      const { body } = await caller.get(`/api/v1/facets${parameters}`).expect(200);
      expect([parameters, body.rate.remaining]).toEqual([parameters, left]);
    }
    for (let spent = 2; spent < 5; spent += 1) await caller.get('/api/v1/facets?q=c').expect(200);
    const { body } = await caller.get('/api/v1/facets?q=c').expect(429);
    expect(body.error.code).toBe('budget_exhausted');
    expect((await caller.get('/api/v1/facets').expect(200)).body.rate.remaining).toBe(0);
  });

  it('counts names in other states for those who may see them', async () => {
    await addInState(test.database, [{ domain: 'listed-1.com.au', state: 'listed', wayback: 12 }]);
    const { body } = await test.caller().get('/api/v1/facets?state=listed').expect(401);
    expect(body.error.code).toBe('key_required');
    const { bearer } = await addKey(test.database, { tier: 'starter' });
    const seen = await test
      .caller()
      .get('/api/v1/facets?state=listed')
      .set('Authorization', bearer)
      .expect(200);
    expect(seen.body).toMatchObject({ total: 1, counted: 1 });
    expect(seen.body.facets.wayback).toEqual([{ min_wayback: 10, max_wayback: 99, count: 1 }]);
  });

  it.each(['sort=domain', 'hyphens=yes', 'min_length=9&max_length=8', 'first_seen_to=2026-02-30'])(
    'refuses %s',
    async (parameters) => {
      const { body } = await test.caller().get(`/api/v1/facets?${parameters}`).expect(400);
      expect(body.error.code).toBe('invalid_parameter');
    },
  );
});

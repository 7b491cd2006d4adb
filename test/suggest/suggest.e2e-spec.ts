import fc from 'fast-check';
import { MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import { holdMinute } from '../support/clock.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addDomains, addInState, type DomainSeed } from '../support/domains.js';
import { runs } from '../support/runs.js';

const TIERS = JSON.stringify({ demo: { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 } });

describe('GET /v1/suggest', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    holdMinute(test);
    await addDomains(test.database, [
      row('coffeecart.com.au', 500),
      row('bestcoffee.com.au', 900),
      row('coffee.net.au', 900),
      row('iced-coffee24.au', 12),
      row('tea.com.au', 0),
      row('coffee-hidden.com.au', 9000, { hidden: true }),
      row('coffee-taken.com.au', 9000, { available: false }),
    ]);
  });
  afterAll(() => test.close());

  const suggest = (query: object, caller = test.caller()) => caller.get('/v1/suggest').query(query);
  const namesOf = (body: { results: { domain: string }[] }) => body.results.map(({ domain }) => domain);

  describe('200', () => {
    it('ranks by score, then by name, and leaves out what is taken or withheld', async () => {
      const { body } = await suggest({ q: 'coffee' }).expect(200);
      expect(namesOf(body)).toEqual([
        'bestcoffee.com.au',
        'coffee.net.au',
        'coffeecart.com.au',
        'iced-coffee24.au',
      ]);
    });

    it('has every field of the specification and no other', async () => {
      const { body } = await suggest({ q: 'cart', limit: 3 }).expect(200);
      expect(body).toEqual({
        ok: true,
        query: 'cart',
        mode: 'contains',
        min_wayback: 0,
        tld: '',
        count: 1,
        results: [
          {
            domain: 'coffeecart.com.au',
            tld: 'com.au',
            length: 10,
            wayback: 500,
            first_seen: '2026-11-01',
            available: true,
            register_url: 'https://ventraip.com.au/domain-names?domain=coffeecart.com.au',
            detail_url: 'https://bowerbird.example/domains/coffeecart.com.au',
            wayback_url: 'https://web.archive.org/web/*/coffeecart.com.au',
          },
        ],
        note: expect.any(String),
        rate: { limit_per_min: 5, remaining: 4, reset_in: expect.any(Number) },
      });
    });

    it.each([
      [{ mode: 'prefix', q: 'coffee' }, ['coffee.net.au', 'coffeecart.com.au']],
      [{ mode: 'suffix', q: 'coffee' }, ['bestcoffee.com.au', 'coffee.net.au']],
      [{ tld: 'au' }, ['iced-coffee24.au']],
      [{ min_wayback: 501, q: 'coffee' }, ['bestcoffee.com.au', 'coffee.net.au']],
      [{ q: '-' }, ['iced-coffee24.au']],
      [{ q: '24', mode: 'suffix' }, ['iced-coffee24.au']],
      [{ q: 'com' }, []],
      [{ q: 'coffee', limit: 1 }, ['bestcoffee.com.au']],
    ])('%j finds %j', async (query, names) => {
      const { body } = await suggest(query).expect(200);
      expect(namesOf(body)).toEqual(names);
      expect(body.count).toBe(names.length);
      expect(body.rate.remaining).toBe(5 - names.length);
    });

    it('caps limit by what the budget has left, and says so', async () => {
      const caller = test.caller();
      await suggest({ q: 'coffee', limit: 3 }, caller).expect(200);
      const { body } = await suggest({ limit: 50 }, caller).expect(200);
      expect(body).toMatchObject({
        count: 2,
        rate: { remaining: 0 },
        note: expect.stringContaining('Limited to 2'),
      });
      const refused = await suggest({}, caller).expect(429);
      expect(refused.body.error.code).toBe('budget_exhausted');
    });
  });

  describe('400', () => {
    it.each([
      ['q=AB', 'q'],
      ['q=', 'q'],
      ['q=caf%C3%A9', 'q'],
      [`q=${'x'.repeat(65)}`, 'q'],
      ['q=a&q=b', 'q'],
      ['q=%00', 'q'],
      ['mode=fuzzy', 'mode'],
      ['tld=com', 'tld'],
      ['tld=COM.AU', 'tld'],
      ['min_wayback=-1', 'min_wayback'],
      ['min_wayback=1.5', 'min_wayback'],
      ['min_wayback=99999999999', 'min_wayback'],
      ['limit=0', 'limit'],
      ['limit=51', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=', 'limit'],
      ['limit=1e1', 'limit'],
      ['limit=5&limit=6', 'limit'],
      ['page=2', 'page'],
      ['constructors=x', 'constructors'],
    ])('?%s is refused by name, free of charge', async (query, parameter) => {
      const caller = test.caller();
      const { body } = await caller.get(`/v1/suggest?${query}`).expect(400);
      expect(body.error.code).toBe('invalid_parameter');
      expect(body.error.message).toMatch(new RegExp(`^${parameter} (must|is not a parameter)`));
      expect((await suggest({ q: 'cart' }, caller)).body.rate.remaining).toBe(4);
    });
  });
});

describe('GET /v1/suggest beside a plain list in memory', () => {
  let test: TestApp;
  let rows: DomainSeed[];
  beforeAll(async () => {
    test = await startTestApp({ TIERS });
    rows = sampleRows();
    await addDomains(test.database, rows);
  });
  afterAll(() => test.close());

  it('gives the same answer for any parameters', async () => {
    const caller = test.caller();
    const anyQuery = fc.record(
      {
        q: fc.oneof(
          fc.stringMatching(/^[abc1-]{1,4}$/),
          fc.constantFrom(...rows.map(({ domain }) => domain.split('.')[0] ?? '')),
        ),
        mode: fc.constantFrom(...MATCH_MODES),
        min_wayback: fc.constantFrom(0, 1, 2, 9, 10, 11, 99, 100, 999, 1000, 9999, 10_000, 2_147_483_647),
        tld: fc.constantFrom(...SUFFIXES),
        limit: fc.integer({ min: 1, max: 50 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anyQuery, async (query) => {
        const { body } = await caller.get('/v1/suggest').query(query).expect(200);
        expect(body.results.map(({ domain }: { domain: string }) => domain)).toEqual(oracle(rows, query));
      }),
      { numRuns: runs(100) },
    );
  });
});

interface OracleQuery {
  q?: string;
  mode?: string;
  min_wayback?: number;
  tld?: string;
  limit?: number;
}

function oracle(
  rows: DomainSeed[],
  { q = '', mode = 'contains', min_wayback = 0, tld, limit = 10 }: OracleQuery,
): string[] {
  return rows
    .filter(({ available, hidden, wayback }) => available && !hidden && wayback >= min_wayback)
    .filter(({ domain }) => {
      const dot = domain.indexOf('.');
      const name = domain.slice(0, dot);
      if (tld !== undefined && domain.slice(dot + 1) !== tld) return false;
      if (mode === 'prefix') return name.startsWith(q);
      return mode === 'suffix' ? name.endsWith(q) : name.includes(q);
    })
    .sort((a, b) => b.wayback - a.wayback || (a.domain < b.domain ? -1 : 1))
    .slice(0, limit)
    .map(({ domain }) => domain);
}

/** Names over a tiny alphabet, so that patterns meet many of them; scores on both sides of every band's limit. */
function sampleRows(): DomainSeed[] {
  const label = fc.stringMatching(/^[abc1][abc1-]{0,6}[abc1]$/).filter((text) => text.slice(2, 4) !== '--');
  const seed = fc.record({
    domain: fc.tuple(label, fc.constantFrom(...SUFFIXES)).map(([name, tld]) => `${name}.${tld}`),
    wayback: fc.constantFrom(
      0,
      0,
      0,
      1,
      2,
      9,
      10,
      11,
      99,
      100,
      999,
      1000,
      9999,
      10_000,
      123_456,
      2_147_483_647,
    ),
    first_seen: fc.constantFrom(null, '2026-11-01'),
    available: fc.integer({ min: 0, max: 9 }).map((dice) => dice > 0),
    hidden: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  });
  const many = fc.uniqueArray(seed, { selector: ({ domain }) => domain, minLength: 1500, maxLength: 1500 });
  return fc.sample(many, { numRuns: 1, seed: 7 })[0] ?? [];
}

function row(domain: string, wayback: number, more: Partial<DomainSeed> = {}): DomainSeed {
  return { domain, wayback, first_seen: '2026-11-01', available: true, hidden: false, ...more };
}

describe('where nothing is on offer yet', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await addInState(test.database, [{ domain: 'coffee-waits.com.au', state: 'purged' }]);
  });
  afterAll(() => test.close());

  it.each([
    ['get', '/v1/suggest'],
    ['post', '/api/v1/suggest'],
  ] as const)(
    '%s %s says what waits and leads to upcoming drops, not to other parameters',
    async (verb, path) => {
      const request = test.caller()[verb](path);
      const { body } = await (verb === 'post' ? request.send({ keywords: ['coffee'] }) : request).expect(200);
      expect(body.note).toMatch(/1 name awaits the registry, until about [-\dT]{13}:00Z\./);
      expect(body.note).toContain('/api/v1/drops/upcoming');
      expect(body.note).not.toContain('Try mode');
      expect(body.note).not.toContain('Ask for less');
    },
  );

  it('the front page and the status say so, too', async () => {
    const open = (path: string) => test.caller().get(path).set('Accept', 'text/html').expect(200);
    const front = await open('/');
    expect(front.text).toMatch(
      /1 name awaits the registry, until about [ \w]+, \d\d:00 AEST \(\d\d:00 UTC\)\./,
    );
    expect(front.text).toContain('<a href="/drops?list=due">See the names about to drop</a>');
    expect(front.text).toContain('The registry has not answered yet');
    expect(front.text).not.toContain('empty');
    expect((await open('/?q=coffee&mode=prefix')).text).not.toContain('Leave out');
    expect((await open('/status')).text).toContain('The registry has not answered yet');
  });
});

describe('where fewer names are on offer than wait', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await addDomain(test.database, { domain: 'koala.com.au' });
    await addInState(test.database, [
      { domain: 'tea-waits.com.au', state: 'purged' },
      { domain: 'milk-waits.com.au', state: 'purged' },
    ]);
  });
  afterAll(() => test.close());

  it('notes and front page say so in the place of other parameters', async () => {
    const words = 'Few names are on offer yet: 2 names await the registry';
    const noteOf = async (q: string) => (await test.caller().get(`/v1/suggest?q=${q}`).expect(200)).body.note;
    expect(await noteOf('waits')).toContain(words);
    expect(await noteOf('koala')).toContain('Ranked by archive score');
    expect((await test.caller().get('/v1/stats').expect(200)).body.note).toContain(words);
    const { text } = await test.caller().get('/').set('Accept', 'text/html').expect(200);
    expect(text).toContain(words);
    expect(text).toContain('koala');
  });
});

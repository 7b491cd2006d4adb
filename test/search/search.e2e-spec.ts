import { addDomain, addDomains, type DomainSeed, VOUCHED_AT } from '../support/domains.js';
import { addKey, type KeySeed, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { discover, passing } from '../support/discovery-oracle.js';
import { writeCursor } from '../../src/domains/schema/page-cursor.js';
import { canonicalText, type Search } from '../../src/api/search/search.module.js';
import { orderOf, type Sort, SORTS } from '../../src/api/search/search.dto.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';

const LARGE = { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };

let test: TestApp;
let rows: DomainSeed[];
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_KEYS,
    TIERS: JSON.stringify({ firehose: LARGE }),
  });
  holdMinute(test);
  rows = Array.from({ length: 230 }, (_, place) => ({
    domain: `${['shop', 'cafe-', 'c0ffee', 'a'][place % 4]}${place % 7}${'x'.repeat(place % 5)}${place}.${SUFFIXES[place % 6]}`,
    wayback: place % 3 === 0 ? 0 : (place * 37) % 1500,
    first_seen: place % 9 === 0 ? null : `2026-11-${String(1 + (place % 19)).padStart(2, '0')}`,
    available: place % 20 !== 11,
    hidden: place % 20 === 12,
  }));
  await addDomains(test.database, rows);
});
afterAll(() => test.close());

const everything = { mode: 'contains', suffixes: [], minWayback: 0 } as const;

/** Somebody with a key; each has an account and a budget of their own. */
async function withKey(seed: Partial<KeySeed>) {
  const { bearer } = await addKey(test.database, seed);
  return (path: string) => test.caller().get(path).set('Authorization', bearer);
}
const asDemo = (path: string) => test.caller().get(path);

interface Page {
  results: { domain: string }[];
  next_cursor: string | null;
  has_more: boolean;
  page: number;
  count: number;
  total: number;
}

async function walk(get: (path: string) => PromiseLike<{ body: Page }>, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: Page } = await get(cursor === '' ? path : `${path}&cursor=${cursor}`);
    pages.push(body);
    cursor = body.next_cursor;
  }
  return pages;
}

const namesOf = (pages: Page[]) => pages.flatMap(({ results }) => results.map(({ domain }) => domain));

describe('what a tier gets', () => {
  it('the demo: one restricted record, and no further page', async () => {
    const { body } = await asDemo('/api/v1/search').expect(200);
    expect(body).toEqual({
      ok: true,
      results: [expect.objectContaining({ domain: discover(rows, { ...everything, limit: 1 })[0] })],
      page: 1,
      per_page: 1,
      count: 1,
      total: passing(rows, everything).length,
      total_capped: false,
      total_low: passing(rows, everything).length,
      total_high: passing(rows, everything).length,
      total_is: 'exact',
      has_more: true,
      next_cursor: null,
      rate: { limit_per_min: 5, remaining: 4, reset_in: expect.any(Number) },
    });
    expect(Object.keys(body.results[0])).toHaveLength(9);
  });

  it('a member: ten restricted records, and no further page', async () => {
    const get = await withKey({ tier: 'member' });
    const { body } = await get('/api/v1/search').expect(200);
    expect([body.count, body.per_page, body.next_cursor]).toEqual([10, 10, null]);
    expect(Object.keys(body.results[0])).toHaveLength(9);
    expect(body.quota.remaining).toBe(90);
  });

  it('a starter: every field, 25 a page', async () => {
    const get = await withKey({ tier: 'starter' });
    const { body } = await get('/api/v1/search?sort=domain').expect(200);
    expect([body.count, body.per_page]).toEqual([25, 25]);
    expect(body.results[0]).toEqual({
      domain: 'a0175.net.au',
      tld: 'net.au',
      length: 5,
      wayback: 475,
      first_seen: '2026-11-05',
      available: true,
      register_url: expect.stringContaining('a0175.net.au'),
      detail_url: 'https://bowerbird.example/domains/a0175.net.au',
      wayback_url: 'https://web.archive.org/web/*/a0175.net.au',
      hyphens: 0,
      numbers: 4,
      letters: 1,
      age_days: Math.floor((Date.now() - Date.parse('2026-11-05')) / 86_400_000),
      dropped_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      state: 'available',
      confirmed: true,
      confirmed_by: 'vouched:test',
      checked_at: VOUCHED_AT.toISOString(),
      list_kind: null,
      listed_at: null,
      purge_at: null,
      archive: { status: 'pending', first_capture: null, last_capture: null, captures: null },
    });
  });

  it.each([
    ['demo', 'per_page=2', 401, 'key_required', 'member'],
    ['demo', 'per_page=30', 401, 'key_required', 'pro'],
    ['demo', 'page=2', 401, 'key_required', 'starter'],
    ['demo', 'cursor=abc', 401, 'key_required', 'starter'],
    ['member', 'per_page=11', 403, 'tier_required', 'starter'],
    ['member', 'page=2', 403, 'tier_required', 'starter'],
    ['member', 'cursor=abc', 403, 'tier_required', 'starter'],
    ['starter', 'per_page=26', 403, 'tier_required', 'pro'],
  ] as const)(
    '%s asking for %s is told %i, and which tier would do; nothing is charged',
    async (tier, query, status, code, enough) => {
      const get = tier === 'demo' ? asDemo : await withKey({ tier });
      const { body } = await get(`/api/v1/search?${query}`).expect(status);
      expect(body.error).toMatchObject({ code, message: expect.stringContaining(`The tier ${enough} does`) });
      const after = await get('/api/v1/search?per_page=1').expect(200);
      expect(after.body.rate.limit_per_min - after.body.rate.remaining).toBe(1);
    },
  );
});

describe('the pages of a search', () => {
  it.each(SORTS)('by cursor, sorted by %s, hold every name once and in order', async (sort) => {
    const get = await withKey({ tier: 'firehose' });
    const pages = await walk(get, `/api/v1/search?sort=${sort}&per_page=40`);
    const expected = discover(rows, { ...everything, sort: orderOf(sort), limit: 1000 });
    expect(namesOf(pages)).toEqual(expected);
    expect(pages.map(({ page }) => page)).toEqual(pages.map((_, place) => place + 1));
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([expected.length]));
    expect(pages.map(({ has_more }) => has_more)).toEqual(pages.map((_, place) => place + 1 < pages.length));
  });

  it('hold names alike in the key by score, against the usual direction the lowest first', async () => {
    const other = await startTestApp(WITH_KEYS);
    try {
      const { bearer } = await addKey(other.database, { tier: 'firehose' });
      for (const [label, wayback, first_seen] of [
        ['tie-a', 90, '2026-11-02'],
        ['tie-b', 5, '2026-11-02'],
        ['tie-c', 5, '2026-11-01'],
        ['longer', 90, null],
      ] as const)
        await addDomain(other.database, { domain: `${label}.com.au`, wayback, first_seen });
      const namesBy = async (sort: Sort) => {
        const get = other.caller().get(`/api/v1/search?sort=${sort}`).set('Authorization', bearer);
        return namesOf([(await get.expect(200)).body]).map((name) => name.replace('.com.au', ''));
      };
      expect(await namesBy('length')).toEqual(['tie-a', 'tie-b', 'tie-c', 'longer']);
      expect(await namesBy('length_desc')).toEqual(['longer', 'tie-c', 'tie-b', 'tie-a']);
      expect(await namesBy('first_seen')).toEqual(['tie-a', 'tie-b', 'tie-c', 'longer']);
      expect(await namesBy('first_seen_asc')).toEqual(['tie-c', 'tie-b', 'tie-a', 'longer']);
      expect(await namesBy('wayback')).toEqual(['longer', 'tie-a', 'tie-b', 'tie-c']);
      expect(await namesBy('wayback_asc')).toEqual(['tie-c', 'tie-b', 'tie-a', 'longer']);
      expect(await namesBy('domain')).toEqual(['longer', 'tie-a', 'tie-b', 'tie-c']);
      expect(await namesBy('domain_desc')).toEqual(['tie-c', 'tie-b', 'tie-a', 'longer']);
    } finally {
      await other.close();
    }
  });

  it('go on by the cursor alone, as the link says', async () => {
    const get = await withKey({ tier: 'firehose' });
    const asked =
      '/api/v1/search?q=a&tld=com.au,net.au&sort=length_desc&min_wayback=1&numbers=only&per_page=4';
    const expected = (await walk(get, asked)).map(({ results }) => results);
    expect(expected.length).toBeGreaterThan(2);
    const seen: Page['results'][] = [];
    let next: string | undefined = asked;
    while (next !== undefined) {
      const { body, headers }: { body: Page; headers: Record<string, string> } = await get(next).expect(200);
      seen.push(body.results);
      const link = `<https://bowerbird.example/api/v1/search?cursor=${body.next_cursor}>; rel="next"`;
      expect(headers.link).toBe(body.has_more ? link : undefined);
      next = headers.link && /<https:\/\/bowerbird\.example([^>]+)>/.exec(headers.link)?.[1];
    }
    expect(seen).toEqual(expected);
    const { next_cursor } = (await get(asked)).body as Page;
    const larger = await get(`/api/v1/search?cursor=${next_cursor}&per_page=100`).expect(200);
    expect(larger.body.results).toEqual(expected.slice(1).flat());
  });

  it('by number hold what the pages by cursor hold', async () => {
    const get = await withKey({ tier: 'firehose' });
    const path = '/api/v1/search?sort=length&hyphens=exclude&per_page=50';
    const byCursor = await walk(get, path);
    const byNumber = await Promise.all(byCursor.map((_, place) => get(`${path}&page=${place + 1}`)));
    expect(namesOf(byNumber.map(({ body }) => body))).toEqual(namesOf(byCursor));
    const { body } = await get(`${path}&page=${byCursor.length + 1}`).expect(200);
    expect(body).toMatchObject({
      results: [],
      count: 0,
      has_more: false,
      next_cursor: null,
      total: byNumber[0]?.body.total,
    });
  });

  it('go on where they were while names come and go', async () => {
    const get = await withKey({ tier: 'firehose' });
    const path = '/api/v1/search?sort=domain&per_page=30';
    const first = (await get(path)).body as Page;
    const gone = first.results.at(-1)?.domain;
    await test.database.query(`UPDATE domain SET available = false, state = 'stale' WHERE domain = $1`, [
      gone,
    ]);
    const next = (await get(`${path}&cursor=${first.next_cursor}`)).body as Page;
    await test.database.query(`UPDATE domain SET available = true, state = 'available' WHERE domain = $1`, [
      gone,
    ]);
    const all = discover(rows, { ...everything, sort: orderOf('domain'), limit: 60 });
    expect(namesOf([first, next])).toEqual(all);
  });

  it('hold what the budget still has, and the next one is refused', async () => {
    const get = await withKey({ tier: 'member' });
    for (let round = 0; round < 9; round += 1) await get('/api/v1/search').expect(200);
    await get('/api/v1/search?per_page=7').expect(200);
    const { body } = await get('/api/v1/search').expect(200);
    expect([body.per_page, body.count, body.has_more, body.rate.remaining]).toEqual([10, 3, true, 0]);
    await get('/api/v1/search').expect(429);
  });
});

describe('filters', () => {
  it.each([
    ['q=shop&mode=prefix', { q: 'shop', mode: 'prefix' }],
    ['tld=com.au,id.au', { suffixes: ['com.au', 'id.au'] }],
    ['tld=asn.au,asn.au&min_length=6&max_length=9', { suffixes: ['asn.au'], minLength: 6, maxLength: 9 }],
    ['tld=asn.au&tld=asn.au&tld=id.au,asn.au', { suffixes: ['asn.au', 'id.au'] }],
    ['first_seen_from=0001-01-01', { firstSeenFrom: '0001-01-01' }],
    ['hyphens=only', { hyphens: 'only' }],
    ['hyphens=exclude&q=c', { hyphens: 'exclude', q: 'c' }],
    ['numbers=exclude', { numbers: 'exclude' }],
    ['min_wayback=100&max_wayback=999', { minWayback: 100, maxWayback: 999 }],
    [
      'first_seen_from=2026-11-05&first_seen_to=2026-11-06',
      { firstSeenFrom: '2026-11-05', firstSeenTo: '2026-11-06' },
    ],
    ['first_seen_to=2026-11-01', { firstSeenTo: '2026-11-01' }],
  ] as const)('%s', async (parameters, filter) => {
    const get = await withKey({ tier: 'firehose' });
    const { body } = await get(`/api/v1/search?${parameters}&per_page=100`).expect(200);
    const query = { ...everything, ...filter, limit: 100 };
    expect(body.results.map(({ domain }: { domain: string }) => domain)).toEqual(discover(rows, query));
    expect(body.total).toBe(passing(rows, query).length);
  });

  it('counts exactly where there are few names', async () => {
    const other = await startTestApp();
    try {
      const many = Array.from({ length: 10_001 }, (_, place) => ({
        domain: `many-${place}.com.au`,
        wayback: place,
        first_seen: null,
        available: true,
        hidden: false,
      }));
      // No statement longer than a slow machine is given for one.
      for (let from = 1; from < many.length; from += 2_000)
        await addDomains(other.database, many.slice(from, from + 2_000));
      const exact = await other.caller().get('/api/v1/search').expect(200);
      expect([exact.body.total, exact.body.total_capped]).toEqual([10_000, false]);
      await addDomains(other.database, many.slice(0, 1));
      for (const [filter, total, isCapped] of [
        ['hyphens=only&min_wayback=0', 10_001, false],
        ['min_wayback=10&max_wayback=999', 990, false],
        ['min_wayback=11&max_wayback=1000', 990, false],
        ['max_wayback=10000', 10_001, false],
        ['confirmed_since=2000-01-01T00:00:00Z', 10_001, false],
      ] as const) {
        const { body } = await other.caller().get(`/api/v1/search?${filter}`).expect(200);
        expect([filter, body.total, body.total_capped]).toEqual([filter, total, isCapped]);
      }
      const capped = await other.caller().get('/api/v1/search?q=many').expect(200);
      expect([capped.body.total, capped.body.total_is]).toEqual([10_001, 'exact']);
      const best = await other.caller().get('/api/v1/facets?q=many').expect(200);
      expect(best.body).toMatchObject({ total: 10_001, total_capped: false, counted: 10_001 });
      expect(best.body.facets.wayback.map(({ count }: { count: number }) => count)).toEqual([
        1, 9_000, 900, 90, 9, 1,
      ]);
    } finally {
      await other.close();
    }
  });
});

describe('what is wrong is said, and costs nothing', () => {
  it.each([
    ['page=0', 'page must be an integer from 1'],
    ['page=1000000000', 'page must be an integer from 1 to 10000'],
    ['page=401&per_page=25', 'page must end within the first 10000 records'],
    ['per_page=0', 'per_page must be an integer from 1 to 100'],
    ['per_page=101', 'per_page must be an integer from 1 to 100'],
    ['tld=com', 'tld must be one or more of com.au'],
    ['tld=com.au,', 'tld must be one or more of com.au'],
    ['tld=com.au&tld=net.au,x', 'tld must be one or more of com.au'],
    ['hyphens=yes', 'hyphens must be one of allow, exclude, only'],
    ['numbers=', 'numbers must be one of allow, exclude, only'],
    ['min_length=1', 'min_length must be an integer from 2 to 63'],
    ['min_length=9&max_length=8', 'min_length must not be greater than max_length'],
    ['min_wayback=9&max_wayback=8', 'min_wayback must not be greater than max_wayback'],
    ['max_wayback=2147483648', 'max_wayback must be an integer from 0'],
    ['first_seen_from=2026-11-31', 'first_seen_from must be a day, YYYY-MM-DD'],
    ['first_seen_to=0000-01-01', 'first_seen_to must be a day, YYYY-MM-DD'],
    ['first_seen_to=2026-W47-5', 'first_seen_to must be a day, YYYY-MM-DD'],
    ['first_seen_from=2026-11-20T00:00:00Z', 'first_seen_from must be a day, YYYY-MM-DD'],
    [
      'first_seen_from=2026-11-20&first_seen_to=2026-11-19',
      'first_seen_from must not be greater than first_seen_to',
    ],
    ['sort=price', 'sort must be one of wayback, wayback_asc'],
    ['sort=domain&sort=length', 'sort must be given once'],
    ['cursor=abc&page=1', 'page and cursor exclude each other'],
    ['cursor=', 'cursor must be the next_cursor of an earlier page'],
    ['cursor=abc', 'cursor must be the next_cursor of an earlier page'],
    [`cursor=${'a'.repeat(1_025)}`, 'cursor must be the next_cursor of an earlier page'],
    ['limit=5', 'limit is not a parameter here'],
    ['q=Coffee', 'q must be 1 to 64 characters of a-z'],
  ])('%s', async (parameters, message) => {
    const get = await withKey({ tier: 'starter' });
    const { body } = await get(`/api/v1/search?${parameters}`).expect(400);
    expect(body.error).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
    });
    expect((await get('/api/v1/search?per_page=1')).body.rate.remaining).toBe(119);
  });

  it('a cursor that was altered, or that belongs to another search', async () => {
    const get = await withKey({ tier: 'firehose' });
    const { body } = await get('/api/v1/search?sort=length&q=a&per_page=2').expect(200);
    const cursor: string = body.next_cursor;
    const altered = Buffer.from(Buffer.from(cursor, 'base64url').toString().replace('.au', '.zz')).toString(
      'base64url',
    );
    for (const parameters of [
      `sort=length&q=a&cursor=${altered}`,
      `sort=length&q=a&cursor=${cursor.slice(0, -2)}`,
      `sort=length&q=b&cursor=${cursor}`,
      `sort=length_desc&q=a&cursor=${cursor}`,
      `sort=length&q=a&tld=au&cursor=${cursor}`,
      `sort=length&cursor=${cursor}`,
    ]) {
      const refused = await get(`/api/v1/search?${parameters}`).expect(400);
      expect(refused.body.error.message).toContain('cursor must be the next_cursor of an earlier page');
    }
    await get(`/api/v1/search?q=a&sort=length&per_page=3&cursor=${cursor}`).expect(200);
  });

  it.each([
    [1, 'coffee\u0000.com.au', 10, 6, null],
    [1, 'coffee.com.au', 10, 40_000, null],
    [1, 'coffee.com.au', 1e12, 6, null],
    [1.5, 'coffee.com.au', 10, 6, null],
    [1, 'coffee.com.au', 10, 6, '2026-02-30'],
  ])('a forged cursor: %j', async (...place) => {
    const get = await withKey({ tier: 'firehose' });
    for (const sort of ['wayback', 'length', 'first_seen', 'domain'] as const) {
      const search: Search = {
        mode: 'contains',
        suffixes: [],
        minWayback: 0,
        hyphens: 'allow',
        numbers: 'allow',
        sort: orderOf(sort),
      };
      const refused = await get(
        `/api/v1/search?sort=${sort}&cursor=${writeCursor(canonicalText(search), place)}`,
      ).expect(400);
      expect(refused.body.error.message).toContain('cursor must be the next_cursor of an earlier page');
    }
  });
});

it('a page that meets a server which has read nothing yet is waited for', async () => {
  const cold = await startTestApp({ ...WITH_KEYS, SUGGEST_TIME_CAP_MS: '1000' });
  try {
    for (let count = 0; count < 3; count += 1) await addDomain(cold.database, { wayback: 12 });
    // The first look at a row takes longer than the cap, and all later ones no time.
    await cold.database.query(`
      CREATE SEQUENCE look;
      CREATE FUNCTION wait_once(text) RETURNS boolean LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('look') = 1 THEN PERFORM pg_sleep(60); END IF; RETURN true; END $$;
      ALTER TABLE domain RENAME TO real_domain;
      CREATE VIEW domain AS SELECT tableoid, ctid, * FROM real_domain WHERE wait_once(domain)`);
    for (const path of ['numbers=only', 'q=name&sort=length', 'sort=domain&min_wayback=11']) {
      await cold.database.query('ALTER SEQUENCE look RESTART');
      const { body } = await cold.caller().get(`/api/v1/search?${path}`).expect(200);
      expect(body).not.toHaveProperty('timed_out');
      expect(body.results.length).toBeGreaterThan(0);
      expect(body.total).toBeGreaterThanOrEqual(body.results.length);
    }
  } finally {
    await cold.close();
  }
});

it('a table that somebody has locked is a 503 that says so, and no empty list', async () => {
  const stalled = await startTestApp({ SUGGEST_TIME_CAP_MS: '2000', DATABASE_TIMEOUT_MS: '2400' });
  try {
    await addDomain(stalled.database);
    const client = stalled.caller();
    await client.get('/v1/suggest').expect(200);
    await stalled.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE domain, domain_cube IN ACCESS EXCLUSIVE MODE');
      const paths = ['/v1/suggest?q=name', '/api/v1/search', '/api/v1/facets', '/api/v1/domains/name.com.au'];
      for (const { body, headers } of await Promise.all(paths.map((path) => client.get(path).expect(503)))) {
        expect(body.error).toMatchObject({
          code: 'database_unavailable',
          message: expect.stringContaining('locked'),
        });
        expect(headers['retry-after']).toBe('5');
      }
    });
    // Each waited for a lock, and was ended for that before its time was over, in the pool of searches and in the main one.
    const causes = stalled.log.filter((line) => line.includes('database_unavailable'));
    expect(causes).toHaveLength(4);
    for (const cause of causes) expect(cause).toContain('canceling statement due to lock timeout');
    await client.get('/v1/suggest').expect(200);
  } finally {
    await stalled.close();
  }
});

it('a search past the time limit says so, and costs only the records it found', async () => {
  const slow = await startTestApp({ ...WITH_KEYS, SUGGEST_TIME_CAP_MS: '100' });
  // For the requests before the delay, which must not depend on the speed of the machine.
  const patient = await startTestApp({ ...WITH_KEYS, DATABASE_URL: slow.databaseUrl });
  try {
    const { bearer } = await addKey(slow.database, { tier: 'starter' });
    for (let count = 0; count < 3; count += 1) await addDomain(slow.database);
    const [ready, client] = [patient, slow].map((test) => test.caller().set('X-Forwarded-For', '198.19.0.1'));
    if (!ready || !client) throw new Error('two clients with one address');
    holdMinute(patient, slow);
    await ready.get('/api/v1/search').expect(200);
    const path = '/api/v1/search?q=name&hyphens=only&per_page=1';
    const paging = (address: string, test = slow) => test.caller().get(address).set('Authorization', bearer);
    const { next_cursor } = (await paging(path, patient).expect(200)).body;
    const html = (address: string) => slow.caller().get(address).set('Accept', 'text/html');
    // Fills the cache of the page's frame.
    await html('/').expect(200);
    // Every read of a row now takes longer than the limit. Some plans read rows by ctid.
    await slow.database.query(`
      CREATE FUNCTION wait_long(text) RETURNS boolean LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(60); RETURN true; END $$;
      ALTER TABLE domain RENAME TO real_domain;
      CREATE VIEW domain AS SELECT tableoid, ctid, * FROM real_domain WHERE wait_long(domain)`);
    const { body } = await client.get(path).expect(200);
    const nothing = {
      timed_out: true,
      results: [],
      count: 0,
      total: 0,
      total_capped: true,
      has_more: true,
    };
    expect(body).toMatchObject({
      ...nothing,
      next_cursor: null,
      note: expect.stringContaining('Nothing is known'),
    });
    const suggested = await client.get('/v1/suggest?q=name').expect(200);
    expect(suggested.body).toMatchObject({ timed_out: true, count: 0 });
    expect(suggested.body.note).toMatch(/^Nothing is known/);
    expect(body.rate.remaining).toBe(4);
    const { body: counted } = await slow.caller().get('/api/v1/facets?q=name').expect(200);
    expect(counted).toMatchObject({
      timed_out: true,
      counted: 0,
      note: expect.stringContaining('Nothing is known'),
    });
    expect((await patient.caller().get('/api/v1/facets').expect(200)).body).not.toHaveProperty('timed_out');
    const explained = await slow
      .caller()
      .post('/api/v1/suggest')
      .send({ keywords: ['name'] })
      .expect(200);
    expect(explained.body.note).toMatch(/^Nothing is known/);
    for (const compact of [false, true]) {
      const { text: tool } = await slow
        .caller()
        .post('/mcp')
        .set({ Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' })
        .send({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'suggest_domains', arguments: { q: 'name', compact } },
        })
        .expect(200);
      expect(tool).toContain('Nothing is known');
    }
    const { text: page } = await html('/?q=name&match=text').expect(200);
    expect(page).toContain('took too long to find a name');
    expect(page).not.toContain('No name like this');
    // The total stays 0, although the cube knows it.
    expect((await client.get('/api/v1/search?hyphens=only').expect(200)).body).toMatchObject(nothing);
    // The same cursor continues the list.
    expect(next_cursor).toEqual(expect.any(String));
    const again = await paging(`${path}&cursor=${next_cursor}`).expect(200);
    // The count came with the cursor.
    expect(again.body).toMatchObject({ ...nothing, total: 3, total_capped: false, page: 2, next_cursor });
    expect((await paging(path).expect(200)).body.next_cursor).toBeNull();
  } finally {
    await patient.close();
    await slow.close();
  }
});

it('says of names that a sandbox answered for that this is made up, also in the restricted shape', async () => {
  const ours = await addDomain(test.database, { domain: 'madeupanswer.com.au' });
  await test.database.query(`UPDATE domain SET confirmed_by = 'sandbox' WHERE domain = $1`, [ours]);
  const { body } = await test.caller().get('/api/v1/search?q=madeupanswer').expect(200);
  expect(body).toMatchObject({ count: 1, note: 'The registry is a sandbox: its answers are made up.' });
});

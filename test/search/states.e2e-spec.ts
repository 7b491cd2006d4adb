import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addInState } from '../support/domains.js';

const EARLY = new Date('2026-07-01T10:00:00Z');
const LATE = new Date('2026-11-21T10:00:00Z');

let test: TestApp;
let get: (path: string) => ReturnType<ReturnType<TestApp['caller']>['get']>;
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_KEYS,
    TIERS: JSON.stringify({ firehose: { recordsPerMinute: 100_000, requestsPerMinute: 100_000 } }),
  });
  const { bearer } = await addKey(test.database, { tier: 'firehose' });
  get = (path) => test.caller().get(path).set('Authorization', bearer);
  const word = { confirmedBy: 'rdap', checkedAt: LATE };
  await addInState(test.database, [
    { domain: 'free-late.com.au', state: 'available', wayback: 30, ...word },
    { domain: 'free-early.net.au', state: 'available', wayback: 50, confirmedBy: 'rdap', checkedAt: EARLY },
    { domain: 'stale-one.com.au', state: 'stale', wayback: 40, confirmedBy: 'rdap', checkedAt: EARLY },
    { domain: 'purged-a.com.au', state: 'purged', wayback: 5 },
    { domain: 'purged-bb.net.au', state: 'purged', wayback: 900 },
    { domain: 'purged-ccc.au', state: 'purged', wayback: 5 },
    { domain: 'listed-one.com.au', state: 'listed', wayback: 70 },
    { domain: 'unconfirmed-one.com.au', state: 'unconfirmed', wayback: 99 },
    { domain: 'taken-one.com.au', state: 'taken', wayback: 80, ...word },
    { domain: 'rescued-one.com.au', state: 'rescued', wayback: 60, ...word },
  ]);
  // Whatever is counted is of one minute.
  setBudgetTime(test.app, new Date());
});
afterAll(() => test.close());

const namesIn = (body: { results: { domain: string }[] }) => body.results.map(({ domain }) => domain);
const search = async (query: string) => (await get(`/api/v1/search?${query}`).expect(200)).body;

describe('GET /api/v1/search', () => {
  it('offers only what somebody confirmed, and says by whom and when', async () => {
    const body = await search('per_page=100');
    expect(namesIn(body)).toEqual(['free-early.net.au', 'free-late.com.au']);
    expect(body.total).toBe(2);
    expect(body.results[1]).toMatchObject({
      state: 'available',
      available: true,
      confirmed: true,
      confirmed_by: 'rdap',
      checked_at: LATE.toISOString(),
      register_url: expect.any(String),
    });
  });

  it('finds names of another state for full fields, which are not on offer', async () => {
    const body = await search('state=purged');
    expect(namesIn(body)).toEqual(['purged-bb.net.au', 'purged-a.com.au', 'purged-ccc.au']);
    expect(body).toMatchObject({ total: 3, has_more: false });
    expect(body.results[0]).toMatchObject({
      state: 'purged',
      available: false,
      register_url: null,
      confirmed: false,
      confirmed_by: null,
      checked_at: null,
      dropped_at: null,
      list_kind: 'deleted',
      purge_at: '2026-11-20T03:00:00.000Z',
    });
  });

  it.each([
    ['sort=length', ['purged-a.com.au', 'purged-bb.net.au', 'purged-ccc.au']],
    ['sort=domain_desc', ['purged-ccc.au', 'purged-bb.net.au', 'purged-a.com.au']],
    ['sort=first_seen', ['purged-bb.net.au', 'purged-a.com.au', 'purged-ccc.au']],
    ['tld=au', ['purged-ccc.au']],
    ['q=-b', ['purged-bb.net.au']],
    ['q=purged&mode=prefix&min_wayback=6', ['purged-bb.net.au']],
    ['max_length=9', ['purged-bb.net.au', 'purged-a.com.au']],
  ])('takes the other filters and orders with it: %s', async (query, names) => {
    const body = await search(`state=purged&${query}`);
    expect(namesIn(body)).toEqual(names);
    expect(body.total).toBe(names.length);
  });

  it('is paged by cursor as ever', async () => {
    const first = await search('state=purged&per_page=2');
    expect(first.has_more).toBe(true);
    const second = await search(`state=purged&per_page=2&cursor=${first.next_cursor}`);
    expect([...namesIn(first), ...namesIn(second)]).toEqual([
      'purged-bb.net.au',
      'purged-a.com.au',
      'purged-ccc.au',
    ]);
    await get(`/api/v1/search?state=listed&per_page=2&cursor=${first.next_cursor}`).expect(400);
  });

  it('shows beside the offers what was asked about too long ago, if that is wanted', async () => {
    const body = await search('stale=include');
    expect(namesIn(body)).toEqual(['free-early.net.au', 'stale-one.com.au', 'free-late.com.au']);
    expect(body.total).toBe(3);
    expect(body.results[1]).toMatchObject({ state: 'stale', available: false, register_url: null });
    expect(namesIn(await search('stale=include&sort=domain'))).toEqual([
      'free-early.net.au',
      'free-late.com.au',
      'stale-one.com.au',
    ]);
  });

  it('leaves out what was confirmed before a time', async () => {
    expect(namesIn(await search('confirmed_since=2026-11-01T00:00:00Z'))).toEqual(['free-late.com.au']);
    expect(namesIn(await search('confirmed_since=2026-11-01T00:00:00Z&sort=length'))).toEqual([
      'free-late.com.au',
    ]);
    expect(namesIn(await search('confirmed_since=2026-11-21T21:00:00%2B11:00&q=free'))).toEqual([
      'free-late.com.au',
    ]);
    expect((await search('confirmed_since=2026-11-22T00:00:00Z')).total).toBe(0);
  });

  it('needs full fields for what is not on offer', async () => {
    const { bearer } = await addKey(test.database, { tier: 'member' });
    const refused = await test
      .caller()
      .get('/api/v1/search?state=purged')
      .set('Authorization', bearer)
      .expect(403);
    expect(refused.body.error).toMatchObject({
      code: 'tier_required',
      message: expect.stringContaining('starter'),
    });
    await test.caller().get('/api/v1/search?state=purged').expect(401);
  });

  it.each(['state=gone', 'stale=maybe', 'confirmed_since=lastweek', 'confirmed_since=2026-11-01'])(
    'refuses %s',
    async (query) => {
      const { body } = await get(`/api/v1/search?${query}`).expect(400);
      expect(body.error.message).toContain(query.split('=')[0]);
    },
  );
});

describe('GET /v1/suggest', () => {
  it('offers only what somebody confirmed, and names the oldest confirmation', async () => {
    const { body } = await test.caller().get('/v1/suggest').expect(200);
    expect(namesIn(body)).toEqual(['free-early.net.au', 'free-late.com.au']);
    expect(body.note).toContain(EARLY.toISOString());
  });
});

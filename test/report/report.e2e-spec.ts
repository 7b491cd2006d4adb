import { ELIGIBILITY, ELIGIBILITY_VERSION } from '../../src/domains/name/eligibility.js';
import { addKey, type KeySeed, WITH_KEYS } from '../support/accounts.js';
import { addStated, createScoring } from '../support/archive.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomain, settle } from '../support/domains.js';
import { importVouched } from '../support/import.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp(WITH_KEYS);
  // Whatever is counted is of one minute.
  setBudgetTime(test.app, new Date());
});
afterAll(() => test.close());

async function withKey(seed: Partial<KeySeed> = { tier: 'starter' }) {
  const { bearer } = await addKey(test.database, seed);
  return (path: string) => test.caller().get(path).set('Authorization', bearer);
}
const spent = (rate: { limit_per_min: number; remaining: number }) => rate.limit_per_min - rate.remaining;

describe('GET /api/v1/domains/{domain}', () => {
  it('tells all that the dataset knows', async () => {
    await importVouched(
      test.database,
      'domain,wayback,first_seen\nmy-name24.com.au,412,2026-11-01\nmy-name24.au,7,\n',
    );
    await settle(test.database, 'my-name24.com.au', false);
    await settle(test.database, 'my-name24.com.au', true);
    const get = await withKey();
    const { body } = await get('/api/v1/domains/my-name24.com.au').expect(200);
    expect(body).toEqual({
      ok: true,
      domain: 'my-name24.com.au',
      tld: 'com.au',
      length: 9,
      wayback: 412,
      first_seen: '2026-11-01',
      available: true,
      register_url: expect.stringContaining('my-name24.com.au'),
      detail_url: 'https://bowerbird.example/domains/my-name24.com.au',
      wayback_url: 'https://web.archive.org/web/*/my-name24.com.au',
      hyphens: 1,
      numbers: 2,
      letters: 6,
      age_days: Math.floor((Date.now() - Date.parse('2026-11-01')) / 86_400_000),
      dropped_at: expect.stringMatching(/Z$/),
      state: 'available',
      confirmed: true,
      confirmed_by: 'rdap',
      checked_at: expect.stringMatching(/Z$/),
      list_kind: null,
      listed_at: null,
      purge_at: null,
      registrable: true,
      reason: null,
      name_rule: null,
      eligibility: { ...ELIGIBILITY['com.au'], as_of: ELIGIBILITY_VERSION },
      archive: {
        status: 'pending',
        first_capture: null,
        last_capture: null,
        captures: null,
        days: null,
        active_years: null,
        longest_gap_days: null,
        days_by_year: null,
        computed_at: null,
        version: null,
        source: null,
      },
      history: [
        { type: 'domain.dropped', timestamp: expect.stringMatching(/Z$/) },
        { type: 'domain.checked', timestamp: expect.stringMatching(/Z$/), registry: null },
        ...['domain.taken', 'domain.dropped'].map((type) => ({
          type,
          timestamp: expect.stringMatching(/Z$/),
        })),
      ],
      siblings: [
        expect.objectContaining({
          domain: 'my-name24.com.au',
          tld: 'com.au',
          known: true,
          available: true,
          wayback: 412,
        }),
        expect.objectContaining({
          domain: 'my-name24.net.au',
          tld: 'net.au',
          known: false,
          available: null,
          wayback: null,
        }),
        expect.objectContaining({
          domain: 'my-name24.org.au',
          tld: 'org.au',
          known: false,
          available: null,
          wayback: null,
        }),
        expect.objectContaining({
          domain: 'my-name24.id.au',
          tld: 'id.au',
          known: false,
          available: null,
          wayback: null,
        }),
        expect.objectContaining({
          domain: 'my-name24.asn.au',
          tld: 'asn.au',
          known: false,
          available: null,
          wayback: null,
        }),
        expect.objectContaining({
          domain: 'my-name24.au',
          tld: 'au',
          known: true,
          available: true,
          wayback: 7,
        }),
      ],
      rate: { limit_per_min: 120, remaining: 119, reset_in: expect.any(Number) },
      quota: { period: 'month', limit: 100_000, remaining: 99_999, resets_at: expect.any(String) },
    });
  });

  it('tells what the score was made from', async () => {
    const domain = await addStated(test.database, {
      domain: 'scored-name.com.au',
      state: 'purged',
      purgeAt: new Date(),
    });
    const { scorer } = createScoring(test.database, { ARCHIVE_SOURCE: 'sandbox' });
    const captures = [
      { day: '2009-03-14', status: '200' },
      { day: '2011-03-14', status: '-' },
    ];
    await scorer.observe(domain, { answered: true, captures, ignored: 0 }, new Date('2026-11-20T03:00:00Z'));
    const get = await withKey();
    const { body } = await get(`/api/v1/domains/${domain}`).expect(200);
    expect(body).toMatchObject({ available: false, registrable: null, wayback: 2 });
    expect(body.archive).toEqual({
      status: 'ok',
      first_capture: '2009-03-14',
      last_capture: '2011-03-14',
      captures: 2,
      days: 2,
      active_years: 2,
      longest_gap_days: 730,
      days_by_year: { 2009: 1, 2011: 1 },
      computed_at: '2026-11-20T03:00:00.000Z',
      version: 1,
      source: 'sandbox',
    });
  });

  it('shows the demo and members the nine fields', async () => {
    await addDomain(test.database, { domain: 'restricted.com.au' });
    const demo = await test.caller().get('/api/v1/domains/restricted.com.au').expect(200);
    const get = await withKey({ tier: 'member' });
    const member = await get('/api/v1/domains/restricted.com.au').expect(200);
    expect(Object.keys(demo.body)).toHaveLength(1 + 9 + 1);
    expect(Object.keys(member.body)).toHaveLength(1 + 9 + 2);
  });

  it('says what is known against a name, and that a taken one cannot be had', async () => {
    await addDomain(test.database, { domain: 'anzac-day.com.au' });
    await addDomain(test.database, { domain: 'anzac-day.net.au', available: false });
    const get = await withKey();
    const free = await get('/api/v1/domains/anzac-day.com.au').expect(200);
    expect(free.body).toMatchObject({ available: true, registrable: null, reason: 'restricted' });
    const taken = await get('/api/v1/domains/anzac-day.net.au').expect(200);
    expect(taken.body).toMatchObject({ available: false, registrable: false, reason: 'restricted' });
  });

  it('reads the name as a check does', async () => {
    await addDomain(test.database, { domain: 'spelled.com.au' });
    const { body } = await test.caller().get('/api/v1/domains/SPELLED.com.au.').expect(200);
    expect(body.domain).toBe('spelled.com.au');
  });
});

describe('live=true', () => {
  it('adds what the registry says, for one record more', async () => {
    await addDomain(test.database, { domain: 'sandbox-registered.com.au' });
    const get = await withKey();
    const { body } = await get('/api/v1/domains/sandbox-registered.com.au?live=true').expect(200);
    expect(body).toMatchObject({ available: false, register_url: null });
    expect(body.registry).toMatchObject({ state: 'registered', source: 'sandbox' });
    expect(spent(body.rate)).toBe(2);
  });

  it('agrees with itself: what the registry said is in the history and among the siblings', async () => {
    await addDomain(test.database, { domain: 'sandbox-registered.net.au' });
    const get = await withKey();
    const { body } = await get('/api/v1/domains/sandbox-registered.net.au?live=true').expect(200);
    expect(body.available).toBe(false);
    expect(body.history).toMatchObject([{ type: 'domain.taken' }, { registry: { state: 'registered' } }]);
    expect(body.siblings[1]).toMatchObject({ domain: 'sandbox-registered.net.au', available: false });
  });

  it('asks no registry for a name that has no report', async () => {
    const get = await withKey();
    const asked = test.registry.requests();
    await get('/api/v1/domains/sandbox-available.id.au?live=true').expect(404);
    expect(test.registry.requests()).toBe(asked);
  });

  it('is left out, and said to be, when the budget has no second record', async () => {
    await addDomain(test.database, { domain: 'sandbox-available.com.au' });
    const caller = test.caller();
    for (let round = 0; round < 4; round += 1)
      await caller.get('/api/v1/domains/sandbox-available.com.au').expect(200);
    const { body } = await caller.get('/api/v1/domains/sandbox-available.com.au?live=true').expect(200);
    expect([body.registry, body.rate.remaining]).toEqual([null, 0]);
    await caller.get('/api/v1/domains/sandbox-available.com.au').expect(429);
  });

  it('without an answer is 503 and not a guess, and costs nothing', async () => {
    await addDomain(test.database, { domain: 'sandbox-500.com.au' });
    const get = await withKey();
    const { body, headers } = await get('/api/v1/domains/sandbox-500.com.au?live=true').expect(503);
    expect(body.error.code).toBe('registry_unavailable');
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(spent((await get('/api/v1/usage')).body.rate)).toBe(0);
  });
});

describe('what is wrong is said, and costs nothing', () => {
  it.each([
    ['unknown-to-us.com.au', 404, 'not_found', 'unknown-to-us.com.au is not in the dataset'],
    ['nothing', 400, 'domain_invalid', 'nothing'],
    ['www.name.com.au', 400, 'domain_not_registrable', 'name.com.au'],
    ['-x.com.au', 400, 'domain_invalid', 'hyphen'],
    ['name.com', 400, 'domain_suffix_unsupported', '.au'],
    ['%00.com.au', 400, 'domain_invalid', ''],
    ['%E0%A4', 400, 'bad_request', ''],
    ['name.com.au?live=yes', 400, 'invalid_parameter', 'live must be true or false'],
    ['name.com.au?life=true', 400, 'invalid_parameter', 'life is not a parameter'],
  ])('%s', async (text, status, code, message) => {
    const get = await withKey();
    const { body } = await get(`/api/v1/domains/${text}`).expect(status);
    expect(body.error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(spent((await get('/api/v1/usage')).body.rate)).toBe(0);
  });

  it('a name that the operator withholds is not there', async () => {
    await addDomain(test.database, { domain: 'withheld.com.au', hidden: true });
    await addDomain(test.database, { domain: 'withheld.net.au' });
    const get = await withKey();
    await get('/api/v1/domains/withheld.com.au').expect(404);
    const { body } = await get('/api/v1/domains/withheld.net.au').expect(200);
    expect(body.siblings[0]).toMatchObject({ domain: 'withheld.com.au', known: false });
    // A check tells it to accounts alone.
    const address = '/v1/domains/check?domain=withheld.com.au';
    expect((await get(address).expect(200)).body).toMatchObject({ known: true, hidden: true });
    expect((await test.caller().get(address).expect(200)).body).toMatchObject({
      known: false,
      hidden: false,
    });
  });
});

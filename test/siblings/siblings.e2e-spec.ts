import { SUFFIXES } from '../../src/domains/schema/domain.js';
import { ELIGIBILITY } from '../../src/domains/name/eligibility.js';
import { addKey, type TestKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomain, addInState, VOUCHED_AT } from '../support/domains.js';
import { found, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

let registry: ScriptedRegistry;
let app: TestApp;
beforeAll(async () => {
  registry = await startScriptedRegistry();
  app = await startTestApp({
    ...WITH_KEYS,
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_BREAKER_FAILURES: '1000',
  });
  // Whatever is counted is of one minute.
  setBudgetTime(app.app, new Date());
});
afterAll(async () => {
  await app.close();
  await registry.close();
});

const siblings = (label: string, query = '', key?: TestKey) => {
  const request = app.caller().get(`/api/v1/domains/${label}/siblings${query}`);
  if (key) void request.set('Authorization', key.bearer);
  return request;
};
const namesOf = (label: string) => SUFFIXES.map((suffix) => `${label}.${suffix}`);
const left = (body: { rate: { remaining: number } }) => body.rate.remaining;

describe('GET /api/v1/domains/{label}/siblings', () => {
  describe('200', () => {
    it('says what the label is under each suffix, when and from whom that was learned, and who may hold it', async () => {
      await addDomain(app.database, { domain: 'sister.com.au', wayback: 12 });
      await addInState(app.database, [{ domain: 'sister.org.au', state: 'listed' }]);
      const caller = app.caller();
      registry.reply(found('sister.id.au', 'active'), 'sister.id.au');
      await caller.get('/v1/domains/check?domain=sister.id.au').expect(200);
      const asked = registry.asked.length;
      const { body } = await caller.get('/api/v1/domains/sister/siblings').expect(200);
      expect(body).toMatchObject({ ok: true, label: 'sister', rate: { remaining: 3 } });
      expect(body.siblings.map(({ domain }: { domain: string }) => domain)).toEqual(namesOf('sister'));
      expect(body.siblings).toMatchObject([
        {
          ...{ known: true, available: true, state: 'available', wayback: 12, registrable: true },
          ...{ learned_at: VOUCHED_AT.toISOString(), learned_from: 'vouched:test' },
          register_url: expect.stringContaining('sister.com.au'),
        },
        { known: false, available: null, state: null, learned_at: null, wayback: null, register_url: null },
        {
          ...{ known: true, available: false, state: 'listed', learned_from: 'list' },
          learned_at: '2026-11-19T04:00:00.000Z',
        },
        {
          ...{ known: false, available: false, state: 'registered', learned_from: 'sandbox' },
          ...{ learned_at: expect.stringMatching(/Z$/), registrable: false },
        },
        { state: null },
        { state: null },
      ]);
      for (const { tld, eligibility } of body.siblings)
        expect(eligibility.who).toBe(ELIGIBILITY[tld as keyof typeof ELIGIBILITY].who);
      expect(body.note).toMatch(
        /^Nothing is known of 3 of the six.*The registry is a sandbox: its answers are made up\.$/,
      );
      expect(registry.asked).toHaveLength(asked);
    });

    it('asks the registry about those that are not known with live=true, a record each, and none of them twice', async () => {
      const key = await addKey(app.database, { tier: 'pro' });
      await addDomain(app.database, { domain: 'brother.com.au' });
      registry.reply(found('brother.au', 'active'), 'brother.au');
      registry.reply({ status: 500 }, 'brother.net.au');
      const asked = registry.asked.length;
      const { body } = await siblings('brother', '?live=true', key);
      expect(registry.asked.slice(asked).sort()).toEqual(namesOf('brother').slice(1).sort());
      expect(body.siblings).toMatchObject([
        { state: 'available', learned_from: 'vouched:test' },
        { state: null, error: { code: 'registry_unavailable' } },
        ...Array(3).fill({ state: 'available', available: true, learned_from: 'sandbox' }),
        { state: 'registered', available: false },
      ]);
      // One for the answer, and four that the registry gave.
      expect(left(body)).toBe(600 - 5);
      const again = await siblings('brother', '?live=true', key);
      expect(registry.asked.slice(asked)).toHaveLength(6);
      expect(left(again.body)).toBe(600 - 6);
    });

    it('asks about as many as the budget has records for, and says which were left out', async () => {
      const { body } = await siblings('cousin', '?live=true');
      expect(left(body)).toBe(0);
      expect(body.siblings.slice(0, 4).every((one: { state: string }) => one.state === 'available')).toBe(
        true,
      );
      expect(body.siblings.slice(4)).toMatchObject(Array(2).fill({ error: { code: 'budget_exhausted' } }));
      expect(body.note).toContain('The budget was not enough');
    });

    it('takes a whole name for its label, and has a word for suffixes that the label breaks the rules of', async () => {
      const { body } = await siblings('NSW.com.au');
      expect(body).toMatchObject({ label: 'nsw', siblings: { 5: { domain: 'nsw.au', available: false } } });
      const { body: checks } = await siblings('checks');
      expect(checks.label).toBe('checks');
    });

    it('keeps what the operator withholds to itself', async () => {
      await addDomain(app.database, { domain: 'cellar.net.au', hidden: true });
      const { body } = await siblings('cellar');
      expect(body.siblings[1]).toMatchObject({ known: false, state: null, wayback: null });
    });
  });

  it.each([
    ['a_b', '', 'domain_invalid'],
    ['coffee.com', '', 'domain_suffix_unsupported'],
    ['coffee', '?live=yes', 'invalid_parameter'],
  ])('400: %s%s is %s', async (label, query, code) => {
    const { status, body } = await siblings(label, query);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  it('429 when nothing is left', async () => {
    const caller = app.caller();
    await caller.get('/api/v1/domains/niece/siblings?live=true').expect(200);
    await caller.get('/api/v1/domains/niece/siblings').expect(429);
  });
});

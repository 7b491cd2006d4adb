import { ELIGIBILITY } from '../../src/domains/name/eligibility.js';
import { boundsOfDay, calendarDateOf, dayInPurgeZone } from '../../src/domains/schema/calendar-date.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomains } from '../support/domains.js';
import { type Agent, connectAgent, LIBRARIES } from '../support/mcp.js';
import { found, freshName, startScriptedRegistry } from '../support/registry.js';

// Only Date is faked, and the budget's time with it: the windows must not turn in the middle of a test.
const TIMERS = [
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
  ...['nextTick', 'queueMicrotask', 'performance', 'hrtime'],
] as never[];
const FULL = { limit_per_min: 5, remaining: 5, reset_in: 30 };

let test: TestApp;
/** Whose registry fails; whose tables are gone; with keys; with keys, and a record a month. */
let unanswered: TestApp, broken: TestApp, keyed: TestApp, small: TestApp;
beforeAll(async () => {
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  jest.useFakeTimers({ now: minute + 30_000, doNotFake: TIMERS });
  test = await startTestApp();
  setBudgetTime(test.app, new Date());
  await addDomains(
    test.database,
    ['coffeecart.com.au', 'coffee.net.au', 'bestcoffee.com.au'].map((domain, index) => ({
      domain,
      wayback: 100 * (index + 1),
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
  unanswered = await startTestApp();
  setBudgetTime(unanswered.app, new Date());
  keyed = await startTestApp(WITH_KEYS);
  small = await startTestApp({
    ...WITH_KEYS,
    TIERS: JSON.stringify({ starter: { quota: { period: 'month', records: 1 } } }),
  });
  // The last: faults are logged by the application that was started last.
  broken = await startTestApp();
  await broken.database.query('ALTER TABLE dataset RENAME TO dataset_gone');
});
afterAll(async () => {
  for (const one of [test, unanswered, broken, keyed, small]) await one.close();
  jest.useRealTimers();
});

describe.each(LIBRARIES)('POST /mcp with %s', (library) => {
  let agent: Agent;
  beforeEach(async () => {
    agent = await connectAgent(test.url, library);
  });
  afterEach(() => agent.close());
  /** The same caller through the other door. */
  const rest = (path: string) => test.caller().get(path).set('X-Forwarded-For', agent.address);

  it('speaks the revision that the client wants', () => {
    expect(agent.revision).toBe(library === 'client 2.x, 2026-07-28' ? '2026-07-28' : '2025-11-25');
  });

  describe('a result', () => {
    it.each([
      ['dataset_stats', {}, '/v1/stats'],
      [
        'check_domain',
        { domain: 'sandbox-available.com.au' },
        '/v1/domains/check?domain=sandbox-available.com.au',
      ],
      [
        'suggest_domains',
        { q: 'coffee', mode: 'prefix', limit: 2 },
        '/v1/suggest?q=coffee&mode=prefix&limit=2',
      ],
      ['suggest_domains', { tld: 'net.au', min_wayback: 200 }, '/v1/suggest?tld=net.au&min_wayback=200'],
    ])('of %s %j is what REST answers, as text and as structured content', async (tool, given, path) => {
      const { isError, text, structured } = await agent.call(tool, given);
      expect(isError).toBe(false);
      expect(structured).toEqual(text);
      const { body } = await test.caller().get(path).expect(200);
      const cached = body.registry && {
        registry: { ...body.registry, cached: expect.any(Boolean), checked_at: expect.any(String) },
      };
      expect(text).toEqual({ ...body, ...cached });
      // An agent has tools, and no address of REST.
      expect(JSON.stringify(text)).not.toContain('/v1/');
    });

    it('of a check costs one record, of a suggestion the records returned, of stats nothing', async () => {
      await agent.call('dataset_stats');
      const checked = await agent.call('check_domain', { domain: 'sandbox-available.com.au' });
      expect(checked.text.rate).toEqual({ ...FULL, remaining: 4 });
      const suggested = await agent.call('suggest_domains', { q: 'coffee', limit: 3 });
      expect(suggested.text.rate).toEqual({ ...FULL, remaining: 1 });
      const registered = await agent.call('register_domain', { domain: 'sandbox-available.com.au' });
      expect(registered.text.rate).toEqual({ ...FULL, remaining: 0 });
    });

    it('hands an available name over, says that nothing was bought, and who may have it', async () => {
      const { text, structured } = await agent.call('register_domain', { domain: 'sandbox-available.id.au' });
      expect(structured).toEqual(text);
      expect(text).toMatchObject({
        domain: 'sandbox-available.id.au',
        available: true,
        registered_by_this_call: false,
        register_url: 'https://ventraip.com.au/domain-names?domain=sandbox-available.id.au',
        eligibility: { ...ELIGIBILITY['id.au'], as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
        registry: { state: 'available', source: 'sandbox' },
      });
      expect(text.what_next).toMatch(/made-up registry.*do not act on it.*Give the user register_url/);
    });

    it.each([
      ['sandbox-registered.com.au', 'registered', 'Registered.', 'Offer another name'],
      ['sandbox-redemption.com.au', 'expired_hold', 'its holder can still renew it', 'again in a few days'],
      ['sandbox-pending-delete.com.au', 'pending_delete', 'may still be restored', 'again in a few days'],
      ['sandbox-reserved.com.au', 'reserved', 'the registry says that it is reserved', 'Offer another name'],
      ['www.au', 'reserved', 'Reserved: ', 'Offer another name'],
    ])('for %s, which is %s, says why it cannot be had', async (domain, state, reason, next) => {
      const { isError, text } = await agent.call('register_domain', { domain });
      expect(isError).toBe(false);
      expect(text).toMatchObject({ available: false, register_url: null, registry: { state } });
      expect(text.reason).toContain(reason);
      expect(text.what_next).toContain(next);
    });

    it('says what is known against a name that is free', async () => {
      const { text } = await agent.call('register_domain', {
        domain: 'sandbox-available-pty-ltd.id.au',
      });
      expect(text).toMatchObject({ registrable: null, name_rule: { confidence: 'likely' } });
      expect(text.reason).toContain('Mind that the label is special (eligibility)');
    });

    it('caps limit by what the budget has left, and says so', async () => {
      await agent.call('suggest_domains', { q: 'coffee', limit: 3 });
      const { text } = await agent.call('suggest_domains', { q: 'coffee', limit: 50 });
      expect(text).toMatchObject({ count: 2, note: expect.stringContaining('Limited to 2') });
    });

    it('takes null for an argument that is left out, and digits for a number', async () => {
      const { text } = await agent.call('suggest_domains', {
        q: 'bestcoffee',
        tld: null,
        mode: null,
        limit: '1',
      });
      expect(text).toMatchObject({ count: 1, tld: '', mode: 'contains' });
    });
  });

  describe('a failure', () => {
    it.each([
      ['check_domain', {}, 'domain_missing', 'is missing'],
      ['check_domain', { domain: '  ' }, 'domain_missing', 'is empty'],
      ['check_domain', { domain: 'coffee' }, 'domain_invalid', 'coffee.com.au'],
      ['check_domain', { domain: 'example.gov.au' }, 'domain_suffix_unsupported', 'gov.au'],
      [
        'register_domain',
        { domain: 'https://shop.example.com.au/x' },
        'domain_not_registrable',
        'example.com.au',
      ],
      ['check_domain', { domain: 7 }, 'invalid_parameter', 'domain must be given once, as text'],
      ['check_domain', { domain: ['a.com.au'] }, 'invalid_parameter', 'domain must be given once'],
      [
        'check_domain',
        { name: 'a.com.au' },
        'invalid_parameter',
        'domain is missing; name is not a parameter',
      ],
      ['check_domain', { domain: 'a.com.au', fast: true }, 'invalid_parameter', 'fast is not a parameter'],
      ['suggest_domains', { limit: 51 }, 'invalid_parameter', 'limit must be an integer from 1 to 50'],
      ['suggest_domains', { limit: { $gt: 1 } }, 'invalid_parameter', 'limit must be an integer'],
      ['suggest_domains', { q: 'Two Words' }, 'invalid_parameter', 'q must be 1 to 64 characters'],
      ['suggest_domains', { mode: 'fuzzy', tld: 'com' }, 'invalid_parameter', 'tld must be one of'],
      ['suggest_domains', { query: 'coffee' }, 'invalid_parameter', 'query is not a parameter here; use q'],
      ['dataset_stats', { verbose: true }, 'invalid_parameter', 'verbose is not a parameter'],
    ])(
      'of %s %j is a result: %s, what was wrong, what to do, free of charge',
      async (tool, given, code, words) => {
        const { isError, text, structured } = await agent.call(tool, given);
        expect(isError).toBe(true);
        expect(structured).toBeUndefined();
        expect(text).toEqual({
          code,
          message: expect.stringContaining(words),
          what_next: expect.any(String),
        });
        const next = await agent.call('check_domain', { domain: 'sandbox-available.com.au' });
        expect(next.text.rate).toEqual({ ...FULL, remaining: 4 });
      },
    );

    it('for a spent budget says when to return and what is left; stats are still free', async () => {
      await agent.call('suggest_domains', { limit: 3 });
      await agent.call('suggest_domains', { limit: 2 });
      for (const [tool, given] of [
        ['check_domain', { domain: 'sandbox-available.com.au' }],
        ['register_domain', { domain: 'sandbox-available.com.au' }],
        ['suggest_domains', {}],
      ] as const) {
        const { isError, text } = await agent.call(tool, given);
        expect(isError).toBe(true);
        expect(text).toEqual({
          code: 'budget_exhausted',
          message: 'The budget of 5 domain records a minute is spent; it is full again in 30 s.',
          what_next: expect.stringContaining('Wait retry_after_seconds'),
          retry_after_seconds: 30,
          rate: { ...FULL, remaining: 0 },
        });
      }
      expect((await agent.call('dataset_stats')).isError).toBe(false);
    });

    it('of the registry leaves the state unknown, costs nothing and says when to return', async () => {
      const other = await connectAgent(unanswered.url, library);
      const { isError, text } = await other.call('register_domain', { domain: 'sandbox-500.com.au' });
      expect(isError).toBe(true);
      expect(text).toMatchObject({
        code: 'registry_unavailable',
        what_next: expect.stringContaining('neither available nor taken'),
        retry_after_seconds: expect.any(Number),
        rate: FULL,
      });
      await other.close();
    });

    it('of ours says nothing about its cause, and the log has it under the id', async () => {
      const other = await connectAgent(broken.url, library);
      const { isError, text } = await other.call('dataset_stats');
      expect(isError).toBe(true);
      expect(text).toEqual({
        code: 'internal_error',
        message: 'Something went wrong on our side.',
        what_next: expect.any(String),
        request_id: expect.any(String),
      });
      const line = broken.log.find(
        (entry) => entry.includes(String(text.request_id)) && entry.includes('"stack"'),
      );
      expect(line).toContain('relation');
      await expect(other.client.readResource({ uri: 'bowerbird://stats' })).rejects.toMatchObject({
        message: expect.not.stringContaining('relation'),
        data: { code: 'internal_error', request_id: expect.any(String) },
      });
      await other.close();
    });

    it('to name a tool is a protocol error', async () => {
      await expect(agent.call('buy_domain')).rejects.toMatchObject({ code: -32602 });
    });
  });

  describe('the budget', () => {
    it('is one window for this door and REST', async () => {
      await rest('/v1/domains/check?domain=sandbox-available.com.au').expect(200);
      const { text } = await agent.call('suggest_domains', { q: 'coffee', limit: 3 });
      expect(text.rate).toEqual({ ...FULL, remaining: 1 });
      const { body } = await rest('/v1/suggest').expect(200);
      expect(body).toMatchObject({ count: 1, rate: { ...FULL, remaining: 0 } });
      expect((await agent.call('check_domain', { domain: 'sandbox-available.com.au' })).isError).toBe(true);
      await rest('/v1/suggest').expect(429);
    });

    it('is exact when both doors are pushed at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          if (index % 2)
            return (await rest('/v1/domains/check?domain=sandbox-available.com.au')).status === 200;
          return !(await agent.call('check_domain', { domain: 'sandbox-available.com.au' })).isError;
        }),
      );
      expect(answers.filter(Boolean)).toHaveLength(5);
    });

    it('is the agent’s own: another address has another', async () => {
      await agent.call('suggest_domains', { limit: 3 });
      await agent.call('suggest_domains', { limit: 2 });
      const other = await connectAgent(test.url, library);
      expect((await other.call('check_domain', { domain: 'sandbox-available.com.au' })).isError).toBe(false);
      await other.close();
    });
  });
});

describe.each(LIBRARIES)('an agent with a key and %s', (library) => {
  it('has the budget of its account, one window for this door and REST', async () => {
    const { bearer } = await addKey(keyed.database, { tier: 'starter' });
    const agent = await connectAgent(keyed.url, library, { Authorization: bearer });
    const given = { domain: 'sandbox-available.com.au' };
    expect((await agent.call('check_domain', given)).text.rate).toMatchObject({
      limit_per_min: 120,
      remaining: 119,
    });
    const { body } = await keyed.caller().get('/v1/domains/check').query(given).set('Authorization', bearer);
    expect(body.rate).toMatchObject({ limit_per_min: 120, remaining: 118 });
    expect((await agent.call('check_domain', given)).text.rate).toMatchObject({ remaining: 117 });
    await agent.close();
  });

  it('is told the right argument, the tool that knows more, and the day that a word stood for', async () => {
    const { bearer } = await addKey(keyed.database, { tier: 'starter' });
    const agent = await connectAgent(keyed.url, library, { Authorization: bearer });
    const wrong = await agent.call('search_domains', { q: 'coffee', limit: 3 });
    expect(wrong.text.message).toBe('limit is not a parameter here; use per_page');
    expect(wrong.text.what_next).toContain('search_domains');
    const unknown = await agent.call('domain_report', { domain: 'nobody-knows-this.com.au' });
    expect(unknown.text).toMatchObject({
      code: 'not_found',
      what_next: expect.stringMatching(/check_domain .*domain/),
    });
    const today = () => dayInPurgeZone(new Date());
    const before = today();
    const drops = await agent.call('upcoming_drops', { date: 'today' });
    const found = await agent.call('search_domains', { first_seen_from: 'Today' });
    for (const day of [drops.text.date, found.text.first_seen_from]) expect([before, today()]).toContain(day);
    const news = await agent.call('dropped_since', { since: 'yesterday' });
    const begin = boundsOfDay(calendarDateOf(new Date(`${before}T00:00:00Z`), -1)).from;
    expect(Date.parse(String(news.text.since)) - begin.getTime()).toBeLessThanOrEqual(86_400_000);
    expect(boundsOfDay(dayInPurgeZone(new Date(String(news.text.since)))).from.toISOString()).toBe(
      news.text.since,
    );
    const other = await agent.call('upcoming_drops', { date: 'next week' });
    expect(other.text.message).toContain('yesterday, today, tomorrow (AEST)');
    await agent.close();
  });

  it('whose month is spent is told to come back then, not to wait for it', async () => {
    const { bearer } = await addKey(small.database, { tier: 'starter' });
    const agent = await connectAgent(small.url, library, { Authorization: bearer });
    const given = { domain: 'sandbox-available.com.au' };
    const { rate, quota } = (await agent.call('check_domain', given)).text;
    // The least that any window leaves.
    expect([rate, quota]).toMatchObject([{ remaining: 0 }, { remaining: 0 }]);
    const { isError, text } = await agent.call('check_domain', given);
    expect(isError).toBe(true);
    expect(text).toMatchObject({ code: 'budget_exhausted', quota });
    expect(text.what_next).toMatch(/quota\.resets_at/);
    expect(text.what_next).not.toContain('Wait retry_after_seconds');
    // What an agent reads before its first call says the same.
    const { messages } = await agent.client.getPrompt({
      name: 'find_a_name',
      arguments: { business_idea: 'x' },
    });
    for (const words of [agent.client.getInstructions(), JSON.stringify(messages)])
      expect(words).toMatch(/quota.*resets_at/);
    await agent.close();
  });

  it('that is not one is told so before any message is read', async () => {
    const refused = connectAgent(keyed.url, library, { Authorization: 'Bearer nonsense' });
    await expect(refused).rejects.toThrow(/key_invalid|401/);
    const { headers, body } = await keyed
      .caller()
      .post('/mcp')
      .set('Authorization', 'Bearer nonsense')
      .expect(401);
    expect(headers['www-authenticate']).toMatch(/^Bearer/);
    expect(body.error.code).toBe('key_invalid');
  });
});

describe('register_domain', () => {
  it('asks the registry again, however recent the answer to a check is', async () => {
    const registry = await startScriptedRegistry();
    const lone = await startTestApp({ REGISTRY_RDAP_URL: registry.url });
    const agent = await connectAgent(lone.url, 'client 2.x, 2026-07-28');
    const { domain } = freshName();
    const checked = await agent.call('check_domain', { domain });
    expect(checked.text).toMatchObject({ available: true });
    registry.reply(found(domain), domain);
    const { text } = await agent.call('register_domain', { domain });
    expect(text).toMatchObject({
      available: false,
      register_url: null,
      registry: { state: 'registered', cached: false },
    });
    expect((await agent.call('check_domain', { domain })).text).toMatchObject({
      available: false,
      registry: { state: 'registered', cached: true },
    });
    await agent.close();
    await lone.close();
    await registry.close();
  });
});

describe('register_domain with a registry of the real world', () => {
  it.each([
    ['sandbox-available.com.au', 'Give the user register_url'],
    ['sandbox-registered.com.au', 'Offer another name'],
    ['sandbox-redemption.com.au', 'check_domain again in a few days'],
    ['sandbox-pending-delete.com.au', 'check_domain again in a few days'],
    ['sandbox-reserved.com.au', 'Offer another name'],
  ])('says what to do next about %s', async (domain, words) => {
    // The same registry, told of as a real one: only the words differ.
    const real = await startTestApp({ REGISTRY_SOURCE: 'rdap', REGISTRY_BOOTSTRAP_URL: 'off' });
    const agent = await connectAgent(real.url, 'client 2.x, 2026-07-28');
    const { text } = await agent.call('register_domain', { domain });
    expect(text.registry).toMatchObject({ source: 'rdap' });
    expect(text.what_next).toContain(words);
    await agent.close();
    await real.close();
  });
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ELIGIBILITY, ELIGIBILITY_VERSION } from '../../src/domains/name/eligibility.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomain } from '../support/domains.js';

const README = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  setBudgetTime(test.app, new Date());
});
afterAll(() => test.close());

const PATHS = ['/v1/domains/check', '/api/v1/domains/check'];

describe.each(PATHS)('GET %s', (path) => {
  const check = (domain: string, caller = test.caller()) => caller.get(path).query({ domain });

  describe('200', () => {
    it('says what the registry says of an available name and hands it off', async () => {
      const { body, headers } = await check('sandbox-available.com.au').expect(200);
      expect(body).toEqual({
        ok: true,
        domain: 'sandbox-available.com.au',
        tld: 'com.au',
        known: false,
        hidden: false,
        registered: false,
        available: true,
        registrable: true,
        reason: null,
        name_rule: null,
        length: 17,
        wayback: 0,
        first_seen: null,
        register_url: 'https://ventraip.com.au/domain-names?domain=sandbox-available.com.au',
        detail_url: 'https://bowerbird.example/domains/sandbox-available.com.au',
        wayback_url: 'https://web.archive.org/web/*/sandbox-available.com.au',
        registry: {
          state: 'available',
          source: 'sandbox',
          checked_at: expect.any(String),
          cached: expect.any(Boolean),
        },
        eligibility: { ...ELIGIBILITY['com.au'], as_of: ELIGIBILITY_VERSION },
        rate: { limit_per_min: 5, remaining: 4, reset_in: expect.any(Number) },
      });
      expect(headers).toMatchObject({
        'ratelimit-policy': '"demo";q=5;w=60, "demo-requests";q=60;w=60;qu="requests"',
        ratelimit: expect.stringMatching(
          `^"demo";r=4;t=${body.rate.reset_in}, "demo-requests";r=59;t=[1-9]\\d?$`,
        ),
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '4',
        'x-ratelimit-reset': String(body.rate.reset_in),
      });
    });

    it('is what README.md shows, whole', async () => {
      const [, shown = ''] = /^## One answer$[^]*?```json\n([^]*?)```/m.exec(README) ?? [];
      const { body } = await check('sandbox-available.au').expect(200);
      const example = JSON.parse(shown);
      expect(example).toEqual({
        ...body,
        detail_url: body.detail_url.replace('https://bowerbird.example', 'http://127.0.0.1:3000'),
        registry: { ...body.registry, checked_at: expect.any(String), cached: expect.any(Boolean) },
        rate: { ...body.rate, reset_in: expect.any(Number) },
      });
      // In the order of the answer, so that a reader finds each field where it comes.
      expect(Object.keys(example)).toEqual(Object.keys(body));
    });

    it.each([
      ['sandbox-registered', 'registered', true],
      ['sandbox-redemption', 'expired_hold', true],
      ['sandbox-pending-delete', 'pending_delete', true],
      ['sandbox-reserved', 'reserved', false],
    ])('%s is %s and not available', async (label, state, registered) => {
      const { body } = await check(`${label}.com.au`).expect(200);
      expect(body).toMatchObject({ registered, available: false, register_url: null, registry: { state } });
    });

    it('passes on why the registry turns a name down, which is an answer as any other', async () => {
      const caller = test.caller();
      const { body } = await check('sandbox-declined.com.au', caller).expect(200);
      expect(body).toMatchObject({
        registered: false,
        available: false,
        register_url: null,
        registry: { state: 'declined', message: expect.stringContaining('turn this name down') },
        rate: { remaining: 4 },
      });
    });

    it('asks nobody about a reserved name', async () => {
      const { body } = await check('nsw.au').expect(400);
      expect(body.error.code).toBe('domain_not_registrable');
      const reserved = await check('www.au').expect(200);
      expect(reserved.body).toMatchObject({
        registered: false,
        available: false,
        registry: { state: 'reserved', source: 'reserved_names' },
        registrable: false,
        reason: 'reserved',
        name_rule: { confidence: 'likely', source: expect.stringContaining('http') },
      });
    });

    it.each([
      ['www.com.au', 'reserved'],
      ['anzac.com.au', 'restricted'],
      ['medicare.au', 'restricted'],
      ['net.org.au', 'suffix_like'],
      ['australia.com.au', 'reserved'],
      ['sandbox-available-pty-ltd.id.au', 'eligibility'],
    ])('flags %s as %s, and asks the registry all the same', async (domain, reason) => {
      const { body } = await check(domain).expect(200);
      expect(body).toMatchObject({
        reason,
        name_rule: { what: expect.any(String), confidence: expect.any(String) },
        registry: { source: 'sandbox' },
      });
      expect(body.registrable).toBe(body.available ? null : false);
    });

    it.each([
      ['sandbox-registered', null],
      ['sandbox-pending-delete', null],
      ['sandbox-reserved', 'reserved'],
    ])('%s cannot be registered, for the reason %j', async (label, reason) => {
      const { body } = await check(`${label}.asn.au`).expect(200);
      expect(body).toMatchObject({ registrable: false, reason, name_rule: null });
    });

    it('adds what the dataset knows', async () => {
      const domain = await addDomain(test.database, { wayback: 77, first_seen: '2026-10-02' });
      const { body } = await check(domain).expect(200);
      expect(body).toMatchObject({ known: true, hidden: false, wayback: 77, first_seen: '2026-10-02' });
    });

    it('knows nothing of a name that the operator withholds', async () => {
      const domain = await addDomain(test.database, { wayback: 77, first_seen: '2026-10-02', hidden: true });
      const { body } = await check(domain).expect(200);
      expect(body).toMatchObject({ known: false, hidden: false, wayback: 0, first_seen: null });
    });

    it('reads the name as people type it', async () => {
      const { body } = await check('  Sandbox-Available.COM.AU. ').expect(200);
      expect(body.domain).toBe('sandbox-available.com.au');
    });

    it('takes a name that someone registered out of the suggestions', async () => {
      // A name of its own for each address: the first answer is cached, and only a fresh one is written back.
      const tld = path.startsWith('/api') ? 'net.au' : 'id.au';
      const domain = await addDomain(test.database, { domain: `sandbox-registered.${tld}`, wayback: 5 });
      const search = () => test.caller().get('/v1/suggest').query({ q: 'sandbox-registered', tld });
      expect((await search()).body.count).toBe(1);
      await check(domain).expect(200);
      expect((await search()).body.count).toBe(0);
    });

    it('marks the second answer as cached, with the time of the first', async () => {
      const first = await check('sandbox-available.org.au').expect(200);
      const second = await check('sandbox-available.org.au').expect(200);
      expect(second.body.registry).toEqual({ ...first.body.registry, cached: true });
    });
  });

  describe('400', () => {
    it.each([
      ['', 'domain_missing', ''],
      ['coffee', 'domain_invalid', 'coffee.com.au'],
      ['http://www.example.com.au/path', 'domain_not_registrable', 'example.com.au'],
      ['shop.example.com.au', 'domain_not_registrable', 'example.com.au'],
      ['example.com', 'domain_suffix_unsupported', ''],
      ['example.gov.au', 'domain_suffix_unsupported', 'gov.au'],
      ['com.au', 'domain_not_registrable', ''],
      ['ab--cd.com.au', 'domain_invalid', '3'],
      [`${'x'.repeat(10_000)}.com.au`, 'domain_invalid', ''],
    ])('%p is %s, free of charge', async (domain, code, text) => {
      const caller = test.caller();
      const { body } = await check(domain, caller).expect(400);
      expect(body.error.code).toBe(code);
      expect(body.error.message).toContain(text);
      expect(body.error.message.length).toBeLessThan(300);
      const { body: next } = await check('sandbox-available.com.au', caller).expect(200);
      expect(next.rate.remaining).toBe(4);
    });

    it('asks for the parameter when it is missing', async () => {
      const { body } = await test.caller().get(path).expect(400);
      expect(body.error.code).toBe('domain_missing');
    });

    it.each(['domain=a.au&domain=b.au', 'domain=a.com.au&verbose=1'])(
      'refuses ?%s by name',
      async (query) => {
        const { body } = await test.caller().get(`${path}?${query}`).expect(400);
        expect(body.error.code).toBe('invalid_parameter');
        expect(body.error.message).toMatch(/^(domain|verbose) /);
      },
    );
  });

  describe('429', () => {
    it('refuses the sixth record and says when to return', async () => {
      const caller = test.caller();
      for (let call = 0; call < 5; call += 1) await check('sandbox-available.com.au', caller);
      const { body, headers } = await check('sandbox-available.com.au', caller).expect(429);
      expect(body.error.code).toBe('budget_exhausted');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(headers['x-ratelimit-remaining']).toBe('0');
    });
  });

  describe('503', () => {
    it.each(['sandbox-500', 'sandbox-403', 'sandbox-html', 'sandbox-garbage', 'sandbox-slow', 'sandbox-429'])(
      '%s is unknown: neither taken nor available, and free of charge',
      async (label) => {
        // A registry that misbehaves closes the door for the names after it: each case has a service of its own.
        const lone = await startTestApp({ REGISTRY_TIMEOUT_MS: '500' });
        const caller = lone.caller();
        const { body, headers } = await caller
          .get(path)
          .query({ domain: `${label}.com.au` })
          .expect(503);
        expect(body).toEqual({
          error: {
            code: 'registry_unavailable',
            message: expect.any(String),
            request_id: headers['x-request-id'],
          },
        });
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(headers['x-ratelimit-remaining']).toBe('5');
        await lone.close();
      },
    );
  });
});

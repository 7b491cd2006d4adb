import { feedCursorBehind } from '../../src/domains/feed/feed-cursor.js';
import { ERROR_CODES, type ErrorCode, ORDER_ERROR_CODES } from '../../src/errors/error-codes.js';
import { SAID } from '../../src/errors/api-failures.decorator.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addDomain } from '../support/domains.js';

// The failures that the documents show are what the service really says.
let test: TestApp;
let pro: string;
let reader: string;
let webhook: string;
beforeAll(async () => {
  test = await startTestApp(WITH_WEBHOOKS);
  holdMinute(test);
  ({ bearer: pro } = await addKey(test.database, { tier: 'pro', scopes: ['read', 'webhooks'] }));
  ({ bearer: reader } = await addKey(test.database, { tier: 'member', scopes: ['read'] }));
  const { body } = await asPro('post', '/api/v1/webhooks').send({ url: URL, enabled: false }).expect(201);
  webhook = `/api/v1/webhooks/${body.webhook.id}`;
});
afterAll(() => test.close());

type Method = 'get' | 'post';
type Asked = ReturnType<Client['get']>;

const URL = 'https://example.com/hook';
const ask = (method: Method, path: string) => test.caller()[method](path);
const asPro = (method: Method, path: string) => ask(method, path).set('Authorization', pro);
const make = (url: string) => asPro('post', '/api/v1/webhooks').set('Idempotency-Key', 'once').send({ url });

const CASES: Partial<
  Record<ErrorCode, () => PromiseLike<{ body: { error: { code: string; message: string } } }>>
> = {
  domain_missing: () => ask('get', '/v1/domains/check'),
  domain_invalid: () => ask('get', '/v1/domains/check?domain=coffee_cart.com.au'),
  domain_suffix_unsupported: () => ask('get', '/v1/domains/check?domain=coffeecart.com'),
  domain_not_registrable: () => ask('get', '/v1/domains/check?domain=www.coffeecart.com.au'),
  invalid_parameter: () => ask('get', '/v1/suggest?limit=51'),
  bad_request: () => ask('get', '/v1/suggest?q=%zz'),
  key_required: () => ask('get', '/api/v1/usage'),
  key_invalid: () => ask('get', '/api/v1/usage').set('Authorization', 'Bearer nonsense'),
  tier_required: () => ask('get', '/api/v1/search?page=2').set('Authorization', reader),
  scope_required: async () => {
    const { bearer } = await addKey(test.database, { tier: 'pro', scopes: ['read'] });
    return ask('get', '/api/v1/webhooks').set('Authorization', bearer);
  },
  host_not_allowed: () => ask('post', '/mcp').set('Origin', 'https://elsewhere.example').send({}),
  not_found: () => asPro('get', '/api/v1/domains/nobody-knows-this.com.au'),
  method_not_allowed: () => ask('post', '/v1/stats'),
  idempotency_conflict: async () => {
    await make('https://example.com/one');
    return make('https://example.com/two');
  },
  webhook_disabled: () => asPro('post', `${webhook}/test`),
  limit_reached: async () => {
    const { bearer } = await addKey(test.database, { tier: 'pro', scopes: ['webhooks'] });
    const another = (): Asked =>
      ask('post', '/api/v1/webhooks').set('Authorization', bearer).send({ url: URL });
    for (let place = 0; place < 20; place += 1) await another().expect(201);
    return another();
  },
  gone: async () => {
    await test.database.query('UPDATE dataset SET first_event = 5');
    try {
      return await asPro('get', `/api/v1/dropped?cursor=${feedCursorBehind({ number: 1, seen: null })}`);
    } finally {
      await test.database.query('UPDATE dataset SET first_event = 1');
    }
  },
  body_too_large: () => asPro('post', '/api/v1/webhooks').send({ description: 'x'.repeat(20_000) }),
  unsupported_media_type: () => asPro('post', '/api/v1/webhooks').type('form').send('url=x'),
  headers_too_large: () => ask('get', '/v1/stats').set('X-Much', 'x'.repeat(20_000)),
  budget_exhausted: async () => {
    for (let place = 0; place < 6; place += 1)
      await addDomain(test.database, { domain: `spent-${place}.com.au` });
    const caller = test.caller();
    await caller.get('/v1/suggest?q=spent&limit=5').expect(200);
    return caller.get('/v1/suggest?q=spent&limit=5');
  },
  too_many_requests: async () => {
    const caller = test.caller();
    await Promise.all(Array.from({ length: 60 }, () => caller.get('/v1/stats')));
    return caller.get('/v1/stats');
  },
  registry_unavailable: () => ask('get', '/v1/domains/check?domain=sandbox-500.com.au'),
  internal_error: async () => {
    await test.database.query('ALTER TABLE dataset RENAME TO dataset_gone');
    try {
      return await ask('get', '/v1/stats');
    } finally {
      await test.database.query('ALTER TABLE dataset_gone RENAME TO dataset');
    }
  },
};
/** Of files, said while something is away, by the balancer, or to what a usual client cannot send: other tests bring them about. */
const ELSEWHERE: ErrorCode[] = [
  'link_invalid',
  'host_not_proven',
  'range_not_satisfiable',
  'request_timeout',
  'expectation_failed',
  'bad_gateway',
  'database_unavailable',
  'not_ready',
  'overloaded',
  'network_blocked',
  'gateway_timeout',
];

it.each(Object.entries(CASES))('%s is told as the documents show it', async (code, bringAbout) => {
  const { body } = await bringAbout();
  expect(body.error.code).toBe(code);
  // Seconds are those of the moment.
  expect(withoutNumbers(body.error.message)).toBe(withoutNumbers(SAID[code as ErrorCode] ?? ''));
});

it('no failure is left out', () => {
  // Those of orders are documented only where they are taken; test/orders shows each.
  const orders = Object.keys(ORDER_ERROR_CODES);
  expect([...Object.keys(CASES), ...ELSEWHERE, ...orders].sort()).toEqual(Object.keys(ERROR_CODES).sort());
  expect(Object.keys(SAID).sort()).toEqual(Object.keys(CASES).sort());
});

const withoutNumbers = (text: string) => text.replace(/\d+/g, '0');

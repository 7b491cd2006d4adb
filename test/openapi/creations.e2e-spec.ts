import { randomUUID } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type SandboxCards, settingsOf, startSandboxCards } from '../../src/demo/sandbox-cards.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import type { Client } from '../support/app.js';
import { importVouched } from '../support/import.js';
import {
  ACCEPTED,
  addCustomer,
  type Customer,
  ORDER_SCOPES,
  type OrdersApp,
  quote,
  startOrdersApp,
} from '../support/orders.js';

const OPERATOR = mintOperatorKey();
const REASON = 'a test';
const API = '/api/v1';

let cards: SandboxCards;
let test: OrdersApp;
let customer: Customer;
let documents: OpenAPIObject[];
beforeAll(async () => {
  cards = await startSandboxCards(0);
  test = await startOrdersApp({
    ...WITH_WEBHOOKS,
    ...settingsOf(cards),
    ...{ EXPORTS: 'on', TOP_UP_FIRST_WAIT_HOURS: '0', OPERATOR_KEY_HASH: `alice:${OPERATOR.hash}` },
  });
  const account = await addCustomer(test, 10_000);
  const scopes = ['read', 'webhooks', 'export', ...ORDER_SCOPES] as const;
  const key = await addKey(test.database, { accountId: account.accountId, scopes: [...scopes] });
  await test.database.query(`UPDATE account SET tier = 'pro'`);
  customer = { ...key, registrant: account.registrant };
  documents = await Promise.all(
    ['/v1/openapi.json', `${API}/openapi.json`, '/ops/openapi.json'].map(
      async (path) => (await test.caller().get(path).expect(200)).body as OpenAPIObject,
    ),
  );
});
afterAll(async () => {
  await test.close();
  await cards.close();
});

/** A request, and the same with other content. */
interface Creation {
  readonly send: readonly [path: string, body: object | string];
  readonly other: readonly [path: string, body: object | string];
  /** How often something was made so far. */
  count(): Promise<number>;
}

const as = (path: string): Client =>
  test.caller().set('Authorization', path.startsWith('/ops') ? `Bearer ${OPERATOR.text}` : customer.bearer);
const post = (path: string, body: object | string) =>
  typeof body === 'string'
    ? as(path).post(path).set('Content-Type', 'application/octet-stream').send(body)
    : as(path).post(path).send(body);
const rowsOf = (table: string) => async () =>
  Number((await test.database.query<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]?.count);
const creation = (table: string, path: string, body: object | string, other: object | string): Creation => ({
  ...{ send: [path, body], other: [path, other], count: rowsOf(table) },
});

async function addWebhook(): Promise<string> {
  const { body } = await post(`${API}/webhooks`, { url: `http://127.0.0.1:9/${randomUUID()}` }).expect(201);
  return `${API}/webhooks/${(body as { webhook: { id: string } }).webhook.id}`;
}
async function addDelivery(webhook: string): Promise<string> {
  const { body } = await post(`${webhook}/test`, {}).expect(202);
  return `${webhook}/deliveries/${(body as { delivery: { id: string } }).delivery.id}/redeliver`;
}
async function addPaidTopUp(): Promise<string> {
  const { body } = await post(`${API}/balance/top-ups`, { cents: 3_000 }).set(
    'Idempotency-Key',
    randomUUID(),
  );
  const { id, checkout_url: page } = (body as { top_up: { id: string; checkout_url: string } }).top_up;
  const event = cards.sign(cards.pay(page.split('/').at(-1) ?? ''));
  await test
    .caller()
    .post('/payments/stripe')
    .set('Stripe-Signature', event.signature)
    .set('Content-Type', 'application/json; charset=utf-8')
    .send(event.body)
    .expect(200);
  await test.run('top-up', id);
  return `${API}/balance/top-ups/${id}/refund`;
}
const registrant = (name: string) => ({
  ...{ legal_name: name, number: '53 004 085 616', type: 'Company', contact_name: 'Mia Example' },
  ...{ email: 'mia@example.com', phone: '(02) 9999 0000', street: ['12 Elizabeth St'], city: 'Hobart' },
  ...{ state: 'TAS', postcode: '7000' },
});

/** The operations that create, each with a request. */
const CREATING: Record<string, () => Promise<Creation>> = {
  addRegistrant: async () =>
    creation(
      'registrant_profile',
      `${API}/registrants`,
      registrant('One Pty Ltd'),
      registrant('Two Pty Ltd'),
    ),
  addWatch: async () =>
    creation('watch', `${API}/watches`, { domain: 'one.com.au' }, { domain: 'two.com.au' }),
  checkDomains: async () => {
    const check = { domains: ['one.com.au'], wait: 0 };
    return creation('bulk_check', `${API}/domains/check`, check, { ...check, domains: ['two.com.au'] });
  },
  createWebhook: async () =>
    creation('webhook', `${API}/webhooks`, { url: 'http://127.0.0.1:9/1' }, { url: 'http://127.0.0.1:9/2' }),
  creditAccount: async () => {
    const credit = { account: customer.accountId, cents: 100, reason: REASON };
    return creation('operator_credit', '/ops/v1/orders/credits', credit, { ...credit, cents: 101 });
  },
  writeOff: async () => {
    const off = { account: customer.accountId, cents: 100, reason: REASON };
    return creation('operator_credit', '/ops/v1/orders/write-offs', off, { ...off, cents: 101 });
  },
  openIncident: async () => {
    const incident = { title: 'Slow', words: 'We look at it.', reason: REASON };
    return creation('incident', '/ops/v1/incidents', incident, { ...incident, title: 'Away' });
  },
  placeRegistration: async () => {
    const orderOf = async (domain: string) => {
      test.names.set(domain, 'available');
      return { quote: await quote(test, customer, domain), accept: ACCEPTED };
    };
    const [one, two] = [await orderOf('first-order.com.au'), await orderOf('second-order.com.au')];
    return creation('registration_order', `${API}/registrations`, one, two);
  },
  redeliver: async () => {
    const webhook = await addWebhook();
    const [one, two] = [await addDelivery(webhook), await addDelivery(webhook)];
    let made = 0;
    const count = async () => {
      const waiting = await test.database.query(
        `UPDATE webhook_delivery SET status = 'failed' WHERE status = 'pending' RETURNING id`,
      );
      return (made += waiting.length);
    };
    return { send: [one, {}], other: [two, {}], count };
  },
  refundTopUp: async () => creation('card_refund', await addPaidTopUp(), { cents: 100 }, { cents: 101 }),
  replayWebhook: async () => {
    const webhook = await addWebhook();
    const since = new Date(Date.now() - 60_000).toISOString();
    await importVouched(test.database, 'domain,wayback\nreplayed.com.au,5\n', { now: new Date() });
    await test.database.query(`INSERT INTO webhook_outbox (last_event) VALUES (0) ON CONFLICT DO NOTHING`);
    await test.database.query(
      `UPDATE webhook_outbox SET last_event = (SELECT max(number) FROM domain_event)`,
    );
    const other = new Date(Date.now() - 90_000).toISOString();
    return creation('webhook_delivery', `${webhook}/replay`, { since }, { since: other });
  },
  testWebhook: async () => {
    const [one, two] = [await addWebhook(), await addWebhook()];
    return { send: [`${one}/test`, {}], other: [`${two}/test`, {}], count: rowsOf('webhook_delivery') };
  },
  topUpBalance: async () => creation('top_up', `${API}/balance/top-ups`, { cents: 3_000 }, { cents: 3_100 }),
  uploadList: async () =>
    creation(
      'operator_import',
      `/ops/v1/imports?file=expired.csv&reason=${encodeURIComponent(REASON)}`,
      'domain\none.com.au\n',
      'domain\ntwo.com.au\n',
    ),
};

/** What these create is in another state a moment later. */
const MOVING_ON = ['checkDomains', 'redeliver', 'uploadList'];

/** Those that create nothing, by the reason. */
const CREATING_NOTHING: Record<string, string[]> = {
  'it asks, with a body for its length': ['explainSuggestions'],
  'its token holds all that it says, and nothing of it is kept': ['quoteRegistration', 'quoteRenewal'],
  'its addresses are signed, and nothing of them is kept': ['makeExportLinks'],
  'it replaces what its resource has': [
    'rotateWebhookSecret',
    'updateIncident',
    'loadHolds',
    'setNameServers',
    'setTier',
  ],
  'it moves a resource that is there to another state': [
    ...['acceptList', 'approveCredit', 'cancelRegistration', 'clearStop', 'disableAccount', 'enableAccount'],
    ...[
      'endIncident',
      'hideName',
      'keepLateOrder',
      'pauseJob',
      'proveWebhook',
      'releaseOrder',
      'resetCircuit',
      'restoreSite',
    ],
    ...['resumeJob', 'revokeKey', 'revokeKeys', 'settleOrder', 'stopOrdering', 'thawAccount', 'unhideName'],
  ],
  'it removes': [
    ...['clearNetwork', 'discardImport', 'releaseHold', 'removeAccount', 'removeIncident', 'removeName'],
    ...['removeSite', 'removeWording'],
  ],
  'it sets the one rule of a network or of a text, sent again the same': [
    ...['addWording', 'allowNetwork', 'blockNetwork'],
  ],
  'sent again it asks again, and the answer is that of the name': ['checkName'],
  'a job that is wanted already is wanted once': ['runJob'],
};

const posts = () =>
  documents.flatMap(({ paths }) => Object.values(paths).flatMap(({ post: operation }) => operation ?? []));

it('every POST is known to create something, or for what reason not', () => {
  const known = [...Object.keys(CREATING), ...Object.values(CREATING_NOTHING).flat()];
  expect(
    posts()
      .map(({ operationId = '' }) => operationId)
      .toSorted(),
  ).toEqual(known.toSorted());
});

it.each(Object.keys(CREATING))('%s documents Idempotency-Key and Location', (id) => {
  const operation = posts().find(({ operationId }) => operationId === id);
  expect(operation?.parameters).toContainEqual(
    expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
  );
  const made = Object.entries(operation?.responses ?? {}).filter(([status]) => status.startsWith('2'));
  expect(made.map(([, response]) => response)).toMatchObject([{ headers: { Location: {} } }]);
});

it.each(Object.entries(CREATING))('%s creates once for one key, and says where', async (id, prepare) => {
  const { send, other, count } = await prepare();
  const key = randomUUID();
  const before = await count();
  const first = await post(...send).set('Idempotency-Key', key);
  expect(first.body).toMatchObject({ ok: true });
  const made = await count();
  expect(made).toBeGreaterThan(before);
  const location = String(first.headers.location);
  // The answers of a check are not waited for.
  await as(location)
    .get(location)
    .query(id === 'checkDomains' ? { wait: 0 } : {})
    .expect(200);
  const again = await post(...send).set('Idempotency-Key', key);
  expect([again.status, again.headers.location]).toEqual([first.status, location]);
  if (!MOVING_ON.includes(id)) expect(again.body).toEqual(first.body);
  const conflict = await post(...other)
    .set('Idempotency-Key', key)
    .expect(409);
  expect(conflict.body).toMatchObject({ error: { code: 'idempotency_conflict' } });
  expect(await count()).toBe(made);
});

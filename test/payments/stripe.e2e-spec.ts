import fc from 'fast-check';
import Stripe from 'stripe';
import { addAccount, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { runs } from '../support/runs.js';

const SECRET = 'whsec_of_the_tests';
/** For ten orders of thirty events, on a busy machine. */
const RUN_MS = 120_000;
const NOW = Math.floor(Date.now() / 1_000);

let test: TestApp;
let made = 0;
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_KEYS,
    STRIPE_WEBHOOK_SECRET: SECRET,
    STRIPE_PRICE_TIERS: 'price_Starter:starter,price_Pro:pro',
  });
});
afterAll(() => test.close());

interface SubscriptionEvent {
  account: string;
  type?: 'created' | 'updated' | 'deleted';
  /** Of its items, separated by commas. */
  price?: string;
  status?: string;
  created?: number;
  id?: string;
  subscription?: string;
}

function eventOf({
  account,
  type = 'updated',
  price = 'price_Pro',
  status = 'active',
  ...rest
}: SubscriptionEvent): string {
  const { created = NOW, id = `evt_${++made}`, subscription = 'sub_1' } = rest;
  return JSON.stringify({
    id,
    object: 'event',
    type: `customer.subscription.${type}`,
    created,
    data: {
      object: {
        id: subscription,
        object: 'subscription',
        status,
        metadata: { bowerbird_account: account },
        items: { data: price.split(',').map((id) => ({ price: { id } })) },
      },
    },
  });
}

/** With a signature like Stripe's. */
const send = (payload: string, secret = SECRET, timestamp = Math.floor(Date.now() / 1_000)) =>
  test
    .caller()
    .post('/payments/stripe')
    .set('Stripe-Signature', Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }))
    .set('Content-Type', 'application/json; charset=utf-8')
    .send(payload);
/** The same over connections that are kept. */
const post = async (payload: string) => {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
  const headers = { 'Stripe-Signature': signature, 'Content-Type': 'application/json' };
  const answer = await fetch(`${test.url}/payments/stripe`, { method: 'POST', headers, body: payload });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
};
const apply = async (event: SubscriptionEvent) => {
  const { body } = await send(eventOf(event)).expect(200);
  return (body as { outcome: string }).outcome;
};
const tierOf = async (account: string) => {
  const [row] = await test.database.query<{ tier: string }>('SELECT tier FROM account WHERE id = $1', [
    account,
  ]);
  return row?.tier;
};
const audited = async (account: string) => {
  const rows = await test.database.query<{ reason: string }>(
    `SELECT reason FROM audit_log WHERE subject = $1 AND actor = 'stripe' ORDER BY id`,
    [`account:${account}`],
  );
  return rows.map(({ reason }) => reason.replace(/^event \S+ /, ''));
};

describe('a subscription', () => {
  it('puts its account on the tier of its price, and back when it ends', async () => {
    const account = await addAccount(test.database);
    expect(await apply({ account, type: 'created', price: 'price_Starter' })).toBe('applied');
    expect(await tierOf(account)).toBe('starter');
    await apply({ account, created: NOW + 1 });
    await apply({ account, created: NOW + 2, status: 'past_due' });
    expect(await tierOf(account)).toBe('pro');
    await apply({ account, created: NOW + 3, type: 'deleted' });
    expect(await tierOf(account)).toBe('member');
    expect(await audited(account)).toEqual(['(member -> starter)', '(starter -> pro)', '(pro -> member)']);
  });

  it('is applied once, also if its event is repeated at the same time', async () => {
    const account = await addAccount(test.database);
    const payload = eventOf({ account, id: 'evt_again' });
    const answers = await Promise.all([1, 2, 3].map(() => send(payload).expect(200)));
    const outcomes = answers.map(({ body }) => (body as { outcome: string }).outcome);
    expect(outcomes.sort()).toEqual(['applied', 'duplicate', 'duplicate']);
    expect(await audited(account)).toEqual(['(member -> pro)']);
  });

  it('is not changed by an earlier event, nor by the end of another one', async () => {
    const account = await addAccount(test.database);
    await apply({ account, created: NOW + 10 });
    expect(await apply({ account, created: NOW, price: 'price_Starter' })).toBe('outdated');
    await apply({ account, created: NOW + 11, type: 'deleted', subscription: 'sub_0' });
    expect(await tierOf(account)).toBe('pro');
  });

  it('leaves the account on the best tier that another one pays for', async () => {
    const account = await addAccount(test.database);
    await apply({ account, type: 'created', price: 'price_Starter', subscription: 'sub_1' });
    await apply({ account, type: 'created', created: NOW + 1, subscription: 'sub_2' });
    expect(await tierOf(account)).toBe('pro');
    await apply({ account, created: NOW + 2, price: 'price_Starter', subscription: 'sub_1' });
    expect(await tierOf(account)).toBe('pro');
    await apply({ account, created: NOW + 3, type: 'deleted', subscription: 'sub_2' });
    expect(await tierOf(account)).toBe('starter');
    await apply({ account, created: NOW + 4, status: 'unpaid', subscription: 'sub_1' });
    expect(await tierOf(account)).toBe('member');
  });

  it.each(['price_Starter,price_Pro', 'price_Pro,price_Unknown,price_Starter'])(
    'of several items pays for the best of them: %s',
    async (price) => {
      const account = await addAccount(test.database);
      await send(eventOf({ account, price })).expect(200);
      expect(await tierOf(account)).toBe('pro');
    },
  );

  it('pays although its two events of one second arrive in the other order', async () => {
    const account = await addAccount(test.database);
    await apply({ account, status: 'active' });
    await apply({ account, type: 'created', status: 'incomplete' });
    expect(await tierOf(account)).toBe('pro');
  });

  it(
    'has the same tier whatever the order of its events, with repetitions',
    async () => {
      const last = { created: NOW + 12, subscription: 'sub_a', price: 'price_Starter' };
      const seconds = Array.from({ length: 12 }, (_, second) => NOW + second);
      // 30 events of three subscriptions, some of one second; three of them come twice.
      const events: Omit<SubscriptionEvent, 'account'>[] = [
        ...seconds.map((created) => ({ created, subscription: 'sub_a' })),
        { created: NOW, subscription: 'sub_a', type: 'created', status: 'incomplete' },
        { created: NOW + 3, subscription: 'sub_a', status: 'past_due' },
        last,
        ...seconds.map((created) => ({ created, subscription: 'sub_b' })),
        { created: NOW + 20, subscription: 'sub_b', type: 'deleted' },
        { created: NOW + 5, subscription: 'sub_c', type: 'created' },
        { created: NOW + 5, subscription: 'sub_c', type: 'deleted' },
      ];
      const sent = [...events, ...events.slice(0, 2), last];
      const tierAfter = async (order: typeof sent) => {
        const account = await addAccount(test.database);
        const ids = new Map(events.map((event, place) => [event, `evt_${account}_${place}`]));
        for (const event of order) await post(eventOf({ account, ...event, id: ids.get(event) ?? '' }));
        return tierOf(account);
      };
      const order = fc.shuffledSubarray(sent, { minLength: sent.length });
      await fc.assert(
        fc.asyncProperty(fc.array(order, { minLength: 10, maxLength: 10 }), async (orders) => {
          const tiers = await Promise.all(orders.map(tierAfter));
          expect(tiers).toEqual(orders.map(() => 'starter'));
        }),
        { numRuns: runs(1) },
      );
    },
    RUN_MS * runs(1),
  );

  it('keeps a tier that an operator set, until a subscription changes it', async () => {
    const account = await addAccount(test.database, 'firehose');
    await apply({ account, type: 'created', status: 'incomplete' });
    expect(await tierOf(account)).toBe('firehose');
    await apply({ account, created: NOW + 1 });
    expect(await tierOf(account)).toBe('pro');
  });

  it('of an unknown account, or of another product, changes nothing and is not sent again', async () => {
    expect(await apply({ account: '00000000-0000-4000-8000-000000000000' })).toBe('no_account');
    expect(await apply({ account: 'another product' })).toBe('ignored');
  });

  it('with a price that has no tier is refused, so that it is sent again', async () => {
    const account = await addAccount(test.database);
    const payload = eventOf({ account, price: 'price_Unknown' });
    const { body } = await send(payload).expect(400);
    expect(body).toMatchObject({ error: { message: 'STRIPE_PRICE_TIERS has no tier for price_Unknown.' } });
    expect(await tierOf(account)).toBe('member');
  });
});

describe('what is not signed', () => {
  it.each([
    ['by another secret', 'whsec_another', NOW],
    ['long ago', SECRET, NOW - 3_600],
  ])('%s: 400, and nothing changed', async (_, secret, timestamp) => {
    const account = await addAccount(test.database);
    const { body } = await send(eventOf({ account }), secret, timestamp).expect(400);
    expect(body).toMatchObject({ error: { code: 'bad_request' } });
    expect(await tierOf(account)).toBe('member');
  });

  it('at all, or for other bytes: 400', async () => {
    const account = await addAccount(test.database);
    const payload = eventOf({ account });
    await test.caller().post('/payments/stripe').type('json').send(payload).expect(400);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
    await test
      .caller()
      .post('/payments/stripe')
      .set('Stripe-Signature', signature)
      .type('json')
      .send(payload.replace('price_Pro', 'price_Starter'))
      .expect(400);
    await test.caller().post('/payments/stripe').type('json').send('x'.repeat(300_000)).expect(413);
  });
});

it('is in no public document', async () => {
  for (const path of ['/v1/openapi.json', '/api/v1/openapi.json', '/llms.txt'])
    expect((await test.caller().get(path).expect(200)).text).not.toContain('payments/stripe');
});

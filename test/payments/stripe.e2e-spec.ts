import Stripe from 'stripe';
import { addAccount, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';

const SECRET = 'whsec_of_the_tests';
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

interface Told {
  account: string;
  type?: 'created' | 'updated' | 'deleted';
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
  ...told
}: Told): string {
  const { created = NOW, id = `evt_${++made}`, subscription = 'sub_1' } = told;
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
        items: { data: [{ price: { id: price } }] },
      },
    },
  });
}

/** Signed as Stripe signs it. */
const send = (payload: string, secret = SECRET, timestamp = NOW) =>
  test
    .caller()
    .post('/payments/stripe')
    .set('Stripe-Signature', Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }))
    .set('Content-Type', 'application/json; charset=utf-8')
    .send(payload);
const tell = async (told: Told) => {
  const { body } = await send(eventOf(told)).expect(200);
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
    expect(await tell({ account, type: 'created', price: 'price_Starter' })).toBe('applied');
    expect(await tierOf(account)).toBe('starter');
    await tell({ account, created: NOW + 1 });
    await tell({ account, created: NOW + 2, status: 'past_due' });
    expect(await tierOf(account)).toBe('pro');
    await tell({ account, created: NOW + 3, type: 'deleted' });
    expect(await tierOf(account)).toBe('member');
    expect(await audited(account)).toEqual(['(member -> starter)', '(starter -> pro)', '(pro -> member)']);
  });

  it('is taken once, however often it is told, also at the same time', async () => {
    const account = await addAccount(test.database);
    const payload = eventOf({ account, id: 'evt_again' });
    const answers = await Promise.all([1, 2, 3].map(() => send(payload).expect(200)));
    const outcomes = answers.map(({ body }) => (body as { outcome: string }).outcome);
    expect(outcomes.sort()).toEqual(['applied', 'duplicate', 'duplicate']);
    expect(await audited(account)).toEqual(['(member -> pro)']);
  });

  it('is not undone by what happened before, nor by the end of another', async () => {
    const account = await addAccount(test.database);
    await tell({ account, created: NOW + 10 });
    expect(await tell({ account, created: NOW, price: 'price_Starter' })).toBe('outdated');
    expect(await tell({ account, created: NOW + 11, type: 'deleted', subscription: 'sub_0' })).toBe(
      'other_subscription',
    );
    expect(await tierOf(account)).toBe('pro');
  });

  it('of nobody, or of another kind, changes nothing and is not sent again', async () => {
    expect(await tell({ account: '00000000-0000-4000-8000-000000000000' })).toBe('no_account');
    expect(await tell({ account: 'somebody else' })).toBe('ignored');
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

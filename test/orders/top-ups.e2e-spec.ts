import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import {
  type SandboxCards,
  type SandboxEvent,
  settingsOf,
  startSandboxCards,
} from '../../src/demo/sandbox-cards.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { disputeOf, refundOf } from '../support/card-events.js';
import { createEngine } from '../support/jobs.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  type Customer,
  order,
  type OrdersApp,
  placeOrder,
  startOrdersApp,
} from '../support/orders.js';
import { fieldOf, signedInVisitor } from '../support/visitor.js';
import { WorkKinds } from '../../src/work/kind.js';
import { runs } from '../support/runs.js';

const HOUR = 3_600;
const WAIT_HOURS = 12;
const ALICE = mintOperatorKey();

let cards: SandboxCards;
let test: OrdersApp;
let customer: Customer;
beforeAll(async () => {
  cards = await startSandboxCards(0);
  test = await startOrdersApp({
    ...{ ...settingsOf(cards), TOP_UP_FIRST_WAIT_HOURS: String(WAIT_HOURS) },
    OPERATOR_KEY_HASH: `alice:${ALICE.hash}`,
  });
});
beforeEach(async () => {
  customer = await addCustomer(test, 0);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(async () => {
  await test.close();
  await cards.close();
});

interface TopUpSeen {
  id: string;
  state: string;
  checkout_url: string | null;
  available_at: string | null;
}

const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const errorOf = (body: unknown) => (body as { error: { code: string; message: string } }).error;
const ask = (cents: number, key: string = randomUUID()) =>
  callAs(test, customer).post('/api/v1/balance/top-ups').set('Idempotency-Key', key).send({ cents });
const topUp = async (cents: number): Promise<TopUpSeen> =>
  ((await ask(cents).expect(201)).body as { top_up: TopUpSeen }).top_up;
const sessionOf = ({ checkout_url }: TopUpSeen) => checkout_url?.split('/').at(-1) ?? '';
const paymentOf = (seen: TopUpSeen) => cards.sessions.get(sessionOf(seen))?.payment ?? '';
const refund = (id: string, body: object = {}, key: string = randomUUID()) =>
  callAs(test, customer).post(`/api/v1/balance/top-ups/${id}/refund`).set('Idempotency-Key', key).send(body);

async function send(event: SandboxEvent, id?: string): Promise<string> {
  const { body, signature } = cards.sign(event, id);
  const answer = await test
    .caller()
    .post('/payments/stripe')
    .set('Stripe-Signature', signature)
    .set('Content-Type', 'application/json; charset=utf-8')
    .send(body)
    .expect(200);
  return (answer.body as { outcome: string }).outcome;
}

/** What is due by now. */
async function work(name: 'top-up' | 'card-refund'): Promise<void> {
  const engine = createEngine(test.database, test.app.get(WorkKinds).get(name));
  for (;;) {
    const { begun } = await engine.step(await test.clock.now());
    if (begun.length === 0) return;
    await Promise.all(begun);
  }
}
async function paid(cents: number): Promise<TopUpSeen> {
  const seen = await topUp(cents);
  expect(await send(cards.pay(sessionOf(seen)))).toBe('applied');
  return seen;
}
/** The same, that can be spent. */
async function spendable(cents: number): Promise<TopUpSeen> {
  const seen = await paid(cents);
  await test.skip(WAIT_HOURS * HOUR);
  await work('top-up');
  return seen;
}

/** The documents of the statement, the oldest first: their kinds, and the places of those that they are about. */
async function documents(): Promise<[kind: string, about: number | null][]> {
  const read = async (path: string) =>
    (await callAs(test, customer).get(`/api/v1/balance/${path}`).expect(200)).body;
  const { results } = (await read('statement')) as { results: { receipt: string | null }[] };
  const numbers = results.flatMap(({ receipt }) => receipt ?? []).reverse();
  return Promise.all(
    numbers.map(async (number): Promise<[string, number | null]> => {
      const { kind, adjusts } = (await read(`receipts/${number}`)) as {
        kind: string;
        adjusts: string | null;
      };
      return [kind, adjusts === null ? null : numbers.indexOf(adjusts)];
    }),
  );
}

describe('POST /api/v1/balance/top-ups', () => {
  it('opens a page, whose payment is credited once and can be spent after the waiting time', async () => {
    const seen = await topUp(5_000);
    expect(seen).toMatchObject({ state: 'open', is_play_money: true, available_at: null });
    expect(await balance()).toMatchObject({ balanceCents: 0 });
    const event = cards.pay(sessionOf(seen));
    const outcomes = [];
    for (const id of ['evt_1', 'evt_1', 'evt_2']) outcomes.push(await send(event, id));
    outcomes.push(await send({ ...event, type: 'checkout.session.async_payment_succeeded' }));
    expect(outcomes).toEqual(['applied', 'duplicate', 'duplicate', 'duplicate']);
    const read = () => callAs(test, customer).get('/api/v1/balance').expect(200);
    expect((await read()).body).toMatchObject({
      ...{ balance_cents: 5_000, waiting_cents: 5_000, free_cents: 0, is_play_money: true, is_frozen: false },
    });
    await expect(order(test, customer, 'too-soon.com.au')).rejects.toThrow('402');
    await test.skip(WAIT_HOURS * HOUR);
    await work('top-up');
    expect((await read()).body).toMatchObject({ waiting_cents: 0, waiting_until: null, free_cents: 5_000 });
    await paid(2_000);
    expect(await balance()).toMatchObject({ freeCents: 7_000 });
    const list = await callAs(test, customer).get('/api/v1/balance/top-ups').expect(200);
    expect(list.body).toMatchObject({ results: [{ cents: 2_000, state: 'paid' }, { cents: 5_000 }] });
    const statement = await callAs(test, customer).get('/api/v1/balance/statement').expect(200);
    expect(statement.body).toMatchObject({ results: [{ kind: 'top_up', words: 'Play money' }, {}] });
  });

  it('is the same page for the same Idempotency-Key, also when the provider was away', async () => {
    const key = randomUUID();
    cards.faults.push('away', 'away');
    const away = await ask(3_000, key).expect(503);
    expect(errorOf(away.body).code).toBe('payments_unavailable');
    cards.faults.push('lost');
    const before = cards.sessions.size;
    const answers = [await ask(3_000, key).expect(201), await ask(3_000, key).expect(201)];
    expect(cards.sessions.size - before).toBe(1);
    const urls = answers.map(({ body }) => (body as { top_up: TopUpSeen }).top_up.checkout_url);
    expect(new Set(urls).size).toBe(1);
    expect(errorOf((await ask(3_001, key).expect(409)).body).code).toBe('idempotency_conflict');
  });

  it('is opened anew where the first try failed, and its end is too near for the provider', async () => {
    const key = randomUUID();
    cards.faults.push('away', 'away');
    await ask(3_000, key).expect(503);
    await test.skip(HOUR - 20 * 60);
    const [one, two] = await Promise.all([ask(3_000, key), ask(3_000, key)]);
    expect([one.status, two.status]).toEqual([201, 201]);
    const seen = (one.body as { top_up: TopUpSeen }).top_up;
    const leftMs =
      (cards.sessions.get(sessionOf(seen))?.expiresAt ?? 0) * 1_000 - (await test.clock.now()).getTime();
    expect(leftMs).toBeGreaterThan(35 * 60_000);
    expect(two.body).toEqual(one.body);
    expect(await send(cards.pay(sessionOf(seen)))).toBe('applied');
  });

  it('keeps its account from being deleted while it can be paid: nobody would own the money', async () => {
    const whyOpen = () => test.app.get(AccountRepository).findOpenBusiness(customer.accountId);
    expect(await whyOpen()).toBeNull();
    const seen = await topUp(2_000);
    expect(await whyOpen()).toContain('card payment');
    await send(cards.pay(sessionOf(seen)));
    expect(await whyOpen()).toContain('A$\u00a020.00');
  });

  it('has the cap of a day once the waiting time of its account is over, however long it was', async () => {
    const settings = { ...settingsOf(cards), TOP_UP_FIRST_WAIT_HOURS: '72', TOP_UP_DAY_MAX_CENTS: '30000' };
    const slow = await startOrdersApp({ ...settings, DATABASE_URL: test.databaseUrl }, test);
    const pay = async (cents: number) => {
      const { body } = await callAs(slow, customer)
        .post('/api/v1/balance/top-ups')
        .set('Idempotency-Key', randomUUID())
        .send({ cents })
        .expect(201);
      await send(cards.pay(sessionOf((body as { top_up: TopUpSeen }).top_up)));
    };
    try {
      await pay(20_000);
      await slow.skip(73 * HOUR);
      await pay(30_000);
      await slow.skip(25 * HOUR);
      await pay(30_000);
    } finally {
      await slow.close();
    }
  });

  it('has caps, lower ones at first', async () => {
    expect(errorOf((await ask(999).expect(400)).body).message).toContain('at least 1000');
    await callAs(test, customer).post('/api/v1/balance/top-ups').send({ cents: 2_000 }).expect(400);
    await topUp(15_000);
    const refused = errorOf((await ask(6_000).expect(409)).body);
    expect(refused).toMatchObject({ code: 'limit_reached' });
    expect(refused.message).toContain('5000 are left');
    const many = await Promise.all([1, 2, 3, 4].map(() => ask(2_000)));
    expect(many.filter(({ status }) => status === 201)).toHaveLength(2);
    // Nobody paid them while their pages were open.
    await test.skip(2 * HOUR);
    await spendable(20_000);
    await test.skip(24 * HOUR);
    await topUp(90_000);
    expect((await ask(11_000)).status).toBe(409);
  });

  it('whose amount or top-up does not fit goes into suspense, and to nobody', async () => {
    const event = cards.pay(sessionOf(await topUp(4_000)));
    expect(await send({ ...event, object: { ...event.object, amount_total: 4_001 } })).toBe('suspense');
    expect(await send(event)).toBe('duplicate');
    expect(await balance()).toMatchObject({ balanceCents: 0 });
    const unpaid = cards.pay(sessionOf(await topUp(4_000)));
    expect(await send({ ...unpaid, object: { ...unpaid.object, payment_status: 'unpaid' } })).toBe('ignored');
    expect(await send({ ...unpaid, object: { ...unpaid.object, metadata: {} } })).toBe('ignored');
  });
});

describe('a refund', () => {
  it('is of what is neither spent nor set aside, and sent once', async () => {
    const seen = await spendable(6_000);
    await order(test, customer, 'held.com.au');
    const much = await refund(seen.id, { cents: 4_000 }).expect(402);
    expect(errorOf(much.body).message).toContain('3600 cents');
    const key = randomUUID();
    const answers = await Promise.all(
      [1, 2, 3].map(() => refund(seen.id, { cents: 3_600 }, key).expect(202)),
    );
    expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
    expect(await balance()).toMatchObject({ balanceCents: 2_400, freeCents: 0 });
    // The reply to the first request is lost, and the second finds the refund.
    cards.faults.push('lost', 'lost', 'lost');
    const before = cards.refunds.length;
    await work('card-refund');
    await test.skip(60);
    await work('card-refund');
    expect(cards.refunds.slice(before)).toMatchObject([{ amount: 3_600 }]);
    const again = await refund(seen.id, { cents: 3_600 }, key).expect(202);
    expect(again.body).toMatchObject({ state: 'sent' });
    await refund(randomUUID()).expect(404);
  });

  it('that fails gives the money back once; one made at the provider is booked', async () => {
    const seen = await spendable(5_000);
    const body = (await refund(seen.id).expect(202)).body as { id: string };
    await work('card-refund');
    const own = cards.refunds.at(-1);
    const failed = { type: 'refund.failed', object: { ...own, status: 'failed' } };
    expect([await send(failed), await send(failed)]).toEqual(['applied', 'duplicate']);
    expect(await balance()).toMatchObject({ freeCents: 5_000 });
    expect(own?.metadata).toEqual({ bowerbird_refund: body.id });
    const foreign = (what: string) => refundOf(paymentOf(seen), 1_000, what, 're_foreign');
    expect([await send(foreign('created')), await send(foreign('updated'))]).toEqual([
      'applied',
      'duplicate',
    ]);
    expect(await balance()).toMatchObject({ freeCents: 4_000 });
    expect(await documents()).toEqual([
      ...[
        ['receipt', null],
        ['refund', null],
        ['correction_note', 1],
        ['refund', null],
      ],
    ]);
  });

  it('of several at once no two exceed their top-up, whatever else is free', async () => {
    const seen = await spendable(5_000);
    await paid(5_000);
    const answers = await Promise.all([1, 2, 3, 4].map(() => refund(seen.id, { cents: 3_000 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 402, 402, 402]);
    expect(await balance()).toMatchObject({ balanceCents: 7_000 });
    await work('card-refund');
  });

  it('that the provider refuses gives the money back', async () => {
    const seen = await paid(5_000);
    await refund(seen.id).expect(202);
    expect(await balance()).toMatchObject({ balanceCents: 0, heldCents: 0 });
    cards.faults.push('refused');
    await work('card-refund');
    expect(await balance()).toMatchObject({ balanceCents: 5_000, freeCents: 0 });
    await test.skip(WAIT_HOURS * HOUR);
    await work('top-up');
    expect(await balance()).toMatchObject({ freeCents: 5_000 });
  });
});

describe('the waiting time of a first top-up', () => {
  const ends = async (cents: number) => {
    await test.skip(WAIT_HOURS * HOUR);
    await work('top-up');
    expect(await balance()).toMatchObject({ freeCents: cents, heldCents: 0 });
  };
  const waits = async (cents: number) => {
    expect(await balance()).toMatchObject({ balanceCents: cents, freeCents: 0 });
    const { body } = await callAs(test, customer).get('/api/v1/balance').expect(200);
    expect(body).toMatchObject({ waiting_cents: cents });
    // Also when its work runs too early.
    await work('top-up');
    expect(await balance()).toMatchObject({ freeCents: 0 });
  };

  it('is not ended by a refund of a part, its customer’s or the provider’s', async () => {
    const seen = await paid(5_000);
    await send(refundOf(paymentOf(seen), 1, 'created', `re_${randomUUID()}`));
    await waits(4_999);
    await refund(seen.id, { cents: 1_000 }).expect(202);
    await waits(3_999);
    await work('card-refund');
    await ends(3_999);
  });

  it('is not ended by a refund that failed', async () => {
    const [own, foreign] = [await paid(4_000), await paid(1_000)];
    await refund(own.id).expect(202);
    await work('card-refund');
    await send({ type: 'refund.failed', object: { ...cards.refunds.at(-1), status: 'failed' } });
    await send(refundOf(paymentOf(foreign), 500, 'failed', `re_${randomUUID()}`));
    await waits(5_000);
    await ends(5_000);
  });

  it('is not ended by a dispute that was lost and won', async () => {
    const seen = await paid(5_000);
    const dispute = disputeOf(paymentOf(seen), 5_000);
    await send(dispute('funds_withdrawn'));
    expect(await balance()).toMatchObject({ balanceCents: 0, heldCents: 0 });
    await send(dispute('funds_reinstated', 'won'));
    await waits(5_000);
    await ends(5_000);
  });
});

it('payments, refunds and disputes of one account at once wait for each other in one order', async () => {
  const rounds = Array.from({ length: 12 }, async () => {
    const own = await addCustomer(test, 0);
    const asked = async (cents: number) => {
      const { body } = await callAs(test, own)
        .post('/api/v1/balance/top-ups')
        .set('Idempotency-Key', randomUUID())
        .send({ cents })
        .expect(201);
      return (body as { top_up: TopUpSeen }).top_up;
    };
    const [first, second, third] = [await asked(4_000), await asked(4_000), await asked(4_000)];
    await send(cards.pay(sessionOf(first)));
    await send(cards.pay(sessionOf(second)));
    return async () => {
      const answers = await Promise.all([
        send(cards.pay(sessionOf(third))),
        callAs(test, own)
          .post(`/api/v1/balance/top-ups/${first.id}/refund`)
          .set('Idempotency-Key', 'own')
          .send({})
          .expect(202),
        send(refundOf(paymentOf(second), 1_000, 'created', `re_${randomUUID()}`)),
        send(disputeOf(paymentOf(second), 1_000)('funds_withdrawn')),
      ]);
      expect(answers).toHaveLength(4);
      const { balanceCents, owedCents } = await test.app.get(Ledger).balanceOf(own.accountId);
      expect([balanceCents, owedCents]).toEqual([6_000, 0]);
    };
  });
  const begun = await Promise.all(rounds);
  await Promise.all(begun.map((round) => round()));
  await work('card-refund');
});

describe('a dispute', () => {
  it('freezes ordering and takes the money; what is spent is owed, and paid first', async () => {
    const seen = await spendable(5_000);
    await order(test, customer, 'disputed.com.au');
    const dispute = disputeOf(paymentOf(seen), 5_000);
    await send(dispute('created'));
    expect(await balance()).toMatchObject({ freeCents: 2_600 });
    const refused = await callAs(test, customer)
      .post('/api/v1/registrations/quote')
      .send({ domain: 'another.com.au', years: 1, registrant: customer.registrant })
      .expect(403);
    expect(errorOf(refused.body).code).toBe('account_frozen');
    expect((await ask(2_000).expect(403)).status).toBe(403);
    await test.pass(120);
    expect(test.registrar.requests.get('disputed.com.au')).toBeUndefined();
    await send(dispute('funds_withdrawn'));
    expect(await balance()).toMatchObject({ balanceCents: 2_400, heldCents: 2_400, owedCents: 2_400 });
    await send(dispute('funds_reinstated', 'won'));
    await send(dispute('closed', 'won'));
    await send(dispute('updated'));
    expect(await balance()).toMatchObject({ balanceCents: 5_000, owedCents: 0 });
    const corrections = [
      ['correction_note', 0],
      ['correction_note', 1],
    ];
    expect(await documents()).toEqual([['receipt', null], ...corrections]);
    await test.pass(120);
    expect(test.registrar.requests.get('disputed.com.au')).toBe(1);
  });

  it('that is heard of before its payment waits for it', async () => {
    const seen = await topUp(5_000);
    const dispute = disputeOf(paymentOf(seen), 5_000);
    expect([await send(dispute('funds_withdrawn')), await send(dispute('created'))]).toEqual([
      'waits',
      'waits',
    ]);
    expect(await send(cards.pay(sessionOf(seen)))).toBe('applied');
    expect(await balance()).toMatchObject({ balanceCents: 0, owedCents: 0 });
    expect((await callAs(test, customer).get('/api/v1/balance')).body).toMatchObject({ is_frozen: true });
  });
});

describe('a balance', () => {
  it('goes back to the cards that paid it by a page, once a form, except what orders need', async () => {
    const visitor = await signedInVisitor(test);
    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    const id = row?.id ?? '';
    await test.database.query('UPDATE account_session SET proven_at = now() WHERE account_id = $1', [id]);
    customer = await addCustomer(test, 700, id);
    const [first, second] = [await spendable(5_000), await spendable(2_000)];
    const order = await placeOrder(test, customer, 'refund-page.com.au');
    const actor = { accountId: id, by: 'session:test', from: null };
    await test.app.get(OrderDesk).approve(order, ACCEPTED, actor);
    const { text } = await visitor.open('/profile/refund').expect(200);
    expect(text).toContain('Have A$\u00a053.00 refunded');
    const form = { submission: fieldOf(text, 'submission') };
    await Promise.all([1, 2].map(() => visitor.send('/profile/refund', form).expect(303)));
    expect(await balance()).toMatchObject({ balanceCents: 2_400, heldCents: 2_400 });
    await work('card-refund');
    const sent = [first, second].map((one) =>
      cards.refunds.find((each) => each.payment_intent === paymentOf(one)),
    );
    expect(sent.map((one) => one?.amount)).toEqual([3_300, 2_000]);
    await test.app.get(OrderDesk).cancel(order, id);
    // What no card paid stays.
    const again = await visitor.open('/profile/refund').expect(200);
    expect(again.text).toContain('Have A$\u00a017.00 refunded');
    expect(again.text).toContain('A$\u00a07.00 came from no card');
    await visitor.send('/profile/refund', { submission: fieldOf(again.text, 'submission') }).expect(303);
    const last = await visitor.open('/profile/refund').expect(200);
    expect(last.text).toContain('Nothing is left to refund.');
    await visitor.send('/profile/refund', { submission: randomUUID() }).expect(402);
  });

  it('has its page with ORDERS=off, and an account without one has none', async () => {
    const off = await startOrdersApp(
      { DATABASE_URL: test.databaseUrl, ORDERS: 'off', ...settingsOf(cards) },
      test,
    );
    const visitor = await signedInVisitor(off);
    await visitor.open('/profile/refund').expect(404);
    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    await addCustomer(off, 700, row?.id);
    const { text } = await visitor.open('/profile/refund').expect(200);
    expect(text).toContain('A$\u00a07.00 came from no card');
    await off.close();
  });
});

describe('another currency than AUD', () => {
  it('of a dispute is booked as the provider booked it in AUD', async () => {
    const seen = await spendable(5_000);
    const dispute = disputeOf(paymentOf(seen), 2_500, 'dp_usd', { currency: 'usd', amount: 1_600 });
    await send(dispute('funds_withdrawn'));
    expect(await balance()).toMatchObject({ balanceCents: 2_500 });
    await send(dispute('funds_reinstated', 'won'));
    expect(await balance()).toMatchObject({ balanceCents: 5_000 });
  });

  it('of a refund books nothing, and freezes the account until an operator has looked', async () => {
    const seen = await spendable(5_000);
    const refunds = [1, 2].map(() => send(refundOf(paymentOf(seen), 1_600, 'created', 're_usd', 'usd')));
    expect(await Promise.all(refunds)).toEqual(expect.arrayContaining(['applied', 'duplicate']));
    const { body } = await callAs(test, customer).get('/api/v1/balance').expect(200);
    expect(body).toMatchObject({ balance_cents: 5_000, is_frozen: true });
  });

  it('of a payment books nothing', async () => {
    const seen = await topUp(5_000);
    const event = cards.pay(sessionOf(seen));
    const sums = () =>
      test.database.query(
        `SELECT sum(balance_cents)::int AS cents FROM ledger_account WHERE kind = 'suspense'`,
      );
    const before = await sums();
    expect(await send({ ...event, object: { ...event.object, currency: 'usd' } })).toBe('suspense');
    expect([await balance(), await sums()]).toEqual([expect.objectContaining({ balanceCents: 0 }), before]);
  });
});

describe('a restored database', () => {
  const resume = () =>
    test
      .caller()
      .post('/ops/v1/orders/resume')
      .set('Authorization', `Bearer ${ALICE.text}`)
      .send({ stop: 'restored', reason: 'compared' });
  async function restore(): Promise<void> {
    await test.watch();
    await test.database.query(`UPDATE ordering_place SET place = 'the place of the backup'`);
    await test.skip(HOUR);
    await test.run('registrar-reconcile');
  }
  const happen = (event: SandboxEvent) =>
    cards.events.push({ ...event, id: `evt_${randomUUID()}`, created: Math.floor(Date.now() / 1_000) });

  it('has what was paid and refunded after the backup, each once, before it takes orders', async () => {
    const known = await spendable(5_000);
    const [lost, spent] = [await topUp(3_000), await topUp(2_000)];
    for (const one of [lost, spent]) cards.pay(sessionOf(one));
    const nobody = cards.pay(sessionOf(await topUp(1_500)));
    cards.events.pop();
    happen({
      ...nobody,
      object: {
        ...{ ...nobody.object, client_reference_id: randomUUID() },
        metadata: { bowerbird_top_up: randomUUID() },
      },
    });
    for (const [payment, cents] of [
      [paymentOf(known), 1_000],
      [paymentOf(spent), 2_000],
    ] as const)
      happen({ ...refundOf(payment, cents, 'created', `re_${payment}`) });
    await test.database.query('DELETE FROM top_up WHERE id = ANY ($1)', [[lost.id, spent.id]]);
    await restore();
    expect(await balance()).toMatchObject({ balanceCents: 5_000 });
    cards.faults.push('away', 'away');
    expect(errorOf((await resume().expect(503)).body).code).toBe('payments_unavailable');
    await resume().expect(200);
    expect(await balance()).toMatchObject({ balanceCents: 5_000 - 1_000 + 3_000 });
    await restore();
    await resume().expect(200);
    expect(await balance()).toMatchObject({ balanceCents: 7_000 });
    const list = await callAs(test, customer).get('/api/v1/balance/top-ups').expect(200);
    expect(list.body).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ id: lost.id })]),
    });
  });
});

it('events, repeated and in any order, come to the same cents', async () => {
  const total = runs(500);
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (random) => {
      customer = await addCustomer(test, 0);
      const events: SandboxEvent[] = [];
      for (const cents of [3_000, 4_000, 5_000]) {
        const seen = await topUp(cents);
        const [payment, dispute] = [paymentOf(seen), disputeOf(paymentOf(seen), cents)];
        events.push(cards.pay(sessionOf(seen)));
        if (cents === 3_000)
          events.push(...['created', 'failed'].map((what) => refundOf(payment, 500, what, `re_${payment}`)));
        if (cents === 4_000) events.push(refundOf(payment, 700, 'created', `re_${payment}`));
        if (cents >= 4_000) events.push(dispute('created'), dispute('funds_withdrawn'));
        if (cents === 5_000) events.push(dispute('funds_reinstated', 'won'), dispute('closed', 'won'));
      }
      const queue = [...events, ...events].map((event) => ({ event, place: random.next().value ?? 0 }));
      for (const { event } of queue.sort((one, other) => one.place - other.place)) await send(event);
      sent += queue.length;
      const { balanceCents, owedCents } = await balance();
      // 3,000 stay; of 4,000 all is disputed and 700 were refunded besides; of 5,000 all came back.
      expect(balanceCents - owedCents).toBe(7_300);
      expect((await callAs(test, customer).get('/api/v1/balance')).body).toMatchObject({ is_frozen: true });
    }),
    { numRuns: Math.ceil(total / 24) },
  );
  expect(sent).toBeGreaterThanOrEqual(total);
});

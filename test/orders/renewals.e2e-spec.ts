import { randomUUID } from 'node:crypto';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderingStops } from '../../src/orders/ledger/ordering-stops.repository.js';
import { Clock } from '../../src/db/database.js';
import { networkOf } from '../../src/observe/audit.repository.js';
import { ACCEPTED_TODAY } from '../../src/orders/order/agreements.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { Renewals } from '../../src/orders/order/renewals.js';
import { WorkKinds } from '../../src/work/kind.js';
import { Client } from 'pg';
import { addDomain, addInState } from '../support/domains.js';
import { createEngine } from '../support/jobs.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  credit,
  type Customer,
  giveBack,
  order,
  type OrdersApp,
  quote,
  startOrdersApp,
} from '../support/orders.js';
import { PASSWORD, signedInVisitor } from '../support/visitor.js';

const TOTAL = 2_400;
/** A renewal's price, as the page of the order shows it. */
const AGREED = { accept: ACCEPTED, maxCents: TOTAL };
const [MINUTE, HOUR] = [60, 3_600];
const DAY = 24 * HOUR;

let test: OrdersApp;
let customer: Customer;
let made = 0;
const freeName = () => `renewed-${(made += 1)}.com.au`;
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const actorOf = ({ accountId }: Customer) => ({ accountId, by: 'session:test', from: null });

beforeAll(async () => {
  test = await startOrdersApp({ BASE_URL: 'http://bowerbird.test' });
});
beforeEach(async () => {
  // The registry says that names are registered until then.
  test.clock.set(new Date('2026-11-27T00:00:00Z'));
  customer = await addCustomer(test);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(() => test.close());

async function registeredName(name = freeName()): Promise<{ id: string; name: string }> {
  const id = await order(test, customer, name);
  await test.pass(1);
  expect(await test.order(id)).toMatchObject({ state: 'registered' });
  return { id, name };
}
const noticesOf = (id: string) =>
  test.database.query<{ type: string; reason: string | null }>(
    `SELECT type, reason FROM order_notice WHERE order_id = $1
        AND type IN ('registration.expiring', 'registration.needs_attention') AND state = 'registered' ORDER BY at, id`,
    [id],
  );
const renewal = (id: string, years = 1) =>
  callAs(test, customer).post(`/api/v1/registrations/${id}/renewal`).send({ years });

describe('a registered name', () => {
  it('is told to the dataset, by the registrar and with its time', async () => {
    const name = freeName();
    await addDomain(test.database, { domain: name });
    const id = await order(test, customer, name);
    // The registry says nothing that can be read.
    test.names.set(name, 'html');
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    const rows = await test.database.query(
      'SELECT state, registry_state AS said, confirmed_by AS by FROM domain WHERE domain = $1',
      [name],
    );
    expect(rows).toEqual([{ state: 'taken', said: 'registered', by: 'registrar' }]);
  });

  const stateIn = async (name: string) => {
    const [row] = await test.database.query<{ state: string; by: string | null }>(
      'SELECT state, confirmed_by AS by FROM domain WHERE domain = $1',
      [name],
    );
    return row && [row.state, row.by];
  };

  it('is told to the dataset by a later run too: after a kill, and when its row was locked', async () => {
    const [killed, locked] = [freeName(), freeName()];
    for (const domain of [killed, locked]) await addDomain(test.database, { domain });
    const ids = [await order(test, customer, killed), await order(test, customer, locked)];
    const lock = new Client({ connectionString: test.databaseUrl });
    await lock.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM domain WHERE domain = ANY ($1) FOR UPDATE', [[killed, locked]]);
    await test.pass(1);
    for (const id of ids) expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect([await stateIn(killed), await stateIn(locked)]).not.toContainEqual(['taken', 'registrar']);
    await lock.end();
    // As it is after the lease of a killed run: its work is due once more.
    await test.database.query(
      `UPDATE work SET due_at = '2026-11-27', failures = 0 WHERE kind = 'registration' AND key = $1`,
      [ids[0]],
    );
    await test.pass(MINUTE);
    expect([await stateIn(killed), await stateIn(locked)]).toEqual([
      ['taken', 'registrar'],
      ['taken', 'registrar'],
    ]);
  });

  it('is given back within the window, and its price is in the balance again', async () => {
    const { id, name } = await registeredName();
    const { body } = await callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200);
    expect(body).toMatchObject({ order: { cancel_until: '2026-11-28T00:00:00.000Z', renews: null } });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL });
    test.registrar.faults.set(name, ['reply_lost']);
    expect(await giveBack(test, customer, id)).toMatchObject({
      ...{ state: 'registered', reason: 'being given back to the registrar' },
    });
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'cancelled', reason: 'given back by its customer' });
    expect(test.registrar.holders.has(name)).toBe(false);
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
    await giveBack(test, customer, id);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 });
  });

  it('keeps its name from other orders until it is given back', async () => {
    const { id, name } = await registeredName();
    await giveBack(test, customer, id);
    // Deleted, and the process is killed before the order ends.
    test.registrar.holders.delete(name);
    const other = await addCustomer(test);
    const next = await order(test, other, name);
    test.registrar.isAway = true;
    await test.pass(MINUTE);
    expect(await test.order(next)).toMatchObject({ state: 'approved' });
    const attempts = 'SELECT FROM registration_attempt WHERE order_id = $1';
    expect(await test.database.query(attempts, [next])).toEqual([]);
    test.registrar.isAway = false;
    await test.pass(2 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'cancelled' });
    expect(await test.order(next)).toMatchObject({ state: 'registered' });
  });

  it.each([0, DAY])(
    'is settled where another has it after it was given back, %i s later',
    async (seconds) => {
      const { id, name } = await registeredName();
      // Deleted for us, with the reply lost; then another took it.
      test.registrar.faults.set(name, ['reply_lost']);
      await giveBack(test, customer, id);
      await test.step();
      test.registrar.holders.set(name, 'somebody');
      await test.skip(seconds);
      await test.pass(MINUTE);
      expect(await test.order(id)).toMatchObject({
        ...{ state: 'cancelled', reason: 'given back by its customer; another has the name since' },
      });
      expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
    },
  );

  it('that another has waits for an operator where no command of ours was sent', async () => {
    const { id, name } = await registeredName();
    test.registrar.isAway = true;
    await giveBack(test, customer, id);
    await test.step();
    test.registrar.isAway = false;
    test.registrar.holders.set(name, 'somebody');
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL });
  });

  it('waits for an operator too, where the process was killed before the command left', async () => {
    const { id, name } = await registeredName();
    test.registrar.faults.set(name, ['killed_before']);
    await giveBack(test, customer, id);
    await test.step();
    test.registrar.holders.set(name, 'somebody');
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL });
  });

  it('waits for an operator too, where the command that was sent changed nothing', async () => {
    const { id, name } = await registeredName();
    const ours = test.registrar.holders.get(name);
    if (!ours) throw new Error('The registrar lacks the name.');
    test.registrar.faults.set(name, ['reply_lost', { refused: 'policy' }]);
    await giveBack(test, customer, id);
    await test.step();
    // As if the request had been lost.
    test.registrar.holders.set(name, ours);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered', cancelAskedAt: null });
    test.registrar.holders.set(name, 'somebody');
    await giveBack(test, customer, id);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
  });

  it('stays where the registrar will not have it back, or the window has passed', async () => {
    const [refused, late] = [await registeredName(), await registeredName()];
    test.registrar.faults.set(refused.name, [{ refused: 'policy' }]);
    await giveBack(test, customer, refused.id);
    await test.pass(1);
    expect(await test.order(refused.id)).toMatchObject({ state: 'registered', cancelAskedAt: null });
    expect(await noticesOf(refused.id)).toMatchObject([{ type: 'registration.needs_attention' }]);
    await test.skip(DAY);
    await expect(giveBack(test, customer, late.id)).rejects.toMatchObject({
      ...{ code: 'order_closed', message: expect.stringContaining('until 2026-11-28T00:00:') },
    });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL });
  });

  it('is given back by a program that ordered it within a mandate alone: not what a person approved', async () => {
    const { id, name } = await registeredName();
    const cancel = (who = customer) => callAs(test, who).post(`/api/v1/registrations/${id}/cancel`);
    const { body } = await cancel().expect(403);
    expect(body).toMatchObject({
      error: { code: 'mandate_required', message: expect.stringContaining(`/profile/orders/${id}`) },
    });
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered', cancelAskedAt: null });
    // As if a mandate had approved it.
    await test.database.query(
      `WITH spent AS (UPDATE registration_order SET mandate_id = gen_random_uuid() WHERE id = $1 RETURNING *)
       INSERT INTO mandate_month SELECT mandate_id, mandate_month_of(approved_at), total_cents FROM spent`,
      [id],
    );
    const other = await addCustomer(test, 0, customer.accountId);
    await cancel(other).expect(403);
    await cancel().expect(200);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'cancelled' });
    expect(test.registrar.holders.has(name)).toBe(false);
  });

  it('is reminded of 90, 30 and 7 days before its end, each once', async () => {
    const { id } = await registeredName();
    for (const [day, count] of [
      ['2027-08-28T00:00:00Z', 0],
      ['2027-08-29T00:00:00Z', 1],
      ['2027-08-30T00:00:00Z', 1],
      ['2027-10-28T00:00:00Z', 2],
      ['2027-11-20T00:00:00Z', 3],
      ['2027-11-26T00:00:00Z', 3],
    ] as const) {
      test.clock.set(new Date(day));
      await test.run('renewals');
      expect([day, (await noticesOf(id)).length]).toEqual([day, count]);
    }
  });

  it.each([null, 'reply_lost', 'request_lost'] as const)(
    'is renewed once by an order, with %s',
    async (fault) => {
      const { id, name } = await registeredName();
      expect((await renewal(id).expect(409)).body).toMatchObject({
        error: { code: 'order_closed', message: expect.stringContaining('from 2027-08-29 to 2027-12-27') },
      });
      test.clock.set(new Date('2027-10-01T00:00:00Z'));
      const { body } = await renewal(id, 2).expect(200);
      const place = (more: object) =>
        callAs(test, customer)
          .post('/api/v1/registrations')
          .set('Idempotency-Key', randomUUID())
          .send({ quote: (body as { quote: string }).quote, accept: ACCEPTED, ...more });
      const refused = await place({ name_servers: ['ns1.example.net', 'ns2.example.net'] }).expect(400);
      expect(refused.text).toContain('name_servers cannot come with a renewal');
      const placed = await place({}).expect(202);
      const renewing = (placed.body as { order: { id: string } }).order.id;
      expect(placed.body).toMatchObject({ order: { renews: id, domain: name, years: 2 } });
      if (fault) test.registrar.faults.set(name, [fault]);
      await test.app.get(OrderDesk).approve(renewing, ACCEPTED, actorOf(customer));
      await test.pass(20 * MINUTE);
      const expiresAt = new Date('2029-11-27T00:00:00Z');
      expect(await test.order(renewing)).toMatchObject({ state: 'registered', expiresAt });
      expect(await test.order(id)).toMatchObject({ state: 'registered', expiresAt });
      expect(test.registrar.renewals.filter((one) => one === name)).toHaveLength(1);
      expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
      // A renewal moves the end: the day of registration is another.
      const [known] = await test.database.query<{ by: string; registeredAt: Date | null }>(
        'SELECT source AS by, registered_at AS "registeredAt" FROM registry_answer WHERE domain = $1',
        [name],
      );
      const registeredAt = fault === 'reply_lost' ? new Date('2026-11-27T00:00:00Z') : null;
      expect(known).toEqual({ by: 'registrar', registeredAt });
    },
  );

  it('is renewed before an order that waits for its drop, which is lost then', async () => {
    const { id, name } = await registeredName();
    test.clock.set(new Date('2027-12-20T00:00:00Z'));
    await addInState(test.database, [{ domain: name, state: 'listed' }]);
    const drop = await order(test, await addCustomer(test), name);
    await test.pass(MINUTE);
    const { body } = await renewal(id).expect(200);
    const placed = await callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', randomUUID())
      .send({ quote: (body as { quote: string }).quote, accept: ACCEPTED })
      .expect(202);
    const renewing = (placed.body as { order: { id: string } }).order.id;
    await test.app.get(OrderDesk).approve(renewing, ACCEPTED, actorOf(customer));
    await test.pass(2 * MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'registered' });
    expect(await test.order(drop)).toMatchObject({ state: 'lost' });
  });

  it('renews by itself with the consent of a person, up to its price', async () => {
    const [agreed, dear] = [await registeredName(), await registeredName()];
    const renewals = test.app.get(Renewals);
    for (const { id } of [agreed, dear]) await renewals.setConsent(id, AGREED, actorOf(customer));
    const [outdated, dearer] = [
      { ...AGREED, accept: ['payment:1'] },
      { ...AGREED, maxCents: TOTAL - 1 },
    ];
    await expect(renewals.setConsent(dear.id, dearer, actorOf(customer))).rejects.toMatchObject({
      code: 'price_changed',
    });
    await expect(renewals.setConsent(dear.id, outdated, actorOf(customer))).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    await test.database.query(
      `UPDATE registration_order SET auto_renew = auto_renew || '{"maxCents": 2399}' WHERE id = $1`,
      [dear.id],
    );
    const stranger = await addCustomer(test);
    await expect(renewals.setConsent(agreed.id, AGREED, actorOf(stranger))).rejects.toMatchObject({
      code: 'not_found',
    });
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    // Switched off, nothing is ordered.
    const off = await startOrdersApp({ DATABASE_URL: test.databaseUrl, ORDERS: 'off' }, test);
    await off.run('renewals');
    await off.close();
    expect(await balance()).toMatchObject({ heldCents: 0 });
    for (let hour = 0; hour < 3; hour += 1) {
      await test.run('renewals');
      await test.pass(HOUR);
    }
    expect(await test.order(agreed.id)).toMatchObject({ expiresAt: new Date('2028-11-27T00:00:00Z') });
    expect(await test.order(dear.id)).toMatchObject({ expiresAt: new Date('2027-11-27T00:00:00Z') });
    expect(test.registrar.renewals.filter((one) => one === agreed.name)).toHaveLength(1);
    const told = await noticesOf(dear.id);
    expect(told.filter(({ type }) => type === 'registration.needs_attention')).toMatchObject([
      {
        reason: expect.stringMatching(
          `^it was not renewed by itself: a year costs ${TOTAL} cents, more than was consented to; it is tried again`,
        ),
      },
    ]);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 3 * TOTAL, heldCents: 0 });
  });
});

describe('a renewal by consent', () => {
  const consent = (id: string) => test.app.get(Renewals).setConsent(id, AGREED, actorOf(customer));
  const renewalsOf = (name: string) => test.registrar.renewals.filter((one) => one === name).length;
  const attention = async (id: string) =>
    (await noticesOf(id)).flatMap(({ type, reason }) => (type.endsWith('needs_attention') ? [reason] : []));
  const ordersThatRenew = (id: string) =>
    test.database.query<{ state: string }>(
      'SELECT state FROM registration_order WHERE renews = $1 ORDER BY number',
      [id],
    );
  async function passHours(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      await test.run('renewals');
      await test.pass(HOUR);
    }
  }

  it('is tried again the next day after its order failed or lapsed, and its owner is told', async () => {
    const { id, name } = await registeredName();
    await consent(id);
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    test.registrar.faults.set(name, [{ refused: 'policy' }]);
    await passHours(23);
    expect(await ordersThatRenew(id)).toEqual([{ state: 'failed' }]);
    await passHours(1);
    const stops = test.app.get(OrderingStops);
    await test.run('renewals');
    await stops.stop('operator', 'a test', new Date());
    await test.skip(25 * HOUR);
    await test.run('renewals');
    await stops.clear('operator');
    expect(await ordersThatRenew(id)).toEqual([{ state: 'failed' }, { state: 'cancelled' }]);
    await passHours(24);
    expect(renewalsOf(name)).toBe(1);
    expect(await ordersThatRenew(id)).toEqual([
      ...[{ state: 'failed' }, { state: 'cancelled' }, { state: 'registered' }],
    ]);
    expect(await test.order(id)).toMatchObject({ expiresAt: new Date('2028-11-27T00:00:00Z') });
    const again = 'it is tried again each day until 2027-12-27';
    expect(await attention(id)).toEqual([
      `it was not renewed by itself: refused: policy; ${again}`,
      expect.stringContaining('An operator stopped ordering.'),
    ]);
    await passHours(25);
    expect([renewalsOf(name), await balance()]).toMatchObject([
      1,
      { balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 },
    ]);
  });

  it.each([null, new Date(0), new Date('9999-12-31')])(
    'happens once a year, whatever end the registrar tells: %s',
    async (told) => {
      const name = freeName();
      test.registrar.told.set(name, told);
      const { id } = await registeredName(name);
      const endsIn = (year: number) => new Date(`${year}-11-27T00:00:00Z`);
      const nearTo = async (year: number) => {
        const { expiresAt } = await test.order(id);
        return Math.abs((expiresAt?.getTime() ?? 0) - endsIn(year).getTime()) < DAY * 1_000;
      };
      expect(await nearTo(2027)).toBe(true);
      await consent(id);
      test.registrar.told.set(name, null);
      test.clock.set(new Date('2027-10-29T00:00:00Z'));
      await passHours(49);
      expect([renewalsOf(name), await nearTo(2028)]).toEqual([1, true]);
    },
  );

  it('is tried for thirty days after the end as well, and is given until then', async () => {
    await credit(test, customer.accountId, 10_000);
    const [renewed, gone, consented] = [
      await registeredName(),
      await registeredName(),
      await registeredName(),
    ];
    for (const { id } of [renewed, gone]) await consent(id);
    test.clock.set(new Date('2027-12-26T23:00:00Z'));
    await consent(consented.id);
    // Its thirty days are over.
    await test.database.query(
      `UPDATE registration_order SET expires_at = expires_at - interval '1 hour' WHERE id = $1`,
      [gone.id],
    );
    await expect(consent(gone.id)).rejects.toMatchObject({ code: 'not_found' });
    await passHours(1);
    expect([renewed, gone, consented].map(({ name }) => renewalsOf(name))).toEqual([1, 0, 1]);
    expect(await noticesOf(gone.id)).toEqual([]);
    expect(await test.order(renewed.id)).toMatchObject({ expiresAt: new Date('2028-11-27T00:00:00Z') });
  });

  it('keeps what the person accepted, with its time, and the words of it', async () => {
    const { id } = await registeredName();
    const by = 'session:person';
    await test.database.query('DELETE FROM agreement_text');
    const actor = { ...actorOf(customer), by, from: '203.0.113.7' };
    await test.app.get(Renewals).setConsent(id, AGREED, actor);
    const texts = await test.database.query('SELECT hash FROM agreement_text');
    expect(texts).toHaveLength(ACCEPTED.length);
    const at = (await test.clock.now()).toISOString();
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    await test.run('renewals');
    const rows = await test.database.query(
      'SELECT approved_by AS "approvedBy", accepted FROM registration_order WHERE renews = $1',
      [id],
    );
    const from = networkOf(actor.from);
    const accepted = ACCEPTED_TODAY.map((text) => ({ ...text, at, by, from }));
    expect(rows).toEqual([{ approvedBy: `consent:${by}`, accepted }]);
  });

  it('that has no hashes of its texts is one to other texts, and is asked for again', async () => {
    const { id, name } = await registeredName();
    await consent(id);
    await test.database.query(
      `UPDATE registration_order SET auto_renew = auto_renew || jsonb_build_object('agreements', $2::jsonb)
        WHERE id = $1`,
      [id, JSON.stringify(ACCEPTED)],
    );
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    await passHours(2);
    expect([renewalsOf(name), await ordersThatRenew(id)]).toEqual([0, []]);
    expect(await attention(id)).toEqual([
      expect.stringContaining('the agreements have changed since the consent'),
    ]);
    await consent(id);
    await passHours(2);
    expect(renewalsOf(name)).toBe(1);
  });

  it('that its customer cancelled is not ordered again', async () => {
    const { id, name } = await registeredName();
    await consent(id);
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    await test.run('renewals');
    const { body } = await callAs(test, customer).get('/api/v1/registrations').expect(200);
    const [{ id: renewing }] = (body as { results: [{ id: string }] }).results;
    // A person consented to it: no program undoes that.
    const { body: refused } = await callAs(test, customer)
      .post(`/api/v1/registrations/${renewing}/cancel`)
      .expect(403);
    expect(refused).toMatchObject({
      error: { code: 'mandate_required', message: expect.stringContaining(`/profile/orders/${renewing}`) },
    });
    await giveBack(test, customer, renewing);
    await passHours(49);
    expect([renewalsOf(name), await ordersThatRenew(id)]).toEqual([0, [{ state: 'cancelled' }]]);
  });

  it('approves no order of a program, whatever key that was placed with', async () => {
    const { id } = await registeredName();
    await consent(id);
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    const other = freeName();
    test.names.set(other, 'available');
    for (const day of ['2027-10-29', '2027-11-27']) {
      const placed = await callAs(test, customer)
        .post('/api/v1/registrations')
        .set('Idempotency-Key', `renewal:${id}:${day}`)
        .send({ quote: await quote(test, customer, other), accept: ACCEPTED })
        .expect(202);
      expect(placed.body).toMatchObject({ order: { state: 'awaiting_approval' } });
    }
    await passHours(2);
    const rows = await test.database.query('SELECT state FROM registration_order WHERE domain = $1', [other]);
    expect(rows).toEqual([{ state: 'awaiting_approval' }, { state: 'awaiting_approval' }]);
    expect(await ordersThatRenew(id)).toEqual([{ state: 'registered' }]);
  });

  it('is not passed over by a run that a stopping process cuts short', async () => {
    const { id, name } = await registeredName();
    await consent(id);
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    const kind = test.app.get(WorkKinds).get('renewals');
    const after = '00000000-0000-4000-8000-000000000000';
    const work = { kind: 'renewals', key: '', cursor: { after }, failures: 0, isSlow: false };
    const now = await test.clock.now();
    const run = (signal: AbortSignal) => kind.run(work, now, signal, () => undefined);
    expect(await run(AbortSignal.abort())).toEqual({ cursor: { after }, againInMs: 0 });
    expect(await ordersThatRenew(id)).toEqual([]);
    expect(await run(new AbortController().signal)).toEqual({ cursor: { after: null } });
    await test.pass(MINUTE);
    expect(renewalsOf(name)).toBe(1);
  });

  it('comes to its turn behind hundreds that cannot be renewed', async () => {
    const { id, name } = await registeredName();
    await consent(id);
    // With agreements that have changed, and of a row that no key opens.
    const columns = `account_id, gen_random_uuid()::text, request_hash, domain, years, registrant_id, registrar, total_cents,
      gst_cents, registrar_cents, agreements, is_drop, state, placed_by, placed_at, lapses_at, changed_at, settled_at`;
    await test.database.query(
      `INSERT INTO registration_order
         (id, ${columns.replace('gen_random_uuid()::text', 'idempotency_key')}, sealed, expires_at, auto_renew)
       SELECT ('00000000-0000-4000-8000-' || lpad(copy::text, 12, '0'))::uuid, ${columns}, sealed, expires_at,
              CASE WHEN copy > 2 THEN auto_renew || '{"agreements": []}' ELSE auto_renew END
         FROM registration_order, generate_series(1, 450) AS copy WHERE id = $1`,
      [id],
    );
    test.clock.set(new Date('2027-10-29T02:00:00Z'));
    const engine = createEngine(test.database, test.app.get(WorkKinds).get('renewals'));
    for (let isMore = true; isMore;) isMore = await engine.runDue(await test.clock.now());
    await test.database.query(`UPDATE registration_order SET auto_renew = NULL WHERE account_id = $1`, [
      customer.accountId,
    ]);
    await test.pass(MINUTE);
    expect(renewalsOf(name)).toBe(1);
  });
});

describe('before money is held for a renewal the registrar is asked whether it has the name', () => {
  async function placed(id: string): Promise<string> {
    const { body } = await renewal(id).expect(200);
    const answer = await callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', randomUUID())
      .send({ quote: (body as { quote: string }).quote, accept: ACCEPTED })
      .expect(202);
    return (answer.body as { order: { id: string } }).order.id;
  }
  const approve = (id: string) => test.app.get(OrderDesk).approve(id, ACCEPTED, actorOf(customer));
  const GONE = {
    code: 'order_closed',
    message: expect.stringContaining('does not have the name for this order'),
  };

  it('one that may be of another order is refused, and an operator can look', async () => {
    const { id, name } = await registeredName();
    test.clock.set(new Date('2027-10-01T00:00:00Z'));
    const renewing = await placed(id);
    test.registrar.unproven.add(name);
    await expect(approve(renewing)).rejects.toMatchObject({
      ...{ code: 'order_closed', message: expect.stringMatching(/contact and password.*operator/s) },
    });
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it.each([
    ['deleted', (name: string) => void test.registrar.holders.delete(name)],
    ['transferred away', (name: string) => void test.registrar.holders.set(name, 'somebody')],
  ])('one that was %s is refused, by a person and by consent, which is told once', async (_, happen) => {
    const { id, name } = await registeredName();
    await test.app.get(Renewals).setConsent(id, AGREED, actorOf(customer));
    test.clock.set(new Date('2027-10-01T00:00:00Z'));
    const renewing = await placed(id);
    happen(name);
    await expect(approve(renewing)).rejects.toMatchObject(GONE);
    expect(await test.order(renewing)).toMatchObject({ state: 'cancelled' });
    test.clock.set(new Date('2027-10-29T00:00:00Z'));
    for (let hour = 0; hour < 26; hour += 1) {
      await test.run('renewals');
      await test.pass(HOUR);
    }
    const told = (await noticesOf(id)).filter(({ type }) => type.endsWith('needs_attention'));
    expect(told).toMatchObject([
      { reason: expect.stringContaining('does not have the name for this order') },
    ]);
    expect(test.registrar.renewals).not.toContain(name);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
  });

  it('without an answer nothing is held, and the order waits', async () => {
    const { id, name } = await registeredName();
    test.clock.set(new Date('2027-10-01T00:00:00Z'));
    const renewing = await placed(id);
    test.registrar.isMute = true;
    await expect(approve(renewing)).rejects.toMatchObject({ code: 'registrar_unavailable' });
    test.registrar.isMute = false;
    expect(await test.order(renewing)).toMatchObject({ state: 'awaiting_approval' });
    expect(await balance()).toMatchObject({ heldCents: 0 });
    await approve(renewing);
    await test.pass(1);
    expect(test.registrar.renewals).toContain(name);
  });
});

describe('a name is renewed once', () => {
  const tokenOf = async (id: string) => ((await renewal(id).expect(200)).body as { quote: string }).quote;
  const place = (quote: string, key: string = randomUUID()) =>
    callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', key)
      .send({ quote, accept: ACCEPTED });
  const approve = (placed: { body: unknown }) =>
    test.app
      .get(OrderDesk)
      .approve((placed.body as { order: { id: string } }).order.id, ACCEPTED, actorOf(customer));
  const OPEN = {
    code: 'order_closed',
    message: expect.stringMatching(/^Order \d+ renews the name already; /),
  };
  const DONE = { code: 'order_closed', message: expect.stringContaining('from 2028-08-29 to 2028-12-27') };

  it('by two orders of a person', async () => {
    const { id, name } = await registeredName();
    test.clock.set(new Date('2027-10-01T00:00:00Z'));
    const [first, second, third] = [await tokenOf(id), await tokenOf(id), await tokenOf(id)];
    const [one, two] = [await place(first).expect(202), await place(second).expect(202)];
    const both = await Promise.allSettled([approve(one), approve(two)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: OPEN });
    expect((await renewal(id).expect(409)).body).toMatchObject({ error: OPEN });
    expect((await place(third).expect(409)).body).toMatchObject({ error: OPEN });
    await test.pass(1);
    for (const placed of [one, two])
      await approve(placed).catch((error: unknown) => expect(error).toMatchObject(DONE));
    expect((await place(third).expect(409)).body).toMatchObject({ error: DONE });
    await test.pass(2 * DAY);
    expect(test.registrar.renewals.filter((known) => known === name)).toHaveLength(1);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
  });

  it('by a request that comes twice, of which the first is approved while the second is read', async () => {
    const { id } = await registeredName();
    test.clock.set(new Date('2027-10-01T00:00:00Z'));
    const [token, key] = [await tokenOf(id), randomUUID()];
    const clock = test.app.get(Clock);
    const { now } = clock;
    let first: unknown;
    clock.now = async () => {
      clock.now = now;
      const placed = await place(token, key).expect(202);
      await approve(placed);
      first = (placed.body as { order: { id: string } }).order.id;
      return now.call(clock);
    };
    const { body } = await place(token, key).expect(202);
    expect(body).toMatchObject({ order: { id: first, state: 'approved' } });
  });

  it('by an order of a person and a consent, in either order', async () => {
    const [byHand, byItself] = [await registeredName(), await registeredName()];
    for (const { id } of [byHand, byItself])
      await test.app.get(Renewals).setConsent(id, AGREED, actorOf(customer));
    test.clock.set(new Date('2027-10-28T23:59:00Z'));
    const [ordered, late] = [
      await place(await tokenOf(byHand.id)).expect(202),
      await place(await tokenOf(byItself.id)).expect(202),
    ];
    await approve(ordered);
    test.registrar.isAway = true;
    await test.pass(MINUTE);
    test.registrar.isAway = false;
    await test.run('renewals');
    await expect(approve(late)).rejects.toMatchObject(OPEN);
    await test.pass(HOUR);
    await expect(approve(late)).rejects.toMatchObject(DONE);
    await test.run('renewals');
    await test.pass(2 * DAY);
    for (const { name } of [byHand, byItself])
      expect(test.registrar.renewals.filter((known) => known === name)).toHaveLength(1);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 4 * TOTAL, heldCents: 0 });
  });
});

describe('an account with money or open orders', () => {
  it('is not deleted, with what to do first; afterwards figures remain without details', async () => {
    const visitor = await signedInVisitor(test);
    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    await test.database.query('UPDATE account_session SET proven_at = now() WHERE account_id = $1', [
      row?.id,
    ]);
    customer = await addCustomer(test, TOTAL, row?.id);
    const remove = () => visitor.send('/profile/delete', { password: PASSWORD });
    expect((await remove().expect(409)).text).toContain('The balance is A$\u00a024.00.');
    const id = await order(test, customer, freeName());
    expect((await remove().expect(409)).text).toContain('Open orders: 1.');
    await test.pass(1);
    await remove().expect(303);
    expect(await test.app.get(AccountRepository).findOpenBusiness(customer.accountId)).toBeNull();
    expect(await test.order(id)).toMatchObject({ state: 'registered', totalCents: TOTAL });
    const left = await test.database.query(
      'SELECT sealed, approved_from AS "from" FROM registration_order WHERE id = $1',
      [id],
    );
    expect(left).toEqual([{ sealed: null, from: null }]);
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { Config } from '../../src/config/config.js';
import { AccountDataRepository } from '../../src/accounts/account-data.repository.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { OrderRepository } from '../../src/orders/order/order.repository.js';
import { RegistrantRepository } from '../../src/orders/registrants/registrant.repository.js';
import { SealedRows } from '../../src/orders/order/sealed-rows.repository.js';
import { addKey, ORDER_SECRET_KEY } from '../support/accounts.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  type Customer,
  order,
  ORDER_SCOPES,
  type OrdersApp,
  placeOrder,
  quote,
  startOrdersApp,
} from '../support/orders.js';

let test: OrdersApp;
let customer: Customer;
beforeAll(async () => {
  test = await startOrdersApp();
});
beforeEach(async () => {
  customer = await addCustomer(test);
});
afterAll(() => test.close());

const COMPANY = {
  ...{ legal_name: 'Coffee Cart Pty Ltd', number: '53 004 085 616', type: 'Company' },
  ...{ contact_name: 'Mia Example', email: 'mia@example.com', phone: '(02) 9999 0000' },
  ...{ street: ['Level 1', '12 Elizabeth St'], city: 'Hobart', state: 'TAS', postcode: '7000' },
};
const PATH = '/api/v1/registrants';
const add = (body: object, key?: string) => {
  const request = callAs(test, customer).post(PATH);
  return (key === undefined ? request : request.set('Idempotency-Key', key)).send(body);
};
const registrantOf = (body: unknown) => (body as { registrant: { id: string } }).registrant;

describe('/api/v1/registrants', () => {
  it('are added once, listed, read, changed and removed', async () => {
    const key = randomUUID();
    const [first, again] = [await add(COMPANY, key).expect(201), await add(COMPANY, key).expect(201)];
    const added = registrantOf(first.body);
    expect(added).toMatchObject({ ...COMPANY, number: '53004085616', phone: '+61.299990000' });
    expect(registrantOf(again.body)).toEqual(added);
    expect(first.headers.location).toBe(`${PATH}/${added.id}`);
    await add({ ...COMPANY, city: 'Kingston' }, key).expect(409);

    const { body } = await callAs(test, customer).get(PATH).expect(200);
    const { results, max } = body as { results: { id: string }[]; max: number };
    expect([results.find(({ id }) => id === added.id), results.length, max]).toEqual([added, 2, 20]);
    const one = `${PATH}/${added.id}`;
    const read = await callAs(test, customer).get(one).expect(200);
    expect(registrantOf(read.body)).toEqual(added);
    await callAs(test, customer).patch(one).send({ phone: '+999.123456789012' }).expect(200);
    const changed = await callAs(test, customer).patch(one).send({ phone: '+64.91234567' }).expect(200);
    expect(registrantOf(changed.body)).toMatchObject({
      ...added,
      phone: '+64.91234567',
      changed_at: expect.any(String),
    });
    await callAs(test, customer).patch(one).set('If-Match', 'W/"other"').send({ city: 'Perth' }).expect(412);
    await callAs(test, customer).delete(one).expect(204);
    await callAs(test, customer).get(one).expect(404);
  });

  it.each<[string, object, RegExp]>([
    ['legal_name', { legal_name: ' ' }, /^legal_name must be text of one line/],
    [
      'a legal name in another script',
      { legal_name: '東京 Motors Pty Ltd' },
      /^legal_name must be in Latin letters/,
    ],
    ['a control character', { city: 'Ho\nbart' }, /^city must be text of one line/],
    [
      'number',
      { number: '53 004 085 617' },
      /^number must be an ABN of 11 digits or an ACN of 9, with their check/,
    ],
    ['a number of another kind', { number: 'ICN 12' }, /^number must be/],
    ['type', { type: 'King' }, /^type must be one of Company,/],
    ['email', { email: 'mia' }, /^email must be/],
    ['phone', { phone: '12' }, /^phone must be/],
    ['a phone longer than a registry takes', { phone: '+999.1234567890123' }, /^phone must be/],
    ['street', { street: [] }, /^street must be a list of one to 3 lines/],
    ['too long a street', { street: ['a', 'b', 'c', 'd'] }, /^street must be/],
    ['state', { state: 'ZZ' }, /^state must be one of ACT,/],
    ['postcode', { postcode: '700' }, /^postcode must be four digits/],
    ['an unknown field', { privacy: true }, /privacy is not a parameter here/],
  ])('400 for %s, with what to change', async (_, wrong, message) => {
    const { body } = await add({ ...COMPANY, ...wrong }).expect(400);
    expect(body).toMatchObject({
      error: { code: 'invalid_parameter', message: expect.stringMatching(message) },
    });
  });

  it('422 without an ABN or ACN: such holders are led to the link', async () => {
    for (const number of [undefined, null, '']) {
      const { body } = await add({ ...COMPANY, number }).expect(422);
      expect(body).toMatchObject({
        error: { code: 'not_eligible', message: expect.stringContaining('register_url') },
      });
    }
  });

  it('are twenty at most, and those of others are not there', async () => {
    const bodies = Array.from({ length: 20 }, () => add(COMPANY));
    const statuses = (await Promise.all(bodies)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 201), 409]);
    const stranger = await addCustomer(test);
    for (const method of ['get', 'patch', 'delete'] as const)
      await callAs(test, stranger)[method](`${PATH}/${customer.registrant}`).send({}).expect(404);
    const readOnly = await addKey(test.database, {
      scopes: ['read', 'orders:read'],
      accountId: customer.accountId,
    });
    await callAs(test, readOnly).get(PATH).expect(200);
    await callAs(test, readOnly).post(PATH).send(COMPANY).expect(403);
    expect(ORDER_SCOPES).toContain('orders:place');
  });
});

describe('what is kept of a registrant', () => {
  const everything = async () => {
    const tables = [
      'registrant_profile',
      'registration_order',
      'registration_attempt',
      'audit_log',
      'idempotent_request',
    ];
    const rows = await Promise.all(
      tables.map((table) => test.database.query(`SELECT t::text FROM ${table} AS t`)),
    );
    return JSON.stringify(rows);
  };

  it('is encrypted in every table, and in the data file for its owner', async () => {
    await add(COMPANY, randomUUID()).expect(201);
    await order(test, customer, 'sealed-order.com.au');
    await test.pass(1);
    const kept = await everything();
    const hexOf = (text: string) => Buffer.from(text).toString('hex');
    for (const secret of ['Coffee Cart', 'Mia Example', 'mia@example.com', 'Elizabeth St', '299990000'])
      for (const form of [secret, hexOf(secret)]) expect(kept).not.toContain(form);
    const file = await test.app.get(AccountDataRepository).readAll(customer.accountId);
    const own = {
      legalName: 'Coffee Cart Pty Ltd',
      contact: expect.objectContaining({ email: 'mia@example.com' }),
    };
    expect(file.registrants).toContainEqual(expect.objectContaining(own));
    expect(file.registrants).toHaveLength(2);
  });

  it('of an order is what it was when it was placed', async () => {
    const id = await placeOrder(test, customer, 'as-it-was.com.au');
    await callAs(test, customer)
      .patch(`${PATH}/${customer.registrant}`)
      .send({ legal_name: 'Another Pty Ltd', city: 'Perth' })
      .expect(200);
    await callAs(test, customer).delete(`${PATH}/${customer.registrant}`).expect(204);
    expect(await test.app.get(OrderRepository).findHolder(id)).toMatchObject({
      registrant: { legalName: 'Example Pty Ltd', contact: { city: 'Hobart' } },
    });
  });

  it('goes over to a new key, which then opens it alone', async () => {
    const id = await order(test, customer, 'rotated.com.au');
    test.registrar.faults.set('rotated.com.au', ['reply_lost']);
    await test.pass(1);
    const next = randomBytes(32).toString('base64');
    const rowsWith = (...keys: string[]) => {
      const config = Object.assign(Object.create(Config.prototype) as Config, {
        orders: { ...test.app.get(Config).orders, keys },
      });
      return new SealedRows(test.database, config);
    };
    expect(await rowsWith(next, ORDER_SECRET_KEY).rotate()).toBeGreaterThanOrEqual(3);
    expect(await rowsWith(next, ORDER_SECRET_KEY).rotate()).toBe(0);
    const profiles = new RegistrantRepository(test.database, rowsWith(next));
    expect(await profiles.find(customer.accountId, customer.registrant)).toMatchObject({
      registrant: { legalName: 'Example Pty Ltd' },
    });
    const orders = new OrderRepository(test.database, rowsWith(next));
    expect(await orders.readOpenAttempt(id)).toMatchObject({ attempt: { order: id } });
    // Back, for the tests that follow.
    expect(await rowsWith(ORDER_SECRET_KEY, next).rotate()).toBeGreaterThanOrEqual(3);
    expect(await profiles.find(customer.accountId, customer.registrant)).toMatchObject({ registrant: null });
  });

  it('ends with the account; its orders stay, without a registrant', async () => {
    const id = await order(test, customer, 'erased.com.au');
    await test.pass(1);
    await new AccountRepository(test.database).deleteAccount(customer.accountId);
    const profiles = await test.database.query('SELECT FROM registrant_profile WHERE account_id = $1', [
      customer.accountId,
    ]);
    expect(profiles).toEqual([]);
    const left = await test.database.query(
      `SELECT state, registration_order.sealed AS holder, length(registration_attempt.sealed) AS attempt
         FROM registration_order JOIN registration_attempt ON order_id = registration_order.id
        WHERE registration_order.id = $1`,
      [id],
    );
    expect(left).toEqual([{ state: 'registered', holder: null, attempt: 0 }]);
  });
});

describe('a registrant whose key is lost', () => {
  const lose = () =>
    test.database.query(
      `UPDATE registrant_profile SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) WHERE account_id = $1`,
      [customer.accountId],
    );
  const one = () => `${PATH}/${customer.registrant}`;
  const UNREADABLE = {
    error: { code: 'invalid_parameter', message: expect.stringContaining('cannot be read now: remove it') },
  };

  it('is told as one by each route, which goes on with the others; it is removed as ever', async () => {
    await lose();
    const added = registrantOf((await add(COMPANY).expect(201)).body);
    const { body } = await callAs(test, customer).get(PATH).expect(200);
    expect(body).toMatchObject({ results: [added], unreadable: [customer.registrant] });
    const calls = [
      callAs(test, customer).get(one()),
      callAs(test, customer).patch(one()).send({ city: 'Perth' }),
      callAs(test, customer).delete(one()).set('If-Match', 'W/"some"'),
      callAs(test, customer)
        .post('/api/v1/registrations/quote')
        .send({ domain: 'lost-key.com.au', years: 1, registrant: customer.registrant }),
    ];
    for (const call of calls) expect((await call.expect(400)).body).toMatchObject(UNREADABLE);
    await callAs(test, customer).delete(one()).expect(204);
    await callAs(test, customer).get(one()).expect(404);
  });

  it('between its quote and the order is told by the order', async () => {
    test.names.set('lost-between.com.au', 'available');
    const token = await quote(test, customer, 'lost-between.com.au');
    await lose();
    const { body } = await callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', randomUUID())
      .send({ quote: token, accept: ACCEPTED })
      .expect(400);
    expect(body).toMatchObject(UNREADABLE);
  });

  it('is in the data file as one that cannot be read, and is erased with its account', async () => {
    await lose();
    const file = await test.app.get(AccountDataRepository).readAll(customer.accountId);
    expect(file.registrants).toEqual([
      expect.objectContaining({ profile: customer.registrant, is_readable: false }),
    ]);
    await new AccountRepository(test.database).deleteAccount(customer.accountId);
    const left = await test.database.query('SELECT FROM registrant_profile WHERE account_id = $1', [
      customer.accountId,
    ]);
    expect(left).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { addCustomer, callAs, type Customer, type OrdersApp, startOrdersApp } from '../support/orders.js';
import { addInState } from '../support/domains.js';

const RECORDS = 3;
let test: OrdersApp;
beforeAll(async () => {
  const member = { recordsPerMinute: RECORDS, quota: { period: 'hour', records: RECORDS } };
  test = await startOrdersApp({ TIERS: JSON.stringify({ member }) });
});
afterAll(() => test.close());

const quote = (customer: Customer, domain: string) =>
  callAs(test, customer)
    .post('/api/v1/registrations/quote')
    .send({ domain, years: 1, registrant: customer.registrant });

it('the list of drops is not read by quotes: each name of it costs a record, and others cost none', async () => {
  const customer = await addCustomer(test);
  const drops = Array.from({ length: RECORDS + 1 }, () => `q-${randomUUID().slice(0, 8)}.com.au`);
  await addInState(
    test.database,
    drops.map((domain) => ({ domain, state: 'listed' as const })),
  );
  for (let other = 0; other < RECORDS + 1; other += 1)
    await quote(customer, `q-other-${other}.com.au`).expect(200);
  for (const domain of drops.slice(1))
    expect((await quote(customer, domain).expect(200)).body).toMatchObject({ is_drop: true });
  const refused = await quote(customer, drops[0] ?? '').expect(429);
  expect(refused.body).toMatchObject({ error: { code: 'budget_exhausted' } });
  expect(refused.text).not.toContain('is_drop');
  // Nor does the refusal itself say which names are on it.
  await quote(customer, 'q-other-1.com.au').expect(429);
});

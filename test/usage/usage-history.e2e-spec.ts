import { BudgetPurge } from '../../src/access/rate-limit.module.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { addKey, type TestKey } from '../support/accounts.js';
import type { TestApp } from '../support/app.js';
import { until } from '../support/processes.js';
import { askWithKey, chargedTo, startTwoInstances } from '../support/usage.js';

let test: TestApp;
let second: TestApp;
beforeAll(async () => {
  [test, second] = await startTwoInstances();
});
afterAll(async () => {
  await second.close();
  await test.close();
});

const historyOf = async (key: TestKey, query = '') =>
  (await askWithKey(second, key, `/api/v1/usage/history${query}`).expect(200)).body;

describe('GET /api/v1/usage/history', () => {
  it('says by day and key what was charged, as JSON and as CSV', async () => {
    const key = await addKey(test.database, { tier: 'starter', name: 'One, "quoted"' });
    const other = await addKey(test.database, {
      accountId: key.accountId,
      scopes: ['export'],
      name: 'Other',
    });
    await askWithKey(test, key, '/v1/suggest?limit=3').expect(200);
    await askWithKey(second, key, '/api/v1/search?per_page=4').expect(200);
    const day = new Date().toISOString().slice(0, 10);
    await until('all is charged', async () => (await historyOf(other)).records === 7);
    expect(await historyOf(other)).toMatchObject({
      ok: true,
      to: day,
      records: 7,
      results: [{ day, key_id: key.id, key_name: 'One, "quoted"', records: 7 }],
    });
    const { text, headers } = await askWithKey(test, key, '/api/v1/usage/history.csv').expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toBe(`day,key_id,key_name,records\n${day},${key.id},"One, ""quoted""",7\n`);
    expect(await historyOf(await addKey(test.database))).toMatchObject({ records: 0, results: [] });
  });

  it.each([
    ['?from=2026-11-02&to=2026-11-01', 'from must not be later than to'],
    ['?from=2025-01-01&to=2026-11-01', 'within 366 days'],
    ['?from=lastweek', 'from must be a day'],
  ])('%s is refused', async (query, message) => {
    const { body } = await askWithKey(
      test,
      await addKey(test.database),
      `/api/v1/usage/history${query}`,
    ).expect(400);
    expect(body.error.message).toContain(message);
  });

  it('needs a key', async () => {
    await test.caller().get('/api/v1/usage/history').expect(401);
    await test.caller().get('/api/v1/usage/history.csv').expect(401);
  });

  it('has what a test key spent of its own budget, and what a check charged behind its request', async () => {
    const live = await addKey(test.database, { tier: 'starter' });
    const trial = await addKey(test.database, { accountId: live.accountId, kind: 'test' });
    await askWithKey(test, trial, '/v1/suggest?limit=2').expect(200);
    await test
      .caller()
      .post('/api/v1/domains/check?wait=5')
      .set('Authorization', live.bearer)
      .send({ domains: ['history-1.com.au', 'history-2.com.au'] })
      .expect(200);
    await until('both are charged', async () => (await historyOf(live)).records === 4);
    const { results } = await historyOf(live);
    expect(results).toHaveLength(2);
    expect(await chargedTo(test.database, live)).toBe(2);
  });
});

describe('usage', () => {
  it('is kept for 25 months, and goes with its account', async () => {
    const key = await addKey(test.database, { tier: 'starter' });
    await askWithKey(test, key, '/v1/suggest?limit=1').expect(200);
    await test.database.query(
      `INSERT INTO usage_day SELECT $1, NULL, (now() AT TIME ZONE 'UTC')::date - make_interval(months => age), 10
         FROM unnest(ARRAY[24, 26]) AS age`,
      [key.accountId],
    );
    await test.database.query(
      `INSERT INTO usage_day SELECT gen_random_uuid(), NULL, (now() AT TIME ZONE 'UTC')::date - age, 5
         FROM unnest(ARRAY[0, 300]) AS age`,
    );
    const sum = async () => {
      const [row] = await test.database.query<{ sum: number; others: number }>(
        `SELECT sum(records) FILTER (WHERE account_id = $1)::int AS sum,
                count(*) FILTER (WHERE NOT EXISTS (SELECT FROM account WHERE id = account_id))::int AS others
           FROM usage_day`,
        [key.accountId],
      );
      return row;
    };
    await until('the answer is charged', async () => (await sum())?.sum === 21);
    expect(await sum()).toEqual({ sum: 21, others: 2 });
    await test.app.get(BudgetPurge).run();
    expect(await sum()).toEqual({ sum: 11, others: 0 });
    await new AccountRepository(test.database).deleteAccount(key.accountId);
    expect(await sum()).toEqual({ sum: null, others: 0 });
  });
});

import { addKey, type TestKey } from '../support/accounts.js';
import type { TestApp } from '../support/app.js';
import { compiledSources, run, until } from '../support/processes.js';
import { askWithKey, chargedTo, startTwoInstances, USAGE_ENVIRONMENT } from '../support/usage.js';

jest.setTimeout(150_000);

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
  it('adds up to what the budgets charged, over two instances and one that is killed', async () => {
    const keys = [await addKey(test.database, { tier: 'starter' })];
    keys.push(await addKey(test.database, { accountId: keys[0]?.accountId ?? '' }));
    const [key, otherKey] = keys as [TestKey, TestKey];
    const killed = run(`${await compiledSources()}/dist/main.js`, [], {
      environment: {
        ...USAGE_ENVIRONMENT,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: test.databaseUrl,
        REGISTRY_CANARIES: '',
        REGISTRY_BOOTSTRAP_URL: 'off',
      },
    });
    const [, port] = await killed.says(/"port":(\d+),"msg":"listening"/);
    let answered = 0;
    const atKilled = async (from: number) => {
      for (let place = from; place < from + 40; place += 1) {
        const headers = { Authorization: place % 2 === 0 ? key.bearer : otherKey.bearer };
        const answer = await fetch(`http://127.0.0.1:${port}/v1/suggest?limit=2`, { headers }).catch(
          () => null,
        );
        if (!answer) return;
        answered += 1;
      }
    };
    const others = [test, second].flatMap((app) =>
      Array.from({ length: 12 }, async (_, place) => {
        await askWithKey(
          app,
          place % 3 === 0 ? otherKey : key,
          `/v1/suggest?limit=${1 + (place % 5)}`,
        ).expect(200);
        if (place < 3)
          await askWithKey(app, key, `/v1/domains/check?domain=history-${place}.com.au`).expect(200);
      }),
    );
    const lost = [0, 100, 200].map(atKilled);
    await until('it has answered some', () => answered > 10);
    await killed.stop('SIGKILL');
    await Promise.all([...others, ...lost]);
    await until('what it had begun has ended', async () => {
      const [row] = await test.database.query<{ busy: number }>(
        `SELECT count(*)::int AS busy FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
            AND backend_type = 'client backend'`,
      );
      return row?.busy === 0;
    });
    // The instances that live charge an answer a moment after it was received.
    const { history, charged } = await until('no charge comes between', async () => {
      const before = await chargedTo(test.database, key);
      const between = await historyOf(key);
      const after = await chargedTo(test.database, key);
      return before === after ? { history: between, charged: after } : null;
    });
    expect(history.records).toBe(charged);
    expect(history.records).toBeGreaterThan(2 * (1 + 2 + 3 + 4 + 5));
    expect(new Set(history.results.map(({ key_id }: { key_id: string }) => key_id))).toEqual(
      new Set([key.id, otherKey.id]),
    );
  });
});

import { mintApiKey } from '../../src/access/api-key.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/processes.js';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.js';
import { type AccountsApp, startAccountsApp } from '../support/visitor.js';

describeWithRedis('two instances with one Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let apps: AccountsApp[];
  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await startRedis();
    const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    apps = [await startAccountsApp(environment), await startAccountsApp(environment)];
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await redis.close();
    await database.close();
  });

  let callers = 0;
  const newCaller = () => {
    const address = `198.19.${++callers}.1`;
    return apps.map((app) => app.caller().set('X-Forwarded-For', address));
  };
  /** From one place, half at each instance. @returns how often each status came */
  async function signIn(email: string, count: number): Promise<Record<number, number>> {
    const clients = newCaller();
    const statuses = await Promise.all(
      Array.from({ length: count }, async (_, place) => {
        const client = clients[place % 2];
        const form = { email, password: 'not the password' };
        return client ? (await client.post('/sign-in').type('form').send(form)).status : 0;
      }),
    );
    const times: Record<number, number> = {};
    for (const status of statuses) times[status] = (times[status] ?? 0) + 1;
    return times;
  }
  const attempts = async () => (await database.database.query('SELECT FROM account_attempt')).length;

  it('count attempts to sign in together; while Redis is away PostgreSQL does', async () => {
    expect(await signIn('ada@example.com', 14)).toEqual({ 401: 10, 429: 4 });
    expect(await attempts()).toBe(0);
    await redis.kill();
    expect(await signIn('grace@example.com', 14)).toEqual({ 401: 10, 429: 4 });
    expect(await attempts()).toBeGreaterThan(0);
    const before = await attempts();
    await redis.start();
    const said = () => apps.flatMap(({ log }) => log).filter((line) => line.includes('no longer')).length;
    await until('Redis counts again', () => said() === 2);
    expect(await signIn('joan@example.com', 14)).toEqual({ 401: 10, 429: 4 });
    expect(await attempts()).toBe(before);
  });

  it('count keys that nobody holds together: as many as the demo tier may ask', async () => {
    const [one, other] = newCaller().map((client) => () => {
      const { text } = mintApiKey('live');
      return client.get('/v1/stats').set('Authorization', `Bearer ${text}`);
    });
    if (!one || !other) throw new Error('there are two instances');
    // At once, as they count for a minute from the first.
    await Promise.all(Array.from({ length: 60 }, () => one().expect(401)));
    const { body } = await other().expect(429);
    expect(body.error.message).toContain('requests of this minute had a key that does not work');
  });
});

import { limitsOf } from '../../src/access/limits.js';
import { NetworkRepository } from '../../src/access/network.repository.js';
import { NetworkRules } from '../../src/access/network-rules.js';
import { AccountProblem } from '../../src/accounts/account-problem.js';
import { type AttemptKind, AttemptLimit } from '../../src/accounts/attempt-limit.js';
import type { Config } from '../../src/config/config.js';
import { type RedisConnection, SharedCounters } from '../../src/redis/redis.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { connectRedis, describeWithRedis, startRedis, type TestRedis } from '../support/redis.js';

let test: TestDatabase;
let limit: AttemptLimit;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());
const limitIn = (redis: RedisConnection | null) =>
  new AttemptLimit(
    test.database,
    new SharedCounters(redis),
    { networks: { mode: 'on' } } as Config,
    new NetworkRules(new NetworkRepository(test.database)),
  );

/** No more than there are connections. */
const AT_ONCE = 4;
// Written out once more, so that a limit that is raised fails a test.
const NUMBERS: Record<AttemptKind, readonly [most: number, seconds: number]> = {
  signIn: [10, 900],
  signInToAccount: [100, 3_600],
  signInFromAddress: [50, 900],
  passkeyFromAddress: [100, 900],
  passwordStrength: [200, 900],
  password: [10, 900],
  usedCode: [1, 120],
  mailFromAddress: [20, 3_600],
  mailToDomainFrom: [60, 3_600],
  mail: [5, 3_600],
  mailToDomain: [60, 3_600],
  mailToProvider: [600, 3_600],
  mailToAnyone: [1_000, 3_600],
  holderMailToDomain: [60, 3_600],
  holderMailToProvider: [600, 3_600],
  holderMailToAnyone: [1_000, 3_600],
  registerApp: [60, 3_600],
};
const PROMISED = limitsOf('attempts').map((kind) => [kind, ...NUMBERS[kind]] as const);

describe('attempts, counted in PostgreSQL', () => {
  beforeAll(() => {
    limit = limitIn(null);
  });
  limits();

  it('keep neither mail nor network addresses', async () => {
    await limit.isWithin('signIn', 'ada@example.com', '192.0.2.7');
    const rows = await test.database.query<{ key: string }>('SELECT key FROM account_attempt');
    expect(JSON.stringify(rows)).not.toMatch(/ada|192\.0\.2\.7/);
  });
});

describeWithRedis('attempts, counted in Redis', () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await startRedis();
    connection = await connectRedis(redis);
    limit = limitIn(connection);
    await test.database.query('DELETE FROM account_attempt');
  });
  afterAll(async () => {
    connection.close();
    await redis.close();
  });
  limits();

  it('are in Redis alone, with neither mail nor network addresses', async () => {
    await limit.isWithin('signIn', 'ada@example.com', '192.0.2.7');
    const kept = `SELECT FROM account_attempt WHERE key NOT LIKE 'usedCode:%'`;
    expect(await test.database.query(kept)).toEqual([]);
    const keys = await connection.client.keys('*');
    expect(keys.length).toBeGreaterThan(PROMISED.length);
    expect(keys.join()).not.toMatch(/ada|192\.0\.2\.7/);
  });

  it('but used codes are not forgotten with Redis', async () => {
    expect(await limit.isWithin('usedCode', 'ada@example.com', '123456')).toBe(true);
    await connection.client.flushall();
    expect(await limit.isWithin('usedCode', 'ada@example.com', '123456')).toBe(false);
  });
});

function limits(): void {
  it.each(PROMISED)('%s: %i pass, and the next one is told to wait %i s', async (kind, points, seconds) => {
    for (let tried = 0; tried < points; tried += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, points - tried) });
      expect(await Promise.all(some.map(() => limit.isWithin(kind, 'ada')))).not.toContain(false);
    }
    expect(await limit.isWithin(kind, 'ada')).toBe(false);
    const refusal: unknown = await limit.count(kind, 'ada').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AccountProblem);
    const wait = Number((refusal as AccountProblem).headers['Retry-After']);
    expect(wait).toBeGreaterThan(Math.max(0, seconds - 120));
    expect(wait).toBeLessThanOrEqual(seconds);
  });

  it('are counted for each subject apart, and forgotten after one that succeeded', async () => {
    for (let tried = 0; tried <= 5; tried++) await limit.isWithin('mail', 'grace');
    expect(await limit.isWithin('mail', 'grace')).toBe(false);
    expect(await limit.isWithin('mail', 'joan')).toBe(true);
    await limit.forget('mail', 'grace');
    expect(await limit.isWithin('mail', 'grace')).toBe(true);
  });

  it('of one network have sixteen times as many as those of an address, and then no more', async () => {
    let passed = 0;
    for (let place = 0; place < 20; place += 1)
      for (let tried = 0; tried < 20; tried += 1)
        passed += await limit
          .countFrom('mailFromAddress', `2001:db8:7:${(place * 256).toString(16)}::1`)
          .then(
            () => 1,
            () => 0,
          );
    expect(passed).toBe(16 * 20);
    await limit.countFrom('mailFromAddress', '2001:db8:8::1');
  });

  it('of an address with a port count for its networks too', async () => {
    for (let place = 0; place < 16 * 20; place += 1)
      await limit.countFrom('mailFromAddress', `198.51.100.${Math.floor(place / 20)}:${place + 1024}`);
    await expect(limit.countFrom('mailFromAddress', '198.51.100.200:5678')).rejects.toMatchObject({
      status: 429,
    });
  });
}

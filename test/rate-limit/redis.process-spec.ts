import { BudgetHolds } from '../../src/access/budget-holds.js';
import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { holdMinute, setBudgetTime } from '../support/clock.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomains } from '../support/domains.js';
import { until } from '../support/processes.js';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.js';

const MINUTE_MS = 60_000;
/** So that 200 requests are not a flood. */
const REQUESTS_A_MINUTE = 400;
const GONE = 'Redis does not count, PostgreSQL and each instance do: ';
const BACK = 'Redis does not count, PostgreSQL and each instance do no longer';
const names = Array.from({ length: 60 }, (_, index) => ({
  domain: `plenty-${index}.com.au`,
  wayback: index,
  first_seen: null,
  available: true,
  hidden: false,
}));

describeWithRedis('instances with one Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let apps: TestApp[];
  let minute: number;
  let callers = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await startRedis();
    await addDomains(database.database, names);
    const TIERS = JSON.stringify({ demo: { requestsPerMinute: REQUESTS_A_MINUTE } });
    // A machine that is busy with 200 requests is no registry that is away.
    const patience = { REGISTRY_TIMEOUT_MS: '20000', REGISTRY_MAX_WAIT_MS: '20000' };
    const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, TIERS, ...patience };
    // The third is there to meet callers whom it has not seen spend anything.
    apps = [];
    while (apps.length < 3) apps.push(await startTestApp(environment));
    minute = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await redis.close();
    await database.close();
  });
  // Each test has a minute of its own, which begins after Redis did.
  beforeEach(() => at((minute += MINUTE_MS)));

  const at = (time: number) => apps.forEach(({ app }) => setBudgetTime(app, new Date(time)));
  /** One caller, at each of the instances. */
  const newCaller = (): Client[] => {
    const address = `198.19.${++callers}.1`;
    return apps.map((app) => app.caller().set('X-Forwarded-For', address));
  };
  /** So many requests at once, by turns at the first two of the instances. */
  const both = (clients: Client[], count: number, path: (place: number) => string) =>
    Promise.all(
      Array.from({ length: count }, async (_, place) =>
        clients[place % Math.min(2, clients.length)]?.get(path(place)),
      ).map(async (answer) => {
        const { status, body } = (await answer) ?? { status: 0, body: {} };
        if (status !== 200 && status !== 429) throw new Error(`${status} ${JSON.stringify(body)}`);
        return { status, records: status === 200 ? Number(body.count ?? 1) : 0 };
      }),
    );
  const recordsOf = (answers: { records: number }[]) =>
    answers.reduce((total, { records }) => total + records, 0);
  const spend = async (clients: Client[], count = 20) =>
    recordsOf(await both(clients, count, () => '/v1/suggest?limit=1'));
  const inPostgres = async () =>
    (await database.database.query<{ caller: string }>('SELECT caller FROM record_budget')).length;
  // All say it in one log: a process has one, that of the application which was made last.
  /** With more than one reason an outage is said more than once. */
  const said = (text: string) => apps.flatMap(({ log }) => log).filter((line) => line.includes(text)).length;
  /** What was sent is charged before Redis goes, and not in PostgreSQL after that. */
  const settled = () => Promise.all(apps.map(({ app }) => app.get(BudgetHolds).flush()));
  const ready = () => Promise.all(apps.map((app) => app.caller().get('/readyz').expect(200)));

  it('grant five records of 200 parallel requests, and PostgreSQL counts nothing', async () => {
    const clients = newCaller();
    const before = await inPostgres();
    const paths = ['/v1/suggest?limit=2', '/v1/domains/check?domain=sandbox-available.com.au'];
    const answers = await both(clients, 200, (place) => paths[(place >> 1) % 2] ?? '');
    // What reservations for checks kept from others in the throng may be left.
    expect(recordsOf(answers)).toBeLessThanOrEqual(5);
    expect(recordsOf(answers) + (await spend(clients))).toBe(5);
    expect(await inPostgres()).toBe(before);
    at(minute + MINUTE_MS);
    expect(recordsOf(await both(clients, 100, () => '/v1/suggest?limit=3'))).toBe(5);
  });

  it('count requests together, and say how many are left', async () => {
    holdMinute(...apps);
    const clients = newCaller();
    const answers = await both(clients, REQUESTS_A_MINUTE, () => '/v1/stats');
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const client of clients) {
      const { headers } = await client.get('/v1/stats').expect(429);
      expect(headers.ratelimit).toMatch(/^"demo-requests";r=0;t=\d+$/);
    }
  });

  it('lose it under load: twice the records at most, no failure, exact in the next minute', async () => {
    const clients = newCaller();
    const [one, other] = [newCaller(), newCaller()];
    expect(await spend(one, 2)).toBe(2);
    await settled();
    const throng = spend(clients, 200);
    await redis.kill();
    expect(await throng).toBeLessThanOrEqual(10);
    await ready();
    expect(await spend(one)).toBe(5);
    expect(await spend(other)).toBe(5);
    expect(said(GONE)).toBeGreaterThanOrEqual(3);

    // It has forgotten what it had counted of this minute, and is not asked about it again.
    at(minute + MINUTE_MS - 1);
    await redis.start();
    await until('Redis counts again', () => said(BACK) === 3);
    for (const caller of [one, other]) expect(await spend(caller.slice(2))).toBe(0);
    at((minute += MINUTE_MS));
    const before = await inPostgres();
    for (const caller of [clients, newCaller()]) expect(await spend(caller, 50)).toBe(5);
    expect(await inPostgres()).toBe(before);
    expect(said(BACK)).toBe(3);
  });

  it('wait for none that hangs: twice the records at most, no failure, exact in the next minute', async () => {
    const [one, other] = [newCaller(), newCaller()];
    const [gone, back] = [said(GONE), said(BACK)];
    expect(await spend(one, 2)).toBe(2);
    await settled();
    redis.hang();
    try {
      expect(await spend(one, 50)).toBe(5);
      expect(await spend(other, 50)).toBe(5);
      expect(await spend(other.slice(2))).toBe(0);
      await ready();
      expect(said(GONE)).toBeGreaterThanOrEqual(gone + 3);
    } finally {
      redis.goOn();
    }
    await until('Redis counts again', () => said(BACK) === back + 3);
    expect(await spend(other)).toBe(0);
    at((minute += MINUTE_MS));
    const before = await inPostgres();
    for (const caller of [one, newCaller()]) expect(await spend(caller, 50)).toBe(5);
    expect(await inPostgres()).toBe(before);
  });
});

describeWithRedis('an instance whose Redis', () => {
  const served = async ({ caller, database }: TestApp) => {
    const client = caller();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/v1/suggest?limit=1')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
    return (await database.query('SELECT FROM record_budget')).length;
  };
  const open = async (redis: TestRedis) => {
    const test = await startTestApp({ REDIS_URL: redis.url });
    await addDomains(test.database, names);
    return test;
  };
  const lines = ({ log }: TestApp, text: string) => log.filter((line) => line.includes(text)).length;

  it('is not there when it starts counts without, and with it once it comes', async () => {
    const redis = await startRedis();
    await redis.kill();
    const test = await open(redis);
    setBudgetTime(test.app, new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS));
    expect(await served(test)).toBe(1);
    await redis.start();
    await until('Redis counts', () => lines(test, BACK) === 1);
    expect(await served(test)).toBe(1);
    expect(lines(test, GONE)).toBeGreaterThan(0);
    await test.close();
    await redis.close();
  });

  it('takes no writes counts without, and says so once', async () => {
    const redis = await startRedis('--maxmemory', '1');
    const test = await open(redis);
    setBudgetTime(test.app, new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS));
    expect(await served(test)).toBe(1);
    expect(await served(test)).toBe(2);
    expect(lines(test, GONE)).toBe(1);
    expect(lines(test, BACK)).toBe(0);
    await test.close();
    await redis.close();
  });
});

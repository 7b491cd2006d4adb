import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { BudgetHolds } from '../../src/access/budget-holds.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { countWaiting } from '../support/database.js';
import { addDomains } from '../support/domains.js';
import { until } from '../support/processes.js';
import { NOT_FOUND, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

/** The longer quota, since minutes turn while the test runs. */
const LIMITS = {
  recordsPerMinute: 100_000,
  requestsPerMinute: 100_000,
  quota: { period: 'hour' as const, records: 100_000 },
};
const names = Array.from({ length: 60 }, (_, index) => ({
  domain: `plenty-${index}.com.au`,
  wayback: index,
  first_seen: null,
  available: true,
  hidden: false,
}));

let tests: TestApp[];
let registry: ScriptedRegistry;
let callers = 0;
beforeAll(async () => {
  registry = await startScriptedRegistry();
  const environment = {
    TIERS: JSON.stringify({ demo: LIMITS }),
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_TIMEOUT_MS: '60000',
    REGISTRY_MAX_WAIT_MS: '20000',
  };
  const first = await startTestApp(environment);
  tests = [first, await startTestApp({ ...environment, DATABASE_URL: first.databaseUrl })];
  await addDomains(first.database, names);
});
afterAll(async () => {
  for (const test of tests.toReversed()) await test.close();
  await registry.close();
});

const instance = (number: number): TestApp => {
  const test = tests[number];
  if (!test) throw new Error('there are two instances');
  return test;
};

interface Sent {
  hangUp(): void;
  /** The status; null when the caller hung up before. */
  readonly answer: Promise<number | null>;
}

const agent = new Agent({ keepAlive: false });

function send(test: TestApp, address: string, path: string, body?: object): Sent {
  const headers = { 'X-Forwarded-For': address, ...(body && { 'Content-Type': 'application/json' }) };
  const accept = 'application/json, text/event-stream';
  const options = { method: body ? 'POST' : 'GET', headers: { ...headers, Accept: accept }, agent };
  const asked = request(test.url + path, options);
  const answer = new Promise<number | null>((resolve) => {
    asked.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? null));
      response.on('error', () => resolve(null));
    });
    asked.on('error', () => resolve(null));
  });
  asked.end(body && JSON.stringify(body));
  return { answer, hangUp: () => asked.destroy() };
}

const newAddress = () => `198.19.7.${++callers}`;

/** Charged and held, as every instance finds it. */
async function countsOf(address: string): Promise<{ used: number; held: number }> {
  for (const { app } of tests) await app.get(BudgetHolds).flush();
  const [row] = await instance(0).database.query<{ used: number; held: number }>(
    `SELECT period_used AS used,
            (SELECT coalesce(sum((one->>0)::int - (one->>1)::int), 0)::int
               FROM jsonb_each(reservations) AS every (id, one)) AS held
       FROM record_budget WHERE caller = $1 AND period = 'hour'`,
    [`ip:${address}`],
  );
  return row ?? { used: 0, held: 0 };
}

/** Requests to the path that ended in this way, according to the log: those that are cut off are errors to MCP. */
const loggedAs = (test: TestApp, what: 'completed' | 'aborted', path: string) =>
  test.log.filter(
    (line) =>
      line.includes(`"path":"${path}"`) &&
      (line.includes(`"msg":"request ${what}"`) ||
        (what === 'aborted' && line.includes('"msg":"request errored"'))),
  ).length;

const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'suggest_domains', arguments: { limit: 3 } },
};

describe('a caller who hangs up before the answer', () => {
  it.each([
    ['GET /v1/suggest', '/v1/suggest?limit=3', undefined],
    ['GET /api/v1/search', '/api/v1/search?per_page=1', undefined],
    ['GET /api/v1/domains/{domain}', '/api/v1/domains/plenty-3.com.au', undefined],
    ['POST /mcp', '/mcp', TOOL_CALL],
    ['POST /domains/{domain}', '/domains/plenty-4.com.au', {}],
  ])('is charged nothing for %s', async (_, path, body) => {
    const test = instance(0);
    const address = newAddress();
    const [bare = ''] = path.split('?');
    const before = loggedAs(test, 'aborted', bare);
    await test.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
      const arrived = once(test.app.getHttpServer(), 'request');
      const sent = send(test, address, path, body);
      await arrived;
      await until('the request waits', async () => (await countWaiting(test.database)) > 0);
      sent.hangUp();
      await until('the service knows', () => loggedAs(test, 'aborted', bare) > before);
    });
    await until('its statements have ended', async () => (await countWaiting(test.database)) === 0);
    expect(await countsOf(address)).toEqual({ used: 0, held: 0 });
  });

  it('is charged nothing for a check that asks the registry', async () => {
    const test = instance(0);
    const address = newAddress();
    registry.reply(() => undefined);
    const path = '/v1/domains/check';
    const before = loggedAs(test, 'aborted', path);
    const sent = send(test, address, `${path}?domain=asked-for-long.com.au`);
    await until('the record is held', async () => (await countsOf(address)).held === 1);
    sent.hangUp();
    await until('the service knows', () => loggedAs(test, 'aborted', path) > before);
    expect(await countsOf(address)).toEqual({ used: 0, held: 0 });
  });

  it('is charged nothing for a list of names, of which it has no token, and no further name is asked', async () => {
    const test = instance(0);
    const address = newAddress();
    registry.reply(() => undefined);
    const path = '/api/v1/domains/check';
    const before = loggedAs(test, 'aborted', path);
    const domains = Array.from({ length: 5 }, (_, place) => `listed-${place}.com.au`);
    const sent = send(test, address, path, { domains, wait: 30 });
    await until('the records are held', async () => (await countsOf(address)).held === 5);
    sent.hangUp();
    await until('the service knows', () => loggedAs(test, 'aborted', path) > before);
    await until('nothing is held', async () => (await countsOf(address)).held === 0);
    expect(await countsOf(address)).toEqual({ used: 0, held: 0 });
    expect(await test.database.query('SELECT FROM bulk_check WHERE NOT is_done')).toEqual([]);
  });
});

it.each([
  '/v1/suggest?limit=3',
  '/api/v1/search?per_page=1',
  '/api/v1/domains/plenty-3.com.au',
  '/api/v1/domains/plenty-5.com.au?live=true',
  '/v1/domains/check?domain=asked-by-head.com.au',
  '/api/v1/domains/plenty-5/siblings',
  '/api/v1/facets?q=plenty',
])('HEAD %s is charged nothing, and asks nobody', async (path) => {
  const test = instance(0);
  const address = newAddress();
  // A name of an earlier test may be asked about meanwhile, once more or late.
  const asked = () => registry.asked.filter((name) => /^(plenty-|asked-by-head)/.test(name)).length;
  const before = asked();
  await test.caller().head(path).set('X-Forwarded-For', address).expect(200);
  await test.app.get(BudgetHolds).flush();
  expect(await countsOf(address)).toEqual({ used: 0, held: 0 });
  expect(asked()).toBe(before);
});

it('a batch of calls to the tools is charged for those that succeed', async () => {
  const address = newAddress();
  const wrong = { ...TOOL_CALL.params, arguments: { limit: 'many' } };
  const batch = [TOOL_CALL, { ...TOOL_CALL, id: 2 }, { ...TOOL_CALL, id: 3, params: wrong }];
  expect(await send(instance(0), address, '/mcp', batch).answer).toBe(200);
  expect(await countsOf(address)).toEqual({ used: 6, held: 0 });
});

it('callers who hang up at any moment are charged what the kernel took, over two instances', async () => {
  const address = newAddress();
  const path = '/api/v1/suggest';
  const taken = () => tests.reduce((sum, test) => sum + loggedAs(test, 'completed', path), 0);
  const gone = () => tests.reduce((sum, test) => sum + loggedAs(test, 'aborted', path), 0);
  const [takenBefore, goneBefore] = [taken(), gone()];
  const count = 200;
  const sent = Array.from({ length: count }, (_, place) => {
    const one = send(instance(place % 2), address, path, { keywords: ['plenty'], limit: 3 });
    // Some at once, some while they are answered, some never.
    if (place % 4 !== 3) setTimeout(one.hangUp, (place * 7) % 150);
    return one;
  });
  const answered = (await Promise.all(sent.map(({ answer }) => answer))).filter((status) => status === 200);
  expect(answered.length).toBeGreaterThan(0);
  // Some were cut off before the service had read them.
  const { used, held } = await untilQuiet(address);
  expect(held).toBe(0);
  expect(used).toBe(3 * (taken() - takenBefore));
  expect(used).toBeGreaterThanOrEqual(3 * answered.length);
  expect(gone()).toBeGreaterThan(goneBefore);
});

/** The counts when no answer is in progress any more. */
async function untilQuiet(address: string): Promise<{ used: number; held: number }> {
  await until('every connection has ended', async () => {
    const open = tests.map(
      ({ app }) =>
        new Promise<number>((resolve) =>
          app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)),
        ),
    );
    return (await Promise.all(open)).every((count) => count === 0);
  });
  await until('nothing is held', async () => (await countsOf(address)).held === 0);
  return countsOf(address);
}

it('callers who hang up have the registry asked no more often than their network may', async () => {
  const test = await startTestApp({
    TIERS: JSON.stringify({ demo: { recordsPerMinute: 1 } }),
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_TIMEOUT_MS: '60000',
  });
  const path = '/v1/domains/check';
  const check = (place: number) =>
    send(test, `2001:db8:9:${place}00::1`, `${path}?domain=unheard-${place}.com.au`);
  registry.reply(() => undefined);
  for (let place = 0; place < 4; place += 1) {
    const sent = check(place);
    await until('the registry is asked', async () => registry.asked.includes(`unheard-${place}.com.au`));
    sent.hangUp();
    await until('the service knows', () => loggedAs(test, 'aborted', path) > place);
  }
  registry.reply(NOT_FOUND);
  expect(await check(4).answer).toBe(429);
  await test.close();
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Admission } from '../../src/access/admission.js';
import { Takers } from '../../src/access/network-rules.js';
import { HashingSemaphore } from '../../src/accounts/attempt-limit.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { type AccountsApp, newSession, signedInVisitor, startAccountsApp } from '../support/visitor.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { countWaiting } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { freePort, ROOT, until } from '../support/processes.js';

const PATH = '/api/v1/domains/in-work.com.au';
/** One request in work; the mean time of work is 1 ms at first, so 249 free requests wait and others are refused. */
const ENVIRONMENT = {
  ...WITH_KEYS,
  ADMISSION: 'on',
  ADMISSION_LIMIT: '1',
  DATABASE_TIMEOUT_MS: '60000',
  READ_DEADLINE_MS: '60000',
  METRICS_TOKEN: 'a-token-of-more-than-sixteen-characters',
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const agent = new Agent({ keepAlive: false });

function ask(url: string, path: string, headers: Record<string, string>) {
  const asked = request(url + path, { headers, agent });
  const answer = new Promise<Answer | null>((resolve) => {
    asked
      .on('error', () => resolve(null))
      .on('response', (response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
  });
  asked.end();
  return { answer, hangUp: () => asked.destroy() };
}

/** Its gate's clock stands still, so that no wait is too long. */
async function startBusyApp(environment: Record<string, string> = ENVIRONMENT): Promise<TestApp> {
  const test = await startTestApp(environment);
  test.app.get(Admission).nowMs = () => 0;
  await addDomain(test.database, { domain: 'in-work.com.au' });
  return test;
}

/** While one request is in work, which waits for a lock. */
async function whileBusy<Result>(test: TestApp, work: () => Promise<Result>): Promise<Result> {
  const first = await test.database.transaction(async (transaction) => {
    await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
    const { answer } = ask(test.url, PATH, { 'X-Forwarded-For': '198.18.200.1' });
    await until('it is in work', async () => (await countWaiting(test.database)) > 0);
    return { answer, result: await work() };
  });
  expect((await first.answer)?.status).toBe(200);
  return first.result;
}

/** The shipped balancer before one instance; the two others are away. */
async function startBalancer(instance: string) {
  const port = await freePort();
  const away = '127.0.0.1:9';
  const child = spawn('haproxy', ['-db', '-f', join(ROOT, 'deploy/haproxy.cfg')], {
    env: {
      ...{ PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}` },
      ...{ INSTANCE_1: new URL(instance).host, INSTANCE_2: away, INSTANCE_3: away },
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until('it answers', async () => (await ask(url, '/livez', {}).answer)?.status === 200);
  return {
    url,
    async close() {
      child.kill();
      await ended;
    },
  };
}

const withBalancer = spawnSync('haproxy', ['-v']).error === undefined ? it : it.skip;

const arrivals = (test: TestApp, count: number) => {
  let arrived = 0;
  const server = test.app.getHttpServer();
  const note = () => (arrived += 1);
  server.on('request', note);
  return until('all have arrived', () => arrived >= count).finally(() => server.off('request', note));
};

describe('a service that is busy', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startBusyApp();
  });
  afterEach(() => test.close());

  it('lets requests wait for a moment, paid ones go first, and refuses the rest at once', async () => {
    const key = await addKey(test.database, { tier: 'starter' });
    // From now on its tier is known without a query.
    await test.caller().get('/v1/stats').set('Authorization', key.bearer).expect(200);
    const order: string[] = [];
    const free = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.201` }),
      );
      const refused: Answer[] = [];
      for (const { answer } of sent)
        void answer.then((one) => {
          if (one?.status === 200) order.push('free');
          else if (one) refused.push(one);
        });
      await all;
      await until('those that are refused are told so', () => refused.length >= 40);
      for (const one of refused) {
        expect(one).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1', 'cache-control': 'no-store' },
        });
        const { error } = JSON.parse(one.body) as { error: { code: string; request_id: string } };
        expect(error).toMatchObject({ code: 'overloaded', request_id: one.headers['x-request-id'] });
      }
      const paid = arrivals(test, 1);
      const { answer } = ask(test.url, PATH, { Authorization: key.bearer });
      void answer.then((one) => one?.status === 200 && order.push('paid'));
      await paid;
      for (const path of ['/livez', '/readyz/?at=now'])
        expect((await ask(test.url, path, {}).answer)?.status).toBe(200);
      expect((await ask(test.url, '/livez/nothing', {}).answer)?.status).toBe(503);
      return sent;
    });
    const statuses = await Promise.all(free.map(async ({ answer }) => (await answer)?.status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    // Readings of the dataset wait for the lock as well.
    const metrics = await ask(test.url, '/metrics', {
      Authorization: `Bearer ${ENVIRONMENT.METRICS_TOKEN}`,
    }).answer;
    expect(metrics?.body).toMatch(/bowerbird_requests_refused_total\{line="free"\} \d+/);
    expect(metrics?.body).toContain('bowerbird_requests_waiting{line="paid"} 0');
    await until('the paid one is answered', () => order.includes('paid'));
    // One free request may have been taken in just before it.
    expect(order.indexOf('paid')).toBeLessThanOrEqual(2);
    expect(test.log.filter((line) => line.includes('Overloaded: ')).length).toBeGreaterThan(0);
  });

  it('says so in answers while many wait, and not to the last of them', async () => {
    const seen = await whileBusy(test, async () => {
      const all = arrivals(test, 200);
      const sent = Array.from({ length: 200 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.18.${place}.230` }),
      );
      await all;
      return sent;
    });
    const answers = await Promise.all(seen.map(({ answer }) => answer));
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]));
    const told = answers.map((answer) => answer?.headers['x-overloaded']);
    expect(new Set(told)).toEqual(new Set(['free', undefined]));
  });

  it('cuts off a connection that sends many requests, refused as they are, without reading', async () => {
    const waiting = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.220` }),
      );
      await all;
      const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
      let text = '';
      socket.on('error', () => undefined).on('data', (piece: Buffer) => (text += piece.toString()));
      const ended = once(socket, 'close');
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(400));
      await ended;
      expect(text.split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(8);
      expect(text).not.toContain(' 200 ');
      return sent;
    });
    for (const { answer } of waiting) await answer;
  });

  it('refuses after all what has waited for too long', async () => {
    const waiting = await whileBusy(test, async () => {
      const arrived = arrivals(test, 2);
      const sent = [1, 2].map((place) => ask(test.url, PATH, { 'X-Forwarded-For': `198.18.210.${place}` }));
      await arrived;
      test.app.get(Admission).nowMs = () => 1_000;
      return sent;
    });
    for (const { answer } of waiting)
      expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await test.caller().get(PATH).expect(200);
  });

  withBalancer('HAProxy refuses callers without a key while the line is full, and nobody else', async () => {
    const key = await addKey(test.database, { tier: 'starter' });
    await test.caller().get('/v1/stats').set('Authorization', key.bearer).expect(200);
    const balancer = await startBalancer(test.url);
    const waiting = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.240` }),
      );
      await all;
      const refused = await until('HAProxy refuses', async () => {
        const answer = await ask(balancer.url, PATH, {}).answer;
        // A second, or what is left of five after it has come again eight times.
        const wait = expect.stringMatching(/^[1-5]$/) as unknown;
        expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': wait } });
        expect(answer?.headers).not.toHaveProperty('x-overloaded');
        const { error } = JSON.parse(answer?.body ?? '') as { error: { request_id: string } };
        return error.request_id === 'balancer' && error;
      });
      expect(refused).toMatchObject({ code: 'overloaded', message: ERROR_CODES.overloaded.meaning });
      for (const [name, value] of [
        ['Authorization', key.bearer],
        ['Cookie', 'bowerbird.session_token=unknown'],
      ] as const) {
        const arrived = arrivals(test, 1);
        sent.push(ask(balancer.url, PATH, { [name]: value }));
        await arrived;
      }
      for (const path of ['/livez', '/readyz'])
        expect((await ask(balancer.url, path, {}).answer)?.status).toBe(200);
      return sent;
    });
    const statuses = await Promise.all(waiting.map(async ({ answer }) => (await answer)?.status));
    expect(statuses[300]).toBe(200);
    await until('callers are let in', async () => (await ask(balancer.url, PATH, {}).answer)?.status === 200);
    await balancer.close();
  });

  it('refuses it also while nothing in work ends', async () => {
    await whileBusy(test, async () => {
      const arrived = arrivals(test, 1);
      const { answer } = ask(test.url, PATH, { 'X-Forwarded-For': '198.18.212.1' });
      await arrived;
      test.app.get(Admission).nowMs = () => 1_000;
      expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    });
  });

  it('does not work for a caller who hung up while it waited', async () => {
    const path = '/api/v1/domains/given-up.com.au';
    await whileBusy(test, async () => {
      const arrived = arrivals(test, 1);
      const { hangUp } = ask(test.url, path, {});
      await arrived;
      const next = once(test.app.getHttpServer(), 'request');
      hangUp();
      // It arrives after the service has seen the other go.
      ask(test.url, PATH, {});
      await next;
    });
    await test.caller().get('/v1/stats').expect(200);
    expect(test.log.filter((line) => line.includes(path))).toEqual([]);
  });
});

it.each([
  ['JSON', '/api/v1/suggest', 'application/json'],
  ['a form', '/webhooks', 'application/x-www-form-urlencoded'],
  ['a message to the tools', '/mcp', 'application/json'],
])('callers who send %s slowly keep nobody out', async (_, path, type) => {
  const test = await startTestApp(ENVIRONMENT);
  const all = arrivals(test, 3);
  const slow = Array.from({ length: 3 }, () => {
    const asked = request(test.url + path, {
      ...{ method: 'POST', agent, headers: { 'Content-Type': type, 'Content-Length': '100' } },
    });
    asked.on('error', () => undefined).write('{');
    return asked;
  });
  await all;
  const metrics = { Authorization: `Bearer ${ENVIRONMENT.METRICS_TOKEN}` };
  expect((await ask(test.url, '/metrics', metrics).answer)?.body).toContain('bowerbird_requests_in_work 0');
  expect((await ask(test.url, '/v1/stats', {}).answer)?.status).toBe(200);
  for (const asked of slow) asked.destroy();
  await test.close();
});

/** Not by /metrics, whose readings of the dataset may wait for the lock. */
async function waitingIn(test: TestApp, line: 'paid' | 'free'): Promise<number | null | undefined> {
  const readings = await test.app.get(Admission).read();
  return readings.find(({ label }) => label === line)?.value;
}

/** A POST whose body lacks its last byte. */
function hold(test: TestApp, address: string) {
  const body = '{"limit":1}';
  const asked = request(`${test.url}/api/v1/suggest`, {
    ...{ method: 'POST', agent },
    headers: {
      ...{ 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
      'X-Forwarded-For': address,
    },
  });
  const status = new Promise<number | null>((resolve) => {
    asked.on('error', () => resolve(null));
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
  });
  asked.write(body.slice(0, -1));
  return { status, send: () => asked.end(body.slice(-1)), hangUp: () => asked.destroy() };
}

describe('a body that is held back', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startBusyApp();
  });
  afterEach(() => test.close());
  const address = (place: number) => `198.${18 + (place >> 8)}.${place & 255}.250`;

  it('waits for its turn when it ends, as others do', async () => {
    const all = arrivals(test, 4);
    const held = [1, 2, 3].map((place) => hold(test, address(place)));
    await whileBusy(test, async () => {
      await all;
      for (const { send } of held) send();
      await until('they wait', async () => (await waitingIn(test, 'free')) === 3);
    });
    expect(await Promise.all(held.map(({ status }) => status))).toEqual([200, 200, 200]);
  });

  it('is refused when it ends while the line is full', async () => {
    const { status, send } = hold(test, address(1));
    const waiting = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': address(place + 2) }),
      );
      await all;
      send();
      expect(await status).toBe(503);
      return sent;
    });
    await Promise.all(waiting.map(({ answer }) => answer));
  });

  it('is one of 64 of an address, others are refused', async () => {
    const all = arrivals(test, 64);
    const held = Array.from({ length: 64 }, () => hold(test, address(1)));
    await all;
    const other = hold(test, address(2));
    const last = hold(test, address(1));
    expect(await last.status).toBe(503);
    other.send();
    expect(await other.status).toBe(200);
    for (const { hangUp } of held) hangUp();
    await Promise.all(held.map(({ status }) => status));
    const next = hold(test, address(1));
    next.send();
    expect(await next.status).toBe(200);
    // Operators see whom the door has refused.
    await test.app.get(Takers).write();
    expect(await test.database.query('SELECT taker, refusals FROM taken_hour WHERE refusals > 0')).toEqual([
      { taker: 'network:198.18.1.0/24', refusals: '1' },
    ]);
  });
});

it('ADMISSION=observe lets a 65th body of an address in, and says that it would not have', async () => {
  const test = await startTestApp({ ...ENVIRONMENT, ADMISSION: 'observe' });
  const all = arrivals(test, 64);
  const held = Array.from({ length: 64 }, () => hold(test, '198.18.211.1'));
  await all;
  const last = hold(test, '198.18.211.1');
  last.send();
  expect(await last.status).toBe(200);
  expect(test.log.filter((line) => line.includes('would have been refused'))).toHaveLength(1);
  for (const { hangUp } of held) hangUp();
  await test.close();
});

/** More than the kernel takes. */
const READS = JSON.stringify(
  Array.from({ length: 10 }, (_, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'resources/read' },
    params: { uri: 'bowerbird://openapi/api-v1' },
  })),
);

it.each([
  ['no answer', 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['no file', 'GET /v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'],
  [
    'nothing of the tools',
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      `Accept: application/json, text/event-stream\r\nContent-Length: ${READS.length}\r\n\r\n${READS}`,
  ],
])('a caller who reads %s keeps nobody out', async (_, message) => {
  const test = await startBusyApp();
  const { port } = new URL(test.url);
  const all = arrivals(test, 16);
  const sockets = Array.from({ length: 2 }, () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.pause().write(message.repeat(8));
    return socket;
  });
  await all;
  expect((await ask(test.url, PATH, {}).answer)?.status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await test.close();
});

/** Two requests on one connection, behind a third that is in work: one waits, the other lacks a byte of its body. */
it('a caller who hangs up before its first answer ends the requests behind it', async () => {
  const test = await startBusyApp();
  const from = 'Host: a\r\nX-Forwarded-For: 198.18.210.1\r\n';
  const { port } = new URL(test.url);
  await whileBusy(test, async () => {
    const all = arrivals(test, 3 * 64);
    const sockets = Array.from({ length: 64 }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.write(`GET ${PATH} HTTP/1.1\r\n${from}\r\n`.repeat(2));
      socket.write(`POST /api/v1/suggest HTTP/1.1\r\n${from}Content-Length: 11\r\n\r\n{`);
      return socket;
    });
    await all;
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    for (const socket of sockets) socket.destroy();
    await closed;
    await until(
      'they have gone',
      () =>
        new Promise<boolean>((resolve, reject) => {
          test.app.getHttpServer().getConnections((error: Error | null, count: number) => {
            if (error) reject(error);
            else resolve(count === 1);
          });
        }),
    );
  });
  const next = hold(test, '198.18.210.1');
  next.send();
  expect(await next.status).toBe(200);
  await test.close();
});

describe('a paying caller whom this process has not seen', () => {
  let test: AccountsApp;
  beforeAll(async () => {
    test = await startAccountsApp();
    await addDomain(test.database, { domain: 'in-work.com.au' });
  });
  afterAll(() => test.close());

  /** Which line it waits in, at an instance that starts now. */
  const lineOf = async (headers: Record<string, string>) => {
    const again = await startTestApp({ ...ENVIRONMENT, DATABASE_URL: test.databaseUrl });
    again.app.get(Admission).nowMs = () => 0;
    const waiting = await whileBusy(again, async () => {
      const arrived = arrivals(again, 1);
      const { answer } = ask(again.url, PATH, headers);
      await arrived;
      return { answer, paid: await waitingIn(again, 'paid'), free: await waitingIn(again, 'free') };
    });
    await waiting.answer;
    await again.close();
    const { paid, free } = waiting;
    return { paid, free };
  };

  it('waits before free ones, by the key', async () => {
    const { bearer } = await addKey(test.database, { tier: 'starter' });
    expect(await lineOf({ Authorization: bearer })).toEqual({ paid: 1, free: 0 });
  });

  it('waits before free ones, by the session', async () => {
    const { email } = await signedInVisitor(test);
    await test.database.query("UPDATE account SET tier = 'starter' WHERE email = $1", [email]);
    expect(await lineOf({ Cookie: await newSession(test, email) })).toEqual({ paid: 1, free: 0 });
  });

  it('waits as a free one with a key that was revoked, or of a free tier', async () => {
    const { bearer } = await addKey(test.database, { tier: 'member' });
    const revoked = await addKey(test.database, { tier: 'starter' });
    await test.database.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [revoked.id]);
    for (const one of [bearer, revoked.bearer])
      expect(await lineOf({ Authorization: one })).toEqual({ paid: 0, free: 1 });
  });
});

it('callers whose password waits to be checked keep nobody out', async () => {
  const test = await startTestApp(ENVIRONMENT);
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const hashing = [1, 2].map(() => test.app.get(HashingSemaphore).run(() => held));
  const arrived = arrivals(test, 1);
  const form = { email: 'nobody@example.com', password: 'not the password' };
  const signIn = test.caller().post('/sign-in').type('form').send(form).expect(401);
  const signedIn = signIn.then(() => true);
  await arrived;
  expect((await ask(test.url, '/v1/stats', {}).answer)?.status).toBe(200);
  end();
  await Promise.all([signedIn, ...hashing]);
  await test.close();
});

it('a service that stops answers those who wait', async () => {
  const test = await startBusyApp();
  let stopped: Promise<void> | undefined;
  const waiting = await whileBusy(test, async () => {
    const arrived = arrivals(test, 3);
    const sent = [1, 2, 3].map((place) => ask(test.url, PATH, { 'X-Forwarded-For': `198.18.220.${place}` }));
    await arrived;
    stopped = test.close();
    return sent;
  });
  for (const { answer } of waiting) expect((await answer)?.status).toBe(200);
  await stopped;
});

it('ADMISSION=observe refuses nobody, and says whom it would have refused', async () => {
  const test = await startBusyApp({ ...ENVIRONMENT, ADMISSION: 'observe' });
  const sent = await whileBusy(test, async () => {
    const all = arrivals(test, 300);
    const many = Array.from({ length: 300 }, (_, place) =>
      ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.230` }),
    );
    await all;
    return many;
  });
  const statuses = await Promise.all(sent.map(async ({ answer }) => (await answer)?.status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(test.log.filter((line) => line.includes('would have been refused')).length).toBeGreaterThan(0);
  await test.close();
});

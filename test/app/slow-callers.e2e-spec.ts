import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Takers } from '../../src/access/network-rules.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  agent,
  arrivals,
  ask,
  ENVIRONMENT,
  PATH,
  startBusyApp,
  waitingIn,
  whileBusy,
} from '../support/busy.js';
import { until } from '../support/processes.js';

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

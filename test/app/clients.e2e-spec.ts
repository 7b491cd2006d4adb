import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { KeyUse } from '../../src/access/api-keys.service.js';
import { HttpAdapter, type HttpLimits } from '../../src/app/http-adapter.js';
import { OperatorsPort } from '../../src/app/operators-port.js';
import { createApp, listen } from '../../src/app/setup.js';
import { readConfig } from '../../src/config/read-config.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { WITH_KEYS } from '../support/accounts.js';
import { until } from '../support/processes.js';

// The real limits are in src/app/http-adapter.ts. Only the impatient service ends requests early: the others must not depend
// on the speed of the machine.
const PATIENT = { requestMs: 600_000, silentMs: 600_000, lookEveryMs: 50, maxConnections: 8 };
const IMPATIENT = { ...PATIENT, requestMs: 400 };

let app: NestExpressApplication;
let impatient: NestExpressApplication;
let url: string;
let port: number;
let impatientPort: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  url = await cloneTemplate();
  const config = readConfig({
    ...WITH_KEYS,
    ...{ DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off' },
    ...{ REGISTRY_BOOTSTRAP_URL: 'off', REGISTRY_CANARIES: 'off', SHUTDOWN_NOTICE_MS: '0' },
  });
  app = await createApp(config, pino({ level: 'silent' }), { limits: PATIENT });
  port = await listen(app, config);
  impatient = await createApp(config, pino({ level: 'silent' }), { limits: IMPATIENT });
  impatientPort = await listen(impatient, config);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await app.close();
  await impatient.close();
  dropDatabase(url);
});

/** A connection, the text received on it, and its end. */
function open(to = port): { socket: Socket; text: () => string; ended: Promise<void> } {
  const socket = connect(to, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.on('error', () => undefined);
  return { socket, text: () => text, ended: new Promise((resolve) => socket.once('close', () => resolve())) };
}

const PORTS = ['PORT', 'OPS_PORT'] as const;
const DOCUMENTS = { PORT: '/api/v1/openapi.json', OPS_PORT: '/ops/openapi.json' };

/** A service of its own, with a limit that the others do not have. */
async function startStrict(own: Partial<HttpLimits>, which: (typeof PORTS)[number] = 'PORT') {
  const config = readConfig({
    ...WITH_KEYS,
    ...{ DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', DATASET_JOBS: 'off' },
    ...{ OPS_PORT: '0', OPERATOR_KEY_HASH: `alice:${mintOperatorKey().hash}` },
  });
  const limits = { ...PATIENT, maxConnections: 100, ...own };
  const strict = await createApp(config, pino({ level: 'silent' }), { limits });
  const main = await listen(strict, config);
  const strictPort = which === 'PORT' ? main : Number(strict.get(OperatorsPort).listensAt);
  return { strict, strictPort };
}

it.each(PORTS)('a connection to %s whose answers nobody reads ends', async (which) => {
  const { strict, strictPort } = await startStrict({ silentMs: 300 }, which);
  const adapter = strict.getHttpAdapter() as unknown as HttpAdapter;
  const accepted: Socket[] = [];
  adapter.onConnection((one) => accepted.push(one));
  const { socket } = open(strictPort);
  socket.pause();
  const gone = () => accepted.some(({ destroyed }) => destroyed);
  // More than the kernel takes.
  await until('it is gone', () => {
    if ((accepted[0]?.writableLength ?? 0) === 0)
      socket.write(`GET ${DOCUMENTS[which]} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return gone();
  });
  await strict.close();
});

it.each(PORTS)('a connection to %s that sends nothing ends', async (which) => {
  const { strict, strictPort } = await startStrict({ requestMs: 300 }, which);
  await open(strictPort).ended;
  await strict.close();
});

it.each(PORTS)('%s cuts off hundreds of requests that wait for no answer', async (which) => {
  const { strict, strictPort } = await startStrict({}, which);
  const { socket, ended } = open(strictPort);
  socket.write(`GET ${DOCUMENTS[which]} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(400));
  await ended;
  await strict.close();
});

it('OPS_PORT has a limit of connections of its own', async () => {
  const { strict, strictPort } = await startStrict({}, 'OPS_PORT');
  const kept = Array.from({ length: 256 }, () => open(strictPort));
  await until('they are connected', () => kept.every(({ socket }) => socket.readyState === 'open'));
  await open(strictPort).ended;
  expect(kept.filter(({ socket }) => socket.destroyed)).toEqual([]);
  for (const { socket } of kept) socket.destroy();
  await strict.close();
});

const MOST_UNREAD = 8_000_000;
const READERS = 24;
/** Callers who go on asking for long answers, and read nothing. */
const HOSTILE = `
  const { connect } = require('node:net');
  const [port, count, path] = process.argv.slice(1);
  for (let place = 0; place < Number(count); place += 1)
    connect(Number(port), '127.0.0.1', function () {
      const timer = setInterval(() => this.write('GET ' + path + ' HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'), 20);
      this.pause().on('close', () => clearInterval(timer));
    }).on('error', () => undefined);`;

it('all connections together have so many bytes of unread answers, others are closed', async () => {
  const { strict, strictPort } = await startStrict({ maxUnreadBytes: MOST_UNREAD });
  const answers = new Set<ServerResponse>();
  const unread = () => [...answers].reduce((sum, { writableLength }) => sum + writableLength, 0);
  let [most, closed] = [0, 0];
  const adapter = strict.getHttpAdapter() as unknown as HttpAdapter;
  adapter.onConnection((one) => one.once('close', () => (closed += 1)));
  strict.getHttpServer().on('request', (_: unknown, response: ServerResponse) => {
    most = Math.max(most, unread());
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
  const answer = await fetch(`http://127.0.0.1:${strictPort}${DOCUMENTS.PORT}`);
  const { byteLength: longest } = await answer.arrayBuffer();
  const hostile = spawn(process.execPath, [
    '-e',
    HOSTILE,
    String(strictPort),
    String(READERS),
    DOCUMENTS.PORT,
  ]);
  // It ends by itself after all of its connections are closed.
  const ended = once(hostile, 'exit');
  await until('some are closed', () => closed >= READERS / 4);
  expect(most).toBeGreaterThan(MOST_UNREAD / 2);
  // The memory of those that are closed is free at the end of a turn of the event loop.
  expect(most).toBeLessThan(2 * MOST_UNREAD + 2 * longest);
  const reader = open(strictPort);
  reader.socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await reader.ended;
  expect(reader.text()).toMatch(/^HTTP\/1\.1 200 /);
  hostile.kill('SIGKILL');
  await ended;
  await strict.close();
});

describe('an address', () => {
  it.each(PORTS)('has at most so many connections to %s, and others after they close', async (which) => {
    const { strict, strictPort } = await startStrict({ perAddress: 3, exceptsLoopback: false }, which);
    const kept = [open(strictPort), open(strictPort), open(strictPort)];
    await Promise.all(kept.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    await open(strictPort).ended;
    expect(kept.filter(({ socket }) => socket.destroyed)).toEqual([]);
    kept[0]?.socket.destroy();
    const ask = async () => {
      const next = open(strictPort);
      next.socket.write(`GET ${DOCUMENTS[which]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await next.ended;
      return next.text();
    };
    // The server hears of the closed one a moment later.
    await until('an answer', async () => ((await ask()).startsWith('HTTP/1.1 200') ? true : null));
    for (const socket of sockets.splice(0)) socket.destroy();
    await strict.close();
  });
});

describe('a client that', () => {
  it.each(['/api/v1/suggest', '/mcp', '/sign-in'])(
    'sends its body bit by bit is cut off after the limit of a request: %s',
    async (path) => {
      const { socket, text, ended } = open(impatientPort);
      const type = path === '/sign-in' ? 'application/x-www-form-urlencoded' : 'application/json';
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
          'Accept: application/json, text/event-stream\r\nContent-Length: 16000\r\n\r\n',
      );
      // Faster than any limit of idle time.
      const trickle = setInterval(() => socket.write('x'), 20);
      // A write after the server has closed would discard the answer.
      impatient.getHttpServer().once('clientError', () => clearInterval(trickle));
      await ended;
      clearInterval(trickle);
      expect(text()).toMatch(/^HTTP\/1\.1 408 /);
      expect(text()).toContain('"code":"request_timeout"');
    },
  );

  it('names two hosts is refused', async () => {
    const { socket, text, ended } = open();
    socket.write('GET /v1/stats HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n');
    await ended;
    expect(text()).toMatch(/^HTTP\/1\.1 400 /);
    expect(text()).toContain('more than once');
  });

  it('exceeds the limit of connections is turned away; the others stay', async () => {
    const first = open();
    await new Promise((resolve) => first.socket.once('connect', resolve));
    for (let count = 1; count < PATIENT.maxConnections; count += 1) open();
    await until('they are connected', () => sockets.every(({ readyState }) => readyState === 'open'));
    const late = open();
    await late.ended;
    expect(late.text()).toBe('');
    first.socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await first.ended;
    expect(first.text()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

const KERNEL_KEEPS = '/proc/sys/net/core/somaxconn';
const isKnown = existsSync(KERNEL_KEEPS) && Number(readFileSync(KERNEL_KEEPS)) >= 4_096;
/** As /proc/net/tcp has it: a connection that is asked for. */
const SYN_SENT = '02';

describe('many who connect at once', () => {
  let roomy: NestExpressApplication;
  let roomyPort: number;
  beforeAll(async () => {
    const config = readConfig({ ...WITH_KEYS, DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0' });
    const limits = { ...PATIENT, maxConnections: 2_000 };
    roomy = await createApp(config, pino({ level: 'silent' }), { limits });
    await roomy.listen(0, '127.0.0.1');
    roomyPort = Number(new URL(await roomy.getUrl()).port);
  });
  afterAll(() => roomy.close());

  (isKnown ? it : it.skip)('are not dropped by the kernel while the process is at work', async () => {
    const to = `0100007F:${roomyPort.toString(16).toUpperCase().padStart(4, '0')}`;
    const countAsking = () =>
      readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , remote, state]) => remote === to && state === SYN_SENT).length;
    for (let count = 0; count < 600; count += 1) open(roomyPort);
    // Sockets connect in the next tick; the process takes none of them before this one ends.
    const asking = await new Promise<number>((resolve) =>
      process.nextTick(() => {
        const endMs = performance.now() + 5_000;
        while (countAsking() > 0 && performance.now() < endMs);
        resolve(countAsking());
      }),
    );
    expect(asking).toBe(0);
  });

  it('are taken several in one turn of the event loop', async () => {
    const adapter = roomy.getHttpAdapter();
    if (!(adapter instanceof HttpAdapter)) throw new Error('another adapter');
    await adapter.acceptFaster();
    let isOver = false;
    let [taken, most] = [0, 0];
    const turn = () => {
      most = Math.max(most, taken);
      taken = 0;
      if (!isOver) setImmediate(turn);
    };
    const note = () => (taken += 1);
    roomy.getHttpServer().on('connection', note);
    setImmediate(turn);
    for (let count = 0; count < 100; count += 1) open(roomyPort);
    await until('all are taken', () => sockets.every(({ readyState }) => readyState === 'open'));
    await until('several are taken in one turn', () => most > 1);
    isOver = true;
    roomy.getHttpServer().off('connection', note);
  });
});

it('the uses of keys past the limit are dropped', async () => {
  const uses = app.get(KeyUse);
  for (let count = 0; count < 10_010; count += 1) uses.note(`key ${count}`, new Date());
  expect(uses.size).toBe(10_000);
});

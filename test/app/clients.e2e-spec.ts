import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { KeyUse } from '../../src/access/api-keys.service.js';
import { HttpAdapter, type HttpLimits } from '../../src/app/http-adapter.js';
import { createApp, listen } from '../../src/app/setup.js';
import { readConfig } from '../../src/config/read-config.js';
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

/** A service of its own, with a limit that the others do not have. */
async function startStrict(own: Partial<HttpLimits>) {
  const config = readConfig({
    ...WITH_KEYS,
    DATABASE_URL: url,
    HOST: '127.0.0.1',
    PORT: '0',
    DATASET_JOBS: 'off',
  });
  const limits = { ...PATIENT, maxConnections: 100, ...own };
  const strict = await createApp(config, pino({ level: 'silent' }), { limits });
  return { strict, strictPort: await listen(strict, config) };
}

it('a connection whose answers nobody reads ends', async () => {
  const { strict, strictPort } = await startStrict({ silentMs: 300 });
  const server = strict.getHttpServer();
  const answers: ServerResponse[] = [];
  let isGone = false;
  server.on('request', (_request, response: ServerResponse) => answers.push(response));
  server.on('connection', (accepted: Socket) => accepted.once('close', () => (isGone = true)));
  const { socket } = open(strictPort);
  socket.pause();
  const unread = () => answers.filter((answer) => answer.writableEnded && !answer.writableFinished);
  // More than the kernel takes.
  for (let sent = 1; unread().length < 3 && !isGone; sent += 1) {
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('it is answered', () => isGone || answers[sent - 1]?.writableEnded === true);
  }
  await until('it is gone', () => isGone);
  await strict.close();
});

describe('an address', () => {
  it('has at most so many connections, and others after they close', async () => {
    const { strict, strictPort } = await startStrict({ perAddress: 3, exceptsLoopback: false });
    const kept = [open(strictPort), open(strictPort), open(strictPort)];
    await Promise.all(kept.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    await open(strictPort).ended;
    expect(kept.filter(({ socket }) => socket.destroyed)).toEqual([]);
    kept[0]?.socket.destroy();
    const ask = async () => {
      const next = open(strictPort);
      next.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
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

  it('sends hundreds of requests without waiting for an answer is cut off', async () => {
    const { socket, ended } = open();
    socket.write('GET /v1/suggest HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(400));
    await ended;
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

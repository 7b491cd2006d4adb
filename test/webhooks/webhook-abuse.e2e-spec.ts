import { type AddressInfo, createServer, type Server } from 'node:net';
import { judgeNewReceiver, receiverLookup } from '../../src/notify/webhooks/receiver-address.js';
import { postTo } from '../../src/notify/webhooks/receiver-request.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { BODIES, DNS_ANSWERS, HEADERS, HOSTS, RECEIVER_ANSWERS, URLS } from './abuse-table.js';

describe('the table of abuse', () => {
  it('has as many rows as were promised, each once', () => {
    const rows = [HOSTS, URLS, DNS_ANSWERS, RECEIVER_ANSWERS, BODIES, HEADERS].flat();
    expect(rows.length).toBeGreaterThanOrEqual(150);
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
  });

  it.each(HOSTS)('refuses the host %s, written down or connected to', async (host) => {
    expect(judgeNewReceiver(`https://${host}/hook`, false)).toBe('must lead to a public address');
    const answer = await postTo(`https://${host}:9/`, {}, '{}', { timeoutMs: 2_000, allowsLoopback: false });
    expect(answer).toMatchObject({ status: null, problem: 'the address must lead to a public address' });
  });

  it.each(URLS)('refuses the address %j: %s', (url, problem) => {
    expect(judgeNewReceiver(url, false)).toContain(problem);
  });

  it.each(DNS_ANSWERS)('refuses a name that leads to %j and %j, for %s', async (four, six, refused) => {
    const answer = (list: readonly string[]) => () => Promise.resolve([...list]);
    const lookup = receiverLookup(false, { resolve4: answer(four), resolve6: answer(six) });
    const problem = await new Promise<unknown>((resolve) => {
      lookup('hooks.example.com', { all: true }, (error) => resolve(error?.message));
    });
    expect(problem).toBe(`hooks.example.com leads to ${refused}, which is not a public address`);
  });
});

describe('a receiver that answers', () => {
  let bytes = '';
  let server: Server;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((client) => {
      connections += 1;
      client.on('error', () => undefined).once('data', () => client.end(bytes));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    server.close();
  });

  it.each(RECEIVER_ANSWERS)(
    '%s is heard for a kilobyte, once, and followed nowhere',
    async (_, sent, status) => {
      [bytes, connections] = [sent, 0];
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const answer = await postTo(url, {}, '{}', { timeoutMs: 30_000, allowsLoopback: true });
      expect([answer.status, connections]).toEqual([status, 1]);
      expect((answer.text ?? '').length).toBeLessThanOrEqual(1_024);
      if (status === null) expect(answer.problem).toMatch(/\S/);
    },
  );
});

describe('POST /api/v1/webhooks', () => {
  let test: TestApp;
  let bearer: string;
  beforeAll(async () => {
    test = await startTestApp({ ...WITH_WEBHOOKS, WEBHOOK_WORKER: 'off' });
    ({ bearer } = await addKey(test.database, { tier: 'pro', scopes: ['webhooks'] }));
  });
  afterAll(async () => {
    expect(await test.database.query('SELECT url FROM webhook')).toEqual([]);
    await test.close();
  });
  const post = (headers: Record<string, string> = {}) =>
    test
      .caller()
      .post('/api/v1/webhooks')
      .set({ Authorization: bearer, 'Content-Type': 'application/json', ...headers });

  it.each(BODIES)('with %s makes none', async (_, body) => {
    const { status, body: answer } = await post().send(body);
    expect([400, 413]).toContain(status);
    expect(answer.error.code).toMatch(/^(invalid_parameter|bad_request|body_too_large)$/);
  });

  it.each(HEADERS)('with %s makes none (%s)', async (_, name, value, status) => {
    const { status: found } = await post({ [name]: value }).send('{"url":"https://example.com/hooks"}');
    expect(found).toBe(status);
  });
});

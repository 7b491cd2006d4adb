import { createServer as createSecureServer, type Server } from 'node:https';
import { createServer, type AddressInfo, isIP, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { postTo, type ReceiverAnswer } from '../../src/notify/webhooks/receiver-request.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { type NameServer, startNameServer } from '../support/name-server.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';
import { HOSTS, URLS } from './abuse-table.js';

let receiver: Receiver;
let names: NameServer;
beforeAll(async () => {
  receiver = await startReceiver();
  names = await startNameServer();
});
afterAll(async () => {
  await names.close();
  await receiver.close();
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const reach = (url: string, allowsLoopback = false): Promise<ReceiverAnswer> =>
  postTo(url, {}, '{}', { timeoutMs: 30_000, allowsLoopback, resolver: names.resolver });
const receiverPort = () => new URL(receiver.url).port;

describe('an address that is not public', () => {
  let test: TestApp;
  let bearer: string;
  beforeAll(async () => {
    test = await startTestApp({
      ...WITH_KEYS,
      WEBHOOKS: 'on',
      WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      TIERS: JSON.stringify({ pro: { requestsPerMinute: 100_000 } }),
    });
    ({ bearer } = await addKey(test.database, { tier: 'pro', scopes: ['webhooks'] }));
  });
  afterAll(() => test.close());

  const subscribe = (url: string) =>
    test.caller().post('/api/v1/webhooks').set('Authorization', bearer).send({ url });

  it.each(HOSTS)('%s is refused at once', async (host) => {
    const { body } = await subscribe(`https://${host}/hook`).expect(400);
    expect(body.error).toMatchObject({
      code: 'invalid_parameter',
      message: 'url must lead to a public address',
    });
  });

  it.each(URLS)('%j is refused at once: %s', async (url, message) => {
    const { body } = await subscribe(url).expect(400);
    expect(body.error.message).toContain(`url ${message}`);
  });

  it.each([
    'https://example.com/',
    'https://example.com:8443/',
    'https://example.com:1024/',
    'https://[2606:4700::1]/',
  ])('%s is taken', async (url) => {
    await subscribe(url).expect(201);
  });
});

describe('when the connection is made', () => {
  it.each(HOSTS.filter((host) => isIP(host.replace(/[[\]]/g, '')) > 0))(
    'a name that leads to %s is refused',
    async (host) => {
      names.addresses = [host.replace(/[[\]]/g, '')];
      const answer = await reach(`https://rebound.example:${receiverPort()}/`);
      expect(answer).toMatchObject({
        status: null,
        problem: expect.stringContaining('not a public address'),
      });
    },
  );

  it('a name that leads to a public address and to one that is not is refused as a whole', async () => {
    names.addresses = ['192.0.43.8', '127.0.0.1'];
    const { problem } = await reach(`https://mixed.example:${receiverPort()}/`);
    expect(problem).toContain('127.0.0.1, which is not a public address');
  });

  it('the name is looked up once, and what was judged is what is connected to', async () => {
    names.addresses = ['127.0.0.1'];
    names.asked.length = 0;
    const answer = await reach(`https://steady.example:${receiverPort()}/`, true);
    // Plain HTTP listens there: it has been connected to.
    expect(answer.problem).toContain('SSL');
    expect([...names.asked].sort()).toEqual(['A steady.example', 'AAAA steady.example']);
    // What DNS says by now is judged anew the next time, and not before.
    names.addresses = ['10.0.0.1'];
    const next = await reach(`https://steady.example:${receiverPort()}/`, true);
    expect(next.problem).toContain('10.0.0.1, which is not a public address');
  });

  it('a name that does not exist, or that nobody answers for, is a problem and no more', async () => {
    names.addresses = [];
    expect((await reach('https://nowhere.example/')).problem).toContain('ENODATA');
    names.isSilent = true;
    expect((await reach('https://nowhere.example/')).problem).toContain('ETIMEOUT');
    names.isSilent = false;
  });

  it('this machine is let through when the operator says so, and no other private address', async () => {
    expect((await reach(`http://localhost:${receiverPort()}/`, true)).status).toBe(200);
    names.addresses = ['192.168.1.1'];
    expect((await reach('https://private.example/', true)).problem).toContain('not a public address');
  });

  it('none of these has reached the receiver, but for the one that was let through', () => {
    // What comes without a signature is counted there.
    expect(receiver.refused).toHaveLength(1);
  });
});

describe('a receiver whose TLS is wrong', () => {
  let secure: Server;
  beforeAll(async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    secure = createSecureServer({ key, cert }, (_, response) => response.end());
    await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    secure.close();
  });

  it('is not told anything: nobody vouches for its certificate', async () => {
    const { status, problem } = await reach(`https://127.0.0.1:${portOf(secure)}/`, true);
    expect([status, problem]).toEqual([null, expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')]);
  });

  it('is not told anything: it speaks no TLS at all', async () => {
    const { status, problem } = await reach(`https://127.0.0.1:${receiverPort()}/`, true);
    expect([status, problem]).toEqual([null, expect.stringContaining('SSL')]);
  });

  it('is not waited for when it takes the connection and says nothing', async () => {
    // It listens all the same: a connection that nobody reads from never learns that the other side has gone, and stays.
    const mute = createServer((client) => client.on('error', () => undefined).resume());
    await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
    const options = { timeoutMs: 200, allowsLoopback: true };
    const { problem } = await postTo(`https://127.0.0.1:${portOf(mute)}/`, {}, '{}', options);
    expect(problem).toBe('no answer within 200 ms');
    await new Promise((closed) => mute.close(closed));
  });
});

describe('what a receiver answers', () => {
  const socket = createServer((client) => {
    client.on('error', () => undefined).once('data', () => answer(client));
  });
  let answer: (client: Socket) => void;
  beforeAll(() => new Promise<void>((listening) => socket.listen(0, '127.0.0.1', listening)));
  afterAll(() => {
    socket.close();
  });
  const ask = (timeoutMs: number) =>
    postTo(`http://127.0.0.1:${portOf(socket)}/`, {}, '{}', { timeoutMs, allowsLoopback: true });

  it.each([
    [
      'hangs',
      (client: Socket) =>
        client.write('HTTP/1.1 429 Busy\r\nRetry-After: 600\r\nContent-Length: 5\r\n\r\nlat'),
    ],
    [
      'is broken off',
      (client: Socket) =>
        client.write('HTTP/1.1 429 Busy\r\nRetry-After: 600\r\nContent-Length: 5\r\n\r\nlat', () =>
          client.resetAndDestroy(),
        ),
    ],
  ])('counts although its body %s', async (_, how) => {
    answer = how;
    expect(await ask(1_000)).toMatchObject({ status: 429, retryAfter: 600, problem: null });
  });

  it.each(['', 'Upgrade: other\r\nConnection: Upgrade\r\n'])(
    'with status 101 is an answer like others (%j)',
    async (headers) => {
      answer = (client) => client.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
      const { status, problem, durationMs } = await ask(60_000);
      expect([status, problem]).toEqual([101, null]);
      expect(durationMs).toBeLessThan(60_000);
    },
  );

  it.each([
    ['12345678901', 12_345_678_901],
    ['9'.repeat(400), Infinity],
    ['0', 0],
    ['soon', null],
    ['-5', null],
  ])('with Retry-After %s asks for a pause of %s s', async (text, expected) => {
    answer = (client) => client.end(`HTTP/1.1 503 Busy\r\nRetry-After: ${text}\r\nContent-Length: 0\r\n\r\n`);
    expect((await ask(60_000)).retryAfter).toBe(expected);
  });
});

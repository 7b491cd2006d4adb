import fc from 'fast-check';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { HttpDrain } from '../../src/app/shutdown.js';
import { Config } from '../../src/config/config.js';
import { MAX_BATCH_MESSAGES } from '../../src/mcp/mcp.module.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { until } from '../support/processes.js';
import { runs } from '../support/runs.js';

// The flood limit has a test of its own below.
const TIERS = JSON.stringify({ demo: { requestsPerMinute: 1_000_000, recordsPerMinute: 1_000_000 } });
const LEGACY = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const STATS = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'dataset_stats', arguments: {} },
};

const CHECK = {
  ...STATS,
  params: { name: 'check_domain', arguments: { domain: 'sandbox-available.com.au' } },
};
const CANCELLATION = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({
    TIERS,
    MCP_ALLOWED_HOSTS: 'agents.example',
    MCP_ALLOWED_ORIGINS: 'chat.example',
  });
});
afterAll(() => test.close());

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A request below fetch, which would set Host and refuse some of these bodies. */
function send(
  body: string | Buffer,
  headers: Record<string, string> = {},
  { url = test.url, method = 'POST', path = '/mcp' } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest(
      { hostname, port, path, method, headers: { ...LEGACY, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const post = (message: unknown, headers: Record<string, string> = {}) =>
  send(JSON.stringify(message), headers);
/** The JSON-RPC message in a reply, whether it came as JSON or as one server-sent event. */
const messageIn = ({ body }: Reply) => JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body);

describe('POST /mcp', () => {
  describe('200', () => {
    it('keeps no session, so any instance answers any request', async () => {
      const url = test.app.get(Config).database.url ?? '';
      const second = await startTestApp({ TIERS, DATABASE_URL: url });
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      };
      const hello = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect(hello.headers['mcp-session-id']).toBeUndefined();
      const version = { 'mcp-protocol-version': messageIn(hello).result.protocolVersion };
      const reply = await send(JSON.stringify(STATS), version, { url: second.url });
      expect(messageIn(reply).result.structuredContent).toMatchObject({ ok: true });
      await second.close();
    });

    it('says with an answer that its connection ends, when the service stops', async () => {
      const stopping = await startTestApp();
      stopping.app.get(HttpDrain).announceStop();
      const { headers } = await send(JSON.stringify(STATS), {}, { url: stopping.url });
      expect(headers.connection).toBe('close');
      await stopping.close();
    });

    it('answers a batch of revision 2025-03-26, each message once', async () => {
      const batch = Array.from({ length: MAX_BATCH_MESSAGES }, (_, id) => ({ ...STATS, id }));
      const { status, body } = await post(batch, { 'mcp-protocol-version': '2025-03-26' });
      expect(status).toBe(200);
      const ids = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).id);
      expect(ids.sort()).toEqual(batch.map(({ id }) => id));
    });

    it.each(['/mcp/', '/MCP'])('%s is the same address', async (path) => {
      expect((await send(JSON.stringify(STATS), {}, { path })).status).toBe(200);
    });
  });

  it.each([
    [
      'tools/call',
      { name: 'find_names', arguments: {} },
      /^Tool find_names not found\. Call suggest_domains with q/,
    ],
    ['tools/call', { name: 'usage', arguments: {} }, /^Tool usage not found\. .*for callers with a key/],
    ['prompts/get', { name: 'a' }, /^Prompt a not found\. Get find_a_name with business_idea/],
    ['resources/read', { uri: 'bowerbird://a' }, /^Resource not found: bowerbird:\/\/a\. .*dataset_stats/],
  ])('%s of %j, which there is not, names what there is', async (method, params, words) => {
    const { error } = messageIn(await post({ jsonrpc: '2.0', id: 1, method, params }));
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(words) });
    // As the specification says, by which clients know it.
    if (method === 'resources/read') expect(error.data).toEqual({ uri: 'bowerbird://a' });
  });

  describe('202', () => {
    it('takes a notification, which has no answer', async () => {
      const reply = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
      expect([reply.status, reply.body]).toEqual([202, '']);
    });

    it('takes a cancellation of its own, in a batch of one too', async () => {
      for (const message of [CANCELLATION, [CANCELLATION]]) {
        const reply = await post(message);
        expect([reply.status, reply.body]).toEqual([202, '']);
      }
    });
  });

  describe('400', () => {
    it.each([
      ['broken JSON', '{"jsonrpc":', -32700],
      ['nothing', '', -32700],
      ['a word', '"hello"', -32600],
      ['a message without its members', '{}', -32600],
      ['an empty batch', '[]', -32600],
      ['a batch in a batch', JSON.stringify([[STATS]]), -32600],
      ['a batch that is too long', JSON.stringify(Array(MAX_BATCH_MESSAGES + 1).fill(STATS)), -32600],
      ['an id that is an object', JSON.stringify({ ...STATS, id: {} }), -32600],
    ])('%s is a protocol error', async (_name, body, code) => {
      const reply = await send(body);
      expect(reply.status).toBe(400);
      expect(messageIn(reply)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    });

    it.each([
      ['behind', [CHECK, CANCELLATION]],
      ['before', [CANCELLATION, CHECK]],
    ])(
      'a batch with a cancellation %s its request is refused, not left without an answer',
      async (_, batch) => {
        const caller = test.caller();
        const { status, body } = await caller.post('/mcp').set(LEGACY).send(batch);
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ code: -32600, message: expect.stringContaining('cancel') });
        const { rate } = (await caller.get('/v1/suggest?q=nothing-has-this')).body;
        expect(rate.remaining).toBe(rate.limit_per_min);
      },
    );

    it.each(['2025-06-18', '2025-11-25', '2026-07-28'])('revision %s has no batches', async (revision) => {
      const reply = await post([STATS], { 'mcp-protocol-version': revision });
      expect(reply.status).toBe(400);
      expect(messageIn(reply).error).toMatchObject({ code: -32600 });
    });

    it('names the revisions that it speaks', async () => {
      const reply = await post(STATS, { 'mcp-protocol-version': '1999-01-01' });
      expect(reply.status).toBe(400);
      expect(messageIn(reply).error.message).toContain('2025-11-25');
    });
  });

  describe('403', () => {
    it.each([
      ['evil.example', undefined],
      ['evil.example:3000', undefined],
      ['localhost.evil.example', undefined],
      ['127.0.0.1', 'http://evil.example'],
      ['127.0.0.1', 'https://bowerbird.example.evil.example'],
      ['127.0.0.1', 'null'],
      ['127.0.0.1', 'nonsense'],
    ])('Host %s with Origin %s is refused as a web page’s trick', async (host, origin) => {
      const reply = await post(STATS, { host, ...(origin !== undefined && { origin }) });
      expect(reply.status).toBe(403);
      expect(JSON.parse(reply.body)).toEqual({
        error: {
          code: 'host_not_allowed',
          message: expect.stringContaining('MCP_ALLOWED_'),
          request_id: reply.headers['x-request-id'],
        },
      });
    });

    it.each([
      ['localhost:1234', undefined],
      ['[::1]:1234', 'http://[::1]:1234'],
      ['bowerbird.example', 'https://bowerbird.example'],
      ['agents.example', undefined],
      ['127.0.0.1', 'http://localhost:6274'],
      ['127.0.0.1', 'https://chat.example:8443'],
    ])('Host %s with Origin %s is served', async (host, origin) => {
      expect((await post(STATS, { host, ...(origin !== undefined && { origin }) })).status).toBe(200);
    });
  });

  describe('406', () => {
    it('asks the client to take both kinds of answer', async () => {
      expect((await post(STATS, { accept: 'application/json' })).status).toBe(406);
    });
  });

  describe('413', () => {
    it.each([
      ['JSON of 20 kB', JSON.stringify({ ...STATS, id: 'x'.repeat(20_000) })],
      ['20 kB that are no JSON', 'x'.repeat(20_000)],
    ])('%s is not read to its end', async (_name, body) => {
      const reply = await send(body);
      expect(reply.status).toBe(413);
      expect(messageIn(reply)).toMatchObject({
        jsonrpc: '2.0',
        error: { message: expect.stringContaining('16384') },
      });
    });
  });

  describe('415', () => {
    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data'])(
      '%s is not read',
      async (type) => {
        const reply = await post(STATS, { 'content-type': type });
        expect(reply.status).toBe(415);
      },
    );

    it.each([
      ['gzip', gzipSync(JSON.stringify(STATS))],
      ['gzip', JSON.stringify(STATS)],
      ['br', JSON.stringify(STATS)],
      ['identity, gzip', JSON.stringify(STATS)],
    ])('a body said to be encoded as %s is not read', async (encoding, body) => {
      const reply = await send(body, { 'content-encoding': encoding });
      expect(reply.status).toBe(415);
      expect(messageIn(reply)).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { message: expect.stringContaining('Content-Encoding') },
      });
    });

    it('a body that is said to be as it is is read', async () => {
      expect((await post(STATS, { 'content-encoding': 'Identity' })).status).toBe(200);
    });
  });

  describe('429', () => {
    it('a flood is refused before any tool runs, in one count with REST', async () => {
      const small = await startTestApp({ TIERS: JSON.stringify({ demo: { requestsPerMinute: 6 } }) });
      const caller = small.caller();
      const ask = () => caller.post('/mcp').set(LEGACY).send(STATS);
      const answers = [...(await Promise.all([1, 2, 3].map(() => caller.get('/v1/stats'))))];
      for (let call = 0; call < 12; call += 1) answers.push(await ask());
      const refused = answers.filter(({ status }) => status === 429);
      // Of 15 requests at least 3 are refused even when the minute turns in between.
      expect(refused.length).toBeGreaterThanOrEqual(3);
      for (const { body, headers } of refused) {
        expect(body.error.code).toBe('too_many_requests');
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      }
      await small.close();
    });
  });

  describe('whatever is sent', () => {
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
    const call = (given: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"suggest_domains","arguments":${given}}}`;

    it.each([
      ['8,000 brackets', nested('[', ']', 8000), {}],
      ['2,000 objects in one another', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`, {}],
      ['a deep argument', call(`{"q":${nested('[', ']', 7000)}}`), {}],
      ['a deep unknown argument', call(`{"zz":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`), {}],
      [
        'a thousand arguments',
        call(JSON.stringify(Object.fromEntries([...Array(1000).keys()].map((key) => [key, key])))),
        {},
      ],
      ['an argument __proto__', call('{"__proto__":{"limit":1},"constructor":{"prototype":1}}'), {}],
      ['a list for arguments', call('[1,2]'), {}],
      ['a huge id', JSON.stringify({ ...STATS, id: 'i'.repeat(15_000) }), {}],
      ['a number beyond all bounds as id', JSON.stringify(STATS).replace('"id":1', '"id":1e999'), {}],
      ['a NUL in a name', JSON.stringify({ ...STATS, params: { name: 'dataset_stats\u0000' } }), {}],
      ['a lone surrogate', call('{"q":"\\ud800"}'), {}],
      ['gzip', gzipSync(JSON.stringify(STATS)), { 'content-encoding': 'gzip' }],
      [
        'UTF-16',
        Buffer.from(JSON.stringify(STATS), 'utf16le'),
        { 'content-type': 'application/json; charset=utf-16' },
      ],
      ['an answer to nothing', '{"jsonrpc":"2.0","id":1,"result":{}}', {}],
      ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}', {}],
      ['forged state', JSON.stringify({ ...STATS, params: { ...STATS.params, requestState: 'forged' } }), {}],
    ])('%s is answered, below 500, and the next call is served', async (_name, body, headers) => {
      const { status } = await send(body, headers);
      expect(status).toBeLessThan(500);
      expect((await post(STATS)).status).toBe(200);
      expect(test.log.filter((line) => line.includes('"level":50'))).toEqual([]);
    });

    it('a client that hangs up in the middle of its message is no fault of ours', async () => {
      const { hostname, port } = new URL(test.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nX-Request-Id: hangs-up\r\nExpect: 100-continue\r\n` +
            'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n' +
            'Content-Length: 100\r\n\r\n{"jsonrpc"',
        ),
      );
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      // The line of the request itself.
      const lines = () => test.log.filter((line) => line.includes('hangs-up'));
      await until('the request has ended', () => lines().some((line) => line.includes('"path":"/mcp"')));
      expect((await post(STATS)).status).toBe(200);
      expect(lines().filter((line) => line.includes('"level":50'))).toEqual([]);
    });

    it('any JSON is answered below 500', async () => {
      const method = fc.constantFrom(
        'tools/call',
        'tools/list',
        'resources/read',
        'prompts/get',
        'completion/complete',
        'initialize',
        'server/discover',
        'subscriptions/listen',
      );
      const params = fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            name: fc.oneof(fc.constant('check_domain'), fc.string()),
            arguments: fc.dictionary(fc.string(), fc.jsonValue()),
            uri: fc.webUrl(),
            _meta: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      );
      const message = fc.record(
        { jsonrpc: fc.constant('2.0'), id: fc.jsonValue({ maxDepth: 1 }), method, params },
        { requiredKeys: ['jsonrpc'] },
      );
      const revision = fc.constantFrom('2025-03-26', '2025-11-25', '2026-07-28', 'x');
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(message, fc.jsonValue(), fc.array(message, { maxLength: 3 })),
          revision,
          async (body, version) => {
            const { status } = await post(body, { 'mcp-protocol-version': version });
            expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: runs(50) },
      );
      expect(test.log.filter((line) => line.includes('"level":50'))).toEqual([]);
    });
  });
});

describe.each(['GET', 'DELETE', 'PUT'])('%s /mcp', (method) => {
  it('is 405 and says what the address takes', async () => {
    const reply = await send('', {}, { method });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'OPTIONS, POST']);
    expect(JSON.parse(reply.body).error.code).toBe('method_not_allowed');
  });
});

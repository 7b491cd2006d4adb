import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestApp, type TestApp } from '../support/app.js';
import { makeFolder } from '../support/processes.js';
import { WITH_EVERYTHING } from '../support/switches.js';

describe('answers on the wire', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  // Neither asks for anything nor unpacks it by itself, as the usual clients do.
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ response: IncomingMessage; bytes: Buffer }>((resolve, reject) => {
      get(test.url + path, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({ response, bytes: Buffer.concat(chunks) });
        });
      }).on('error', reject);
    });

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip;q=0.1, br;q=0', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ])('are packed for whoever accepts %s: %s', async (accepted, encoding, unpack) => {
    const plain = await ask('/api/v1/status');
    const { response, bytes } = await ask('/api/v1/status', { 'Accept-Encoding': accepted });
    expect(response.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(bytes.length),
      'content-type': 'application/json; charset=utf-8',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(bytes.length).toBeLessThan(plain.bytes.length);
    expect(Object.keys(JSON.parse(unpack(bytes).toString()))).toEqual(
      Object.keys(JSON.parse(plain.bytes.toString())),
    );
  });

  it.each([
    ['no encoding is asked for', '/api/v1/status', {}],
    ['none is known', '/api/v1/status', { 'Accept-Encoding': 'zstd' }],
    ['they are short', '/v1/stats', { 'Accept-Encoding': 'br' }],
  ])('are sent as they are where %s', async (_why, path, headers) => {
    const { response, bytes } = await ask(path, headers);
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers['content-length']).toBe(String(bytes.length));
    expect(JSON.parse(bytes.toString())).toMatchObject({ ok: true });
  });

  it('have the length of the body also when only the head is asked for', async () => {
    const { bytes } = await ask('/v1/stats');
    const { headers, text } = await test.caller().head('/v1/stats').expect(200);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(text).toBeUndefined();
  });

  it.each([
    '/v1/stats',
    '/api/v1/status',
    '/v1/openapi.json',
    '/api/v1/openapi.yaml',
    '/assets/site.css',
    '/docs',
  ])('%s: with an If-Match of another version it is 412, of its own it is sent', async (path) => {
    const other = await ask(path, { 'If-Match': '"another"' });
    expect([other.response.statusCode, other.response.headers.etag]).toEqual([412, undefined]);
    if (path !== '/docs')
      expect(JSON.parse(other.bytes.toString()).error).toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('If-Match'),
      });
    const { response } = await ask(path);
    const tag = String(response.headers.etag);
    for (const named of [tag, `"another", ${tag}`, '*'])
      expect([named, (await ask(path, { 'If-Match': named })).response.statusCode]).toEqual([named, 200]);
    expect((await ask(path, { 'If-Match': tag, 'If-None-Match': tag })).response.statusCode).toBe(304);
  });

  it('may be nothing but read, where they are no page', async () => {
    const { response } = await ask('/v1/suggest');
    expect(response.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      vary: expect.stringContaining('Origin'),
    });
  });

  it.each(['/v1/docs', '/api/v1/status/rates.svg', '/domains/nobody-has-this.com.au', '/no-such-page'])(
    'have all headers of a page at %s',
    async (path) => {
      const { response } = await ask(path);
      expect(response.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
        'cross-origin-opener-policy': 'same-origin',
      });
    },
  );
});

it('every part of a service with everything on listens for the end of a request, and Node warns of no leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const folder = await makeFolder('exports');
  const test = await startTestApp({ ...WITH_EVERYTHING, EXPORT_DIR: folder, METRICS_TOKEN: 'm'.repeat(32) });
  try {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'dataset_stats', arguments: {} },
    };
    const accept = 'application/json, text/event-stream';
    await test.caller().post('/mcp').set('Accept', accept).send(call).expect(200);
    await test
      .caller()
      .post('/api/v1/domains/check')
      .send({ domains: ['sandbox-available.com.au'] })
      .expect(200);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
    await test.close();
  }
});

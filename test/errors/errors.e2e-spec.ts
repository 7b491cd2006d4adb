import { connect } from 'node:net';
import { VERSION } from '../../src/config/product.js';
import { startTestApp, type TestApp } from '../support/app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('every failure', () => {
  it.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/v1', 404, 'not_found'],
    ['GET', '/v1/stats/more', 404, 'not_found'],
    ['POST', '/v1/nowhere', 404, 'not_found'],
    ['POST', '/v1/stats', 405, 'method_not_allowed'],
    ['DELETE', '/v1/domains/check', 405, 'method_not_allowed'],
    ['PUT', '/v1/suggest?q=a', 405, 'method_not_allowed'],
    ['GET', '/v1/stats/%E0%A4%A', 400, 'bad_request'],
    ['GET', '/v1/suggest?limit=x', 400, 'invalid_parameter'],
    ['GET', '/v1/suggest?=x', 400, 'invalid_parameter'],
  ])('%s %s answers %d with one and the same body', async (method, path, status, code) => {
    const response = await fetch(test.url + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body: unknown = await response.json();
    expect(body).toEqual({
      error: { code, message: expect.any(String), request_id: response.headers.get('x-request-id') },
    });
  });

  it.each(['/v1/stats', '/nowhere', '/v1/docs', '/livez', '/v1/openapi.yaml', '/'])(
    'and every answer, such as that of %s, says the version of the contract',
    async (path) => {
      const { headers } = await test.caller().get(path);
      expect(headers['api-version']).toBe(VERSION);
    },
  );

  // What every JavaScript object has by birth, and a parameter behind more pairs than a parser reads by default.
  it.each([
    ['__proto__', ''],
    ['constructor', ''],
    ['toString', ''],
    ['hasOwnProperty', ''],
    ['late', '&'.repeat(1100)],
  ])('the unknown parameter %s is refused by its name', async (name, before) => {
    const { body } = await test.caller().get(`/v1/suggest?${before}${name}=1`).expect(400);
    expect(body.error.message).toBe(`${name} is not a parameter here`);
  });

  it.each([
    ['/v1/nothing', '/v1/openapi.json'],
    ['/nowhere', '/v1/openapi.json'],
    ['/api/v1', '/api/v1/openapi.json'],
    ['/API/v1/nothing', '/api/v1/openapi.json'],
  ])('%s points to the document that would list it', async (path, document) => {
    const { body } = await test.caller().get(path).expect(404);
    expect(body.error.message).toContain(`; ${document} lists what there is`);
    await test.caller().get(document).expect(200);
  });

  it('a wrong method says which ones the address takes', async () => {
    const { headers } = await test.caller().post('/v1/stats').expect(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it.each([
    ['/v1/stats', 'GET, HEAD, OPTIONS'],
    ['/v1/openapi.yaml', 'GET, HEAD, OPTIONS'],
    ['/mcp', 'OPTIONS, POST'],
    ['/api/v1/domains/some.com.au', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s says what the address takes, to browsers too', async (path, methods) => {
    const plain = await test.caller().options(path).expect(204);
    expect(plain.headers.allow).toBe(methods);
    const preflight = await test
      .caller()
      .options(path)
      .set({ Origin: 'https://example.org', 'Access-Control-Request-Method': 'GET' })
      .expect(204);
    expect(preflight.headers).toMatchObject({ allow: methods, 'access-control-allow-origin': '*' });
  });

  it('OPTIONS of an address that is not there is a 404, but for a browser, which lets its page ask', async () => {
    await test.caller().options('/v1/nothing').expect(404);
    const { headers } = await test
      .caller()
      .options('/v1/nothing')
      .set({ Origin: 'https://example.org', 'Access-Control-Request-Method': 'GET' })
      .expect(204);
    expect(headers).not.toHaveProperty('allow');
  });

  it.each([
    ['post', '/v1/openapi.json', 405],
    ['get', '/api/v1/status/rates.svg?from=x', 400],
    ['get', '/v1/stats?x=1', 400],
    ['get', '/v1/domains/check', 400],
  ] as const)('%s %s has no ETag', async (method, path, status) => {
    const { headers } = await test.caller()[method](path).expect(status);
    expect(headers).not.toHaveProperty('etag');
  });

  it.each([
    ['/v1/suggest?q=a&q=b', 'q must be given once'],
    ['/v1/suggest?limit=1&limit=1', 'limit must be given once'],
    ['/v1/domains/check?domain=a.au&domain=b.au', 'domain must be given once'],
    ['/v1/suggest?foo=1&foo=2', 'foo is not a parameter here'],
  ])('%s is told so: %s', async (path, message) => {
    const { body } = await test.caller().get(path).expect(400);
    expect(body.error).toMatchObject({ code: 'invalid_parameter', message });
  });

  it('a list may be given in pieces, and a wrong piece is told by its rule', async () => {
    await test.caller().get('/api/v1/search?tld=com.au&tld=net.au').expect(200);
    const { body } = await test.caller().get('/api/v1/search?tld=com.au&tld=com').expect(400);
    expect(body.error.message).toMatch(/^tld must be one or more of com.au/);
  });

  it.each([
    ['broken JSON', '{"a":', 'application/json', 400, 'bad_request'],
    ['a body of 20 kB', JSON.stringify('x'.repeat(20_000)), 'application/json', 413, 'body_too_large'],
    ['an unknown charset', '{}', 'application/json; charset=klingon', 415, 'unsupported_media_type'],
  ])('%s is told as what it is', async (_name, body, type, status, code) => {
    const response = await fetch(`${test.url}/v1/stats`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it.each(['{"a":', '"text"', '{a: 1}'])('the body %s is said to be no JSON object', async (body) => {
    const { body: answer } = await test
      .caller()
      .post('/v1/stats')
      .set('Content-Type', 'application/json')
      .send(body)
      .expect(400);
    expect(answer.error.message).toBe('The body is not valid JSON; send one object.');
  });

  it.each([
    ...['/domains/%zz', '/domains/%', '/api/v1/domains/%E0%A4%A', '/%', '/v1/stats/%ff'],
    ...[
      '/v1/suggest?q=%zz',
      '/v1/domains/check?domain=%ff.au',
      '/v1/stats?%',
      '/mcp?%E0%A4%A',
      '/v1/docs/%zz',
    ],
  ])('%s is said to be badly encoded', async (path) => {
    const { body } = await test.caller().get(path).expect(400);
    expect(body.error).toMatchObject({
      code: 'bad_request',
      message: 'The address has percent-encoding that cannot be decoded; write a percent sign itself as %25.',
    });
  });

  it('an unexpected fault says nothing about its cause, and the log has it under the same id', async () => {
    await test.database.query('ALTER TABLE dataset RENAME TO dataset_gone');
    const { body, headers } = await test.caller().get('/v1/stats').expect(500);
    await test.database.query('ALTER TABLE dataset_gone RENAME TO dataset');
    expect(body.error).toMatchObject({ code: 'internal_error', request_id: headers['x-request-id'] });
    expect(JSON.stringify(body)).not.toContain('dataset');
    const line = test.log.find((text) => text.includes(body.error.request_id) && text.includes('"stack"'));
    expect(line).toContain('relation');
  });

  it('headers of 100 kB are refused with the same body', async () => {
    const { body } = await test.caller().get('/v1/stats').set('X-Much', 'x'.repeat(100_000)).expect(431);
    expect(body.error).toMatchObject({ code: 'headers_too_large', request_id: expect.stringMatching(UUID) });
  });

  it.each([
    ['no HTTP at all', 'nonsense\r\n\r\n', '400 Bad Request', 'bad_request'],
    ['a target that is no address', 'GET http://[ HTTP/1.1\r\nHost: a', '400 Bad Request', 'bad_request'],
    ['no Host', 'GET /v1/stats HTTP/1.1', '400 Bad Request', 'bad_request'],
    [
      'an expectation',
      'GET /v1/stats HTTP/1.1\r\nHost: a\r\nExpect: wonders',
      '417 Expectation Failed',
      'expectation_failed',
    ],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a', '400 Bad Request', 'bad_request'],
  ])('a request with %s is answered with the same body', async (_what, request, status, code) => {
    const [head = '', body = ''] = (await send(request)).split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head).toContain(`API-Version: ${VERSION}`);
    const [, id] = /^x-request-id: (.*)$/im.exec(head) ?? [];
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.any(String), request_id: id } });
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    await test.caller().get('/v1/stats').expect(200);
  });

  it('an expectation that can be met is met', async () => {
    const answer = await send('GET /v1/stats HTTP/1.1\r\nHost: a\r\nExpect: 100-continue');
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('HTTP/1.0, which knows no Host, is answered', async () => {
    expect(await send('GET /v1/stats HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('a client that resets CONNECT does no harm', async () => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resetAndDestroy();
    await test.caller().get('/v1/stats').expect(200);
  });
});

/** Sends the lines as they are. @returns all that comes until the service hangs up */
function send(lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1', () =>
      socket.write(`${lines}\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('the request id', () => {
  it('is made when none is offered', async () => {
    const { headers } = await test.caller().get('/v1/stats');
    expect(headers['x-request-id']).toMatch(UUID);
  });

  it('is the caller’s own when it is well-formed, in the header and in the log', async () => {
    const { headers } = await test.caller().get('/v1/stats').set('X-Request-Id', 'mine_1.2-3');
    expect(headers['x-request-id']).toBe('mine_1.2-3');
    expect(test.log.some((line) => line.includes('mine_1.2-3'))).toBe(true);
  });

  it.each(['x'.repeat(65), 'with space', 'a"b', '<script>', 'dau_live_a'])(
    'is made anew when %p is offered',
    async (offered) => {
      const { headers } = await test.caller().get('/v1/stats').set('X-Request-Id', offered);
      expect(headers['x-request-id']).toMatch(UUID);
    },
  );
});

describe('what is never logged', () => {
  it('the query, the Authorization header and the address of the caller', async () => {
    await test
      .caller()
      .get('/v1/suggest?q=verysecretname')
      .set('Authorization', 'Bearer very-secret-key')
      .set('Cookie', 'session=very-secret-cookie')
      .set('X-Forwarded-For', '203.0.113.77');
    const log = test.log.join('');
    expect(log).toContain('/v1/suggest');
    expect(log).not.toMatch(/verysecret|very-secret|203\.0\.113\.77/);
  });
});

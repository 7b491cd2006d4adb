import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { MCP_IDENTITY } from '../../src/mcp/mcp-identity.js';
import { WITH_KEYS, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { DEPRECATIONS } from '../../src/access/deprecations.js';
import { connectAgent } from '../support/mcp.js';
import { AI_CATALOG, SERVER_CARD, SERVER_JSON } from '../support/mcp-registry-schema.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ TIERS: JSON.stringify({ demo: { recordsPerMinute: 7 } }) });
});
afterAll(() => test.close());

function faultsOf(schema: object, document: unknown): unknown {
  const validate = addFormats.default(new Ajv2020.default({ strict: false })).compile(schema);
  return validate(document) ? null : validate.errors;
}

// What the published schemas of both documents ask for.
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

describe('GET /llms.txt', () => {
  it('tells of both doors, the limits in force and every failure', async () => {
    const { text, headers } = await test.caller().get('/llms.txt').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
    expect(text).toMatch(/^# Bowerbird\n\n> /);
    expect(text).toContain('7 domain records and 60 requests a minute');
    for (const code of Object.keys(ERROR_CODES)) expect(text).toContain(`\`${code}\``);
    const agent = await connectAgent(test.url, 'client 2.x, 2026-07-28');
    for (const tool of (await agent.client.listTools()).tools)
      expect(text).toContain(`- \`${tool.name}\`: ${tool.description}`);
    await agent.close();
    const { body } = await test.caller().get('/v1/openapi.json');
    for (const path of Object.keys(body.paths)) expect(text).toContain(`\`GET ${path}\``);
    expect(text).toContain('No key is needed');
    expect(text).not.toMatch(/api\/v1|sign-up|Bearer KEY`/);
  });

  it.each([
    { webhooks: 'on', environment: WITH_WEBHOOKS, addresses: 12 },
    { webhooks: 'off', environment: WITH_KEYS, addresses: 0 },
  ])('tells of keys and of all that they open, WEBHOOKS=$webhooks', async ({ environment, addresses }) => {
    const keyed = await startTestApp({ ...environment, TIERS: '{"starter":{"recordsPerMinute":123}}' });
    const { text } = await keyed.caller().get('/llms.txt').expect(200);
    for (const document of ['/v1/openapi.json', '/api/v1/openapi.json']) {
      expect(text).toContain(`(https://bowerbird.example${document})`);
      const { body } = await keyed.caller().get(document).expect(200);
      for (const [path, item] of Object.entries<object>(body.paths))
        for (const method of Object.keys(item)) expect(text).toContain(`\`${method.toUpperCase()} ${path}\``);
    }
    expect(text.match(/^- `[A-Z]+ \/api\/v1\/webhooks/gm) ?? []).toHaveLength(addresses);
    expect(text).not.toContain('No key is needed');
    expect(text).toContain('Without a key: 5 domain records and 60 requests a minute');
    expect(text).toContain('`Authorization: Bearer KEY`');
    expect(text).toContain('| records a minute | 5 | 100 | 123 | 600 | 6,000 |');
    await namesAddressesThatExist(keyed);
    await keyed.close();
  });

  it('names addresses that exist', () => namesAddressesThatExist(test));

  async function namesAddressesThatExist({ caller }: TestApp): Promise<void> {
    const { text } = await caller().get('/llms.txt');
    const addresses = [...text.matchAll(/\]\(https:\/\/bowerbird\.example(\/[^)]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const path of addresses) {
      const { status } = await caller().get(path).redirects(1);
      // The endpoints themselves take POST only.
      expect([path, status]).toEqual([path, path.startsWith('/mcp') ? 405 : 200]);
    }
  }
});

describe('GET /', () => {
  it('says what there is, with links that lead somewhere', async () => {
    for (const request of [
      test.caller().get('/'),
      test.caller().get('/').set('Accept', '*/*'),
      test.caller().get('/').set('Accept', 'application/json, text/html;q=0.5'),
    ]) {
      const { body, headers } = await request.expect(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        vary: expect.stringContaining('Accept'),
      });
      expect(body).toMatchObject({ name: 'Bowerbird', version: MCP_IDENTITY.version });
    }
    const { body } = await test.caller().get('/').expect(200);
    expect(body.links.map(({ name }: { name: string }) => name)).not.toContain('sign-up');
    for (const { href } of body.links) {
      const path = href.replace('https://bowerbird.example', '');
      const { status } = await test.caller().get(path).redirects(1);
      expect([path, status]).toEqual([path, path === '/mcp' ? 405 : 200]);
    }
  });

  it('is a page for whoever names HTML', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { headers } = await test.caller().get('/').set('Accept', browser).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: expect.stringContaining('Accept'),
    });
  });
});

describe('GET /changelog', () => {
  it('shows the table of deprecations', async () => {
    const { text } = await test.caller().get('/changelog').expect(200);
    for (const { operation, since } of DEPRECATIONS) expect(text).toContain(`${operation}</td><td>${since}`);
    expect(text).toContain('at least 90 days');
  });
});

describe('GET /server.json', () => {
  it('is the entry for the MCP registry', async () => {
    const { body } = await test.caller().get('/server.json').expect(200);
    expect(body).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'example.bowerbird/bowerbird',
      title: MCP_IDENTITY.title,
      description: MCP_IDENTITY.description,
      version: MCP_IDENTITY.version,
      websiteUrl: 'https://bowerbird.example',
      remotes: [{ type: 'streamable-http', url: 'https://bowerbird.example/mcp' }],
    });
    expect(body.name).toMatch(NAME);
    expect(faultsOf(SERVER_JSON, body)).toBeNull();
  });

  it.each([
    ['http://localhost:3000', 'localhost/bowerbird'],
    ['http://127.0.0.1:3000', '127.0.0.1/bowerbird'],
    ['http://[::1]:3000', 'localhost/bowerbird'],
    ['https://api.names.com.au', 'au.com.names.api/bowerbird'],
  ])('of a service at %s is called %s', async (BASE_URL, name) => {
    const lone = await startTestApp({ BASE_URL });
    const { body } = await lone.caller().get('/server.json').expect(200);
    expect(body).toMatchObject({ name, remotes: [{ url: `${BASE_URL}/mcp` }] });
    expect(body.name).toMatch(NAME);
    await lone.close();
  });
});

describe.each(['/mcp/server-card', '/.well-known/mcp/server-card.json'])('GET %s', (path) => {
  it('is the server card, with the revisions that the server speaks', async () => {
    const { text, headers } = await test.caller().get(path).expect(200);
    expect(headers['content-type']).toBe('application/mcp-server-card+json; charset=utf-8');
    expect(headers['access-control-allow-origin']).toBe('*');
    const card = JSON.parse(text);
    expect(card).toMatchObject({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'example.bowerbird/bowerbird',
      remotes: [{ type: 'streamable-http', url: 'https://bowerbird.example/mcp' }],
    });
    expect(card.remotes[0].supportedProtocolVersions).toEqual(
      expect.arrayContaining(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']),
    );
    expect(card).not.toHaveProperty('tools');
    expect(faultsOf(SERVER_CARD, card)).toBeNull();
    expect(headers['access-control-expose-headers']).toContain('ETag');
  });

  it('is not sent again to those who have it', async () => {
    const first = await test.caller().get(path).expect(200);
    await test.caller().get(path).set('If-None-Match', String(first.headers.etag)).expect(304);
  });
});

describe('GET /.well-known/ai-catalog.json', () => {
  it('leads to the server card, which is there with the type that the entry names', async () => {
    const { text, headers } = await test.caller().get('/.well-known/ai-catalog.json').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/ai-catalog+json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    });
    const catalog = JSON.parse(text);
    expect(faultsOf(AI_CATALOG, catalog)).toBeNull();
    const [{ identifier, type, url }] = catalog.entries;
    expect(identifier).toBe('urn:air:bowerbird.example:mcp:bowerbird');
    const card = await test.caller().get(new URL(url).pathname).set('Accept', type).expect(200);
    expect(card.headers['content-type']).toContain(type);
    await test
      .caller()
      .get('/.well-known/ai-catalog.json')
      .set('If-None-Match', String(headers.etag))
      .expect(304);
  });
});

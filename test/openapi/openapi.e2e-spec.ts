import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/app/operations.js';
import { addKey, WITH_KEYS, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { connectAgent } from '../support/mcp.js';
import { WITH_ORDERS } from '../support/orders.js';

// The demo's two documents, the two of a service with accounts, and one that is no file: with orders as well.
const WITH_ALL = { ...WITH_WEBHOOKS, EXPORTS: 'on' };
const DOCUMENTS = [
  { address: '/v1/openapi.json', file: 'openapi.json', environment: {} },
  { address: '/api/v1/openapi.json', file: 'openapi.planned.json', environment: {} },
  { address: '/v1/openapi.json', file: 'openapi.keys.json', environment: WITH_ALL },
  { address: '/api/v1/openapi.json', file: 'openapi.planned.keys.json', environment: WITH_ALL },
  { address: '/api/v1/openapi.json', file: null, environment: { ...WITH_ALL, ...WITH_ORDERS } },
];

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: { name: string; example?: unknown; schema: object }[];
  responses: Record<string, Response>;
  security?: Record<string, string[]>[];
  'x-codeSamples': { label: string; source: string }[];
}
interface Response {
  description: string;
  headers?: object;
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
}
interface Document {
  openapi: string;
  info: { description: string };
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: Record<string, object> }>;
    securitySchemes?: Record<string, object>;
  };
}

describe.each(DOCUMENTS)('GET $address as $file', ({ address, file, environment }) => {
  let test: TestApp;
  let document: Document;
  let operations: Operation[];
  beforeAll(async () => {
    test = await startTestApp(environment);
    document = (await test.caller().get(address).expect(200)).body;
    operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  });
  afterAll(() => test.close());

  it('is the published contract (npm run contract writes it anew)', () => {
    if (file === null) return;
    if (process.env.UPDATE_CONTRACT)
      writeFileSync(resolve(__dirname, file), `${JSON.stringify(document, null, 2)}\n`);
    expect(document).toEqual(JSON.parse(readFileSync(resolve(__dirname, file), 'utf8')));
  });

  it('is OpenAPI 3.1 without the words of 3.0', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(JSON.stringify(document)).not.toMatch(/"nullable":|"exclusiveM(ax|in)imum":(true|false)/);
  });

  it('names its own addresses only, each operation once', () => {
    const prefix = address.replace('openapi.json', '');
    expect(Object.keys(document.paths).filter((path) => !path.startsWith(prefix))).toEqual([]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });

  it('describes every operation, answer and failure, with examples', () => {
    for (const { summary, description, responses } of operations) {
      expect([summary, description]).not.toContain(undefined);
      const statuses = Object.keys(responses);
      expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415', '429', '431', '500', '503']));
      // A part of a file is the same success.
      expect(statuses.filter((status) => /^2(?!06)/.test(status))).toHaveLength(1);
      for (const [status, { description: text, headers, content = {} }] of Object.entries(responses)) {
        expect(text).not.toBe('');
        if (status >= '400') expect(Object.keys(content)).toEqual(['application/json']);
        expect(headers).toHaveProperty('X-Request-Id');
        if (status === '401') expect(headers).toHaveProperty('WWW-Authenticate');
        if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
      }
    }
  });

  it('says of every answer either what is left of the budget or how to ask for changes only', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const { get } = item;
      if (!get) continue;
      const tellsBudget = 'RateLimit' in (get.responses[200]?.headers ?? {});
      // Calendars are asked for again and again: one that the caller has costs nothing.
      const isRepeatable = !tellsBudget || path.endsWith('.ics');
      expect([path, 'ETag' in (get.responses[200]?.headers ?? {})]).toEqual([path, isRepeatable]);
      for (const status of ['304', '412'])
        expect([path, status, status in get.responses]).toEqual([path, status, isRepeatable]);
    }
  });

  it('names no security scheme that it does not define', () => {
    const named = [document.security, ...operations.map(({ security = [] }) => security)].flat();
    const schemes = Object.keys(document.components.securitySchemes ?? {});
    expect(schemes).toEqual(expect.arrayContaining(named.flatMap((scheme) => Object.keys(scheme))));
  });

  it('names its schemas without the words of the code', () => {
    expect(Object.keys(document.components.schemas).filter((name) => /Dto$/.test(name))).toEqual([]);
  });

  it('gives no field of a body a default, which generated clients would take for a field that is always there', () => {
    const fields = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, property]) => ({ name: `${name}.${field}`, property })),
    );
    expect(fields.filter(({ property }) => 'default' in property).map(({ name }) => name)).toEqual([]);
  });

  it('shows each operation in three languages, at its own address', () => {
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item)) {
        const samples = operation['x-codeSamples'];
        expect(samples.map(({ label }) => label)).toEqual(['curl', 'JavaScript', 'Python']);
        const start = `https://bowerbird.example${path.replace(/\{.*/, '')}`;
        for (const { source } of samples) expect(source).toContain(start);
        expect(samples.every(({ source }) => !/[{]\w+[}](?!`)|undefined/.test(source))).toBe(true);
        if (method !== 'get') expect(samples[0]?.source).toContain(`-X ${method.toUpperCase()}`);
      }
  });

  it('its examples are valid against its schemas', () => {
    const ajv = addFormats.default(new Ajv2020.default({ strict: false }));
    ajv.addSchema(document, 'document');
    const bodies = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((r) => Object.values(r.content ?? {})),
    );
    const shown = bodies.flatMap(({ schema, examples = {} }) =>
      Object.values(examples).map(({ value }) => ({
        schema: JSON.stringify(schema),
        value: JSON.stringify(value),
      })),
    );
    const different = new Map(shown.map((one) => [one.schema + one.value, one]));
    expect(different.size).toBeGreaterThan(10);
    for (const { schema, value } of different.values()) {
      const validate = ajv.compile(JSON.parse(schema.replaceAll('"#/', '"document#/')));
      expect({ valid: validate(JSON.parse(value)), errors: validate.errors }).toEqual({
        valid: true,
        errors: null,
      });
    }
  });

  it('shows every failure that an operation names', () => {
    for (const { responses } of operations)
      for (const [status, { description: text, content = {} }] of Object.entries(responses)) {
        if (status < '400') continue;
        const codes = [...text.matchAll(/`(\w+)`: /g)].map(([, code]) => code);
        expect(Object.keys(content['application/json']?.examples ?? {}).sort()).toEqual(codes.sort());
      }
  });

  it('says the same as YAML, with the type of RFC 9512', async () => {
    const yaml = await test
      .caller()
      .get(address.replace('.json', '.yaml'))
      .buffer(true)
      .parse((response, done) => {
        // A character can lie across two chunks.
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks).toString()));
      })
      .expect(200);
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(yaml.headers.etag).toMatch(/^W\//);
    expect(load(String(yaml.body))).toEqual(document);
  });

  it('is cheap to ask for again', async () => {
    const { headers } = await test.caller().get(address);
    await test.caller().get(address).set('If-None-Match', String(headers.etag)).expect(304);
  });
});

describe('the document of a service with keys', () => {
  let test: TestApp;
  let document: Document;
  beforeAll(async () => {
    test = await startTestApp({
      ...WITH_WEBHOOKS,
      TERMS_URL: 'https://terms.example/',
      TIERS: '{"pro":{"recordsPerMinute":1234}}',
    });
    document = (await test.caller().get('/api/v1/openapi.json').expect(200)).body;
  });
  afterAll(() => test.close());

  it.each([
    ['/api/v1/dropped', ['read']],
    ['/api/v1/usage', []],
    ['/api/v1/webhooks', ['webhooks']],
  ])('demands one for %s, with the scopes %j', (path, scopes) => {
    expect(document.paths[path]?.get?.security).toEqual([{ apiKey: scopes }]);
  });

  it('leaves it to the caller elsewhere', () => {
    expect(document.security).toEqual([{}, { apiKey: ['read'] }]);
    expect(document.paths['/api/v1/search']?.get?.security).toEqual([{}, { apiKey: ['read'] }]);
  });

  it('names the terms of service where the operator has them, and the whole in one text', () => {
    expect(document).toMatchObject({
      info: { termsOfService: 'https://terms.example/' },
      externalDocs: { url: 'https://bowerbird.example/llms.txt' },
    });
  });

  it('tells what the tiers in force have', () => {
    expect(document.info.description).toContain('| tier | demo | member | starter | pro | firehose |');
    expect(document.info.description).toContain('| records a minute | 5 | 100 | 120 | 1,234 | 6,000 |');
    expect(document.info.description).toContain('| webhooks | no | no | no | yes | yes |');
  });

  it('promises no webhooks where they are switched off', async () => {
    const without = await startTestApp(WITH_KEYS);
    const { body } = await without.caller().get('/api/v1/openapi.json').expect(200);
    expect(body.info.description).toContain('| webhooks | no | no | no | no | no |');
    await without.close();
  });
});

describe.each(['/v1/docs', '/api/v1/docs'])('GET %s', (path) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('leaves what may be left out empty, but for q, keeps the key, and without a script names the document', async () => {
    const { text } = await test.caller().get(path).expect(200);
    const noscript = /<noscript>.*<\/noscript>/s.exec(text)?.[0] ?? '';
    const [, address = ''] = /href="([^"]+openapi\.json)"/.exec(noscript) ?? [];
    const { body: published } = await test.caller().get(address).expect(200);
    const { text: script } = await test.caller().get(`${path}/swagger-ui-init.js`).expect(200);
    expect(script).toContain('"persistAuthorization": true');
    const shown = JSON.parse(/"swaggerDoc": (\{.*?\n {2}\}),\n {2}"customOptions"/s.exec(script)?.[1] ?? '');
    const filled = (document: OpenAPIObject) =>
      operationsOf(document.paths).flatMap(({ parameters = [] }) =>
        parameters.flatMap((one) =>
          !('$ref' in one) && !one.required && /"(example|default)":/.test(JSON.stringify(one.schema))
            ? [one.name]
            : [],
        ),
      );
    expect(filled(published).length).toBeGreaterThan(1);
    expect(new Set(filled(shown))).toEqual(new Set(['q']));
  });

  it('serves Swagger UI under a policy that lets its own scripts run and no others', async () => {
    const { text, headers } = await test.caller().get(path).expect(200);
    const policy = headers['content-security-policy'];
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes = '', inline = ''] of scripts) {
      expect(inline.trim()).toBe('');
      const source = /src="([^"]+)"/.exec(attributes)?.[1] ?? '';
      await test
        .caller()
        .get(new URL(source, `${test.url}${path}/`).pathname)
        .expect(200);
    }
  });
});

it('the tools of /mcp are the published ones (npm run contract writes them)', async () => {
  const test = await startTestApp(WITH_ALL);
  const { bearer } = await addKey(test.database, { tier: 'pro' });
  const agent = await connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
  const { tools } = await agent.client.listTools();
  await agent.close();
  await test.close();
  const schemas = tools.map(({ name, inputSchema, outputSchema }) => ({ name, inputSchema, outputSchema }));
  const file = resolve(__dirname, 'mcp.json');
  if (process.env.UPDATE_CONTRACT) writeFileSync(file, `${JSON.stringify(schemas, null, 2)}\n`);
  expect(schemas).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

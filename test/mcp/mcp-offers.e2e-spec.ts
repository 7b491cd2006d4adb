import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SUFFIXES } from '../../src/domains/schema/domain.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { MCP_IDENTITY, MCP_INSTRUCTIONS } from '../../src/mcp/mcp-identity.js';
import { TIER_NAMES } from '../../src/config/tiers.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { addDomains, VOUCHED_AT } from '../support/domains.js';
import { importVouched } from '../support/import.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { type Agent, connectAgent, LIBRARIES } from '../support/mcp.js';

const TOOLS = ['check_domain', 'suggest_domains', 'dataset_stats', 'register_domain', 'upcoming_drops'];
const KEYED_TOOLS = [
  'search_domains',
  'check_domains',
  'dropped_since',
  'domain_report',
  'list_filters',
  'usage',
];

/** The row of the tier table as it is published. */
const DEMO = {
  key_required: false,
  records_per_minute: 5,
  quota: null,
  requests_per_minute: 60,
  page_size: 1,
  paging: false,
  fields: 'restricted',
  feed: false,
  webhooks: false,
  export: false,
};

let test: TestApp;
let document: OpenAPIObject;
beforeAll(async () => {
  test = await startTestApp();
  document = (await test.caller().get('/v1/openapi.json').expect(200)).body;
});
afterAll(() => test.close());

describe.each(LIBRARIES)('what %s finds', (library) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(test.url, library);
  });
  afterAll(() => agent.close());

  it('a server that says who it is, what it offers and in which order to use it', () => {
    expect(agent.client.getServerVersion()).toMatchObject({
      name: 'bowerbird',
      version: MCP_IDENTITY.version,
      websiteUrl: 'https://bowerbird.example',
    });
    expect(agent.client.getInstructions()).toBe(
      `${MCP_INSTRUCTIONS}\nThe registry is a sandbox: its answers are made up.`,
    );
    // Nothing changes while a client listens, so nobody is invited to listen.
    expect(agent.client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
      completions: {},
    });
  });

  it('five tools, in one order, each with a title, a description that names its cost, and honest hints', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { title, description, annotations } of tools) {
      expect(title).toBeTruthy();
      expect(description).toMatch(/Costs? /);
      expect(description).toMatch(/[Uu]se it/);
      expect(description).toMatch(/does not|buys nothing|not by meaning|nobody can/);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
    const world = tools.map(({ annotations }) => annotations?.openWorldHint);
    expect(world).toEqual([true, false, false, true, false]);
    expect(await agent.client.listTools()).toEqual(await agent.client.listTools());
  });

  it.each([
    ['suggest_domains', '/v1/suggest', 'SuggestResult'],
    ['check_domain', '/v1/domains/check', 'CheckResult'],
    ['dataset_stats', '/v1/stats', 'Stats'],
  ])('%s takes and gives what %s is described with', async (name, path, component) => {
    const { tools } = await agent.client.listTools();
    const tool = tools.find((each) => each.name === name);
    const parameters = document.paths[path]?.get?.parameters ?? [];
    for (const parameter of parameters) {
      if ('$ref' in parameter) throw new Error('parameters are written out');
      // JSON Schema has a list of examples where OpenAPI has one.
      const words = Object.entries({ ...parameter.schema, description: parameter.description });
      const expected = words.map(([word, value]) =>
        word === 'example' ? ['examples', [value]] : [word, value],
      );
      expect(tool?.inputSchema.properties?.[parameter.name]).toEqual(Object.fromEntries(expected));
    }
    const own = name === 'suggest_domains' ? ['compact', 'describe', 'ideas'] : [];
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toHaveLength(parameters.length + own.length);
    expect(tool?.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const schema = document.components?.schemas?.[component];
    if (!schema || '$ref' in schema) throw new Error(`${component} is described`);
    expect(tool?.outputSchema).toMatchObject({ type: 'object' });
    const whole = own.length > 0 ? Object(tool?.outputSchema).anyOf[0] : tool?.outputSchema;
    expect(whole).toMatchObject({ required: schema.required });
    expect(Object.keys(whole.properties)).toEqual(Object.keys(schema.properties ?? {}));
    expect(JSON.stringify(tool)).not.toMatch(/\$ref|"example":|"nullable":/);
  });

  it('four resources, in one order, that say what REST and the tables say', async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'bowerbird://stats',
      'bowerbird://tiers',
      'bowerbird://errors',
      'bowerbird://openapi',
    ]);
    const read = async (name: string) => {
      const { contents } = await agent.client.readResource({ uri: `bowerbird://${name}` });
      const [first] = contents;
      if (!first || !('text' in first)) throw new Error('a resource is one text');
      expect(first).toMatchObject({ uri: `bowerbird://${name}`, mimeType: 'application/json' });
      return JSON.parse(first.text);
    };
    expect(await read('stats')).toEqual((await test.caller().get('/v1/stats')).body);
    // Without keys everybody is the demo tier, and there is no other.
    expect(await read('tiers')).toEqual({ demo: DEMO });
    expect(await read('errors')).toEqual(ERROR_CODES);
    expect(await read('openapi')).toEqual(document);
    await expect(read('secrets')).rejects.toMatchObject({ data: { uri: 'bowerbird://secrets' } });
  });

  it('a prompt from a business idea to a name, which quotes the idea and is no way around its limits', async () => {
    const { prompts } = await agent.client.listPrompts();
    expect(prompts).toMatchObject([
      { name: 'find_a_name', arguments: [{ name: 'business_idea', required: true }, { name: 'tld' }] },
    ]);
    const ask = (given: Record<string, string>) =>
      agent.client.getPrompt({ name: 'find_a_name', arguments: given });
    const { messages } = await ask({ business_idea: 'A "mobile" coffee cart\nin Hobart', tld: 'com.au' });
    const [message] = messages;
    if (message?.content.type !== 'text') throw new Error('the prompt is one text');
    for (const words of ['"A \\"mobile\\" coffee cart\\nin Hobart"', 'tld "com.au"', ...TOOLS.slice(0, 2)])
      expect(message.content.text).toContain(words);
    await expect(ask({})).rejects.toMatchObject({ code: -32602 });
    await expect(ask({ business_idea: 'x'.repeat(501) })).rejects.toMatchObject({ code: -32602 });
    await expect(ask({ business_idea: 'x', tld: 'com' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`tld must be one of ${SUFFIXES.join(', ')}`),
    });
    // A form sends what was not filled in as empty text.
    expect(await ask({ business_idea: 'x', tld: '' })).toEqual(await ask({ business_idea: 'x' }));
  });

  it.each([
    ['', [...SUFFIXES]],
    ['A', ['asn.au', 'au']],
    ['com', ['com.au']],
    ['.', [...SUFFIXES]],
    ['.Co', ['com.au']],
    ['gov', []],
  ])('that tld %p completes to %j', async (value, values) => {
    const ref = { type: 'ref/prompt' as const, name: 'find_a_name' };
    const { completion } = await agent.client.complete({ ref, argument: { name: 'tld', value } });
    expect(completion).toEqual({ values, total: values.length, hasMore: false });
    const other = await agent.client.complete({ ref, argument: { name: 'business_idea', value } });
    expect(other.completion.values).toEqual([]);
  });

  it.each([
    { type: 'ref/prompt' as const, name: 'find_a_house' },
    { type: 'ref/resource' as const, uri: 'bowerbird://secrets' },
    { type: 'ref/resource' as const, uri: 'bowerbird://secrets/{id}' },
  ])('that nothing completes for %j, which there is not', async (ref) => {
    const asked = agent.client.complete({ ref, argument: { name: 'tld', value: 'c' } });
    await expect(asked).rejects.toMatchObject({ code: -32602 });
  });
});

describe.each(LIBRARIES)('what %s finds where there are keys', (library) => {
  let keyed: TestApp;
  let agent: Agent;
  beforeAll(async () => {
    keyed = await startTestApp({ ...WITH_KEYS, TIERS: '{"starter":{"pageSize":33}}' });
    agent = await connectAgent(keyed.url, library);
  });
  afterAll(async () => {
    await agent.close();
    await keyed.close();
  });
  const read = async (uri: string) => {
    const { contents } = await agent.client.readResource({ uri });
    const [first] = contents;
    if (!first || !('text' in first)) throw new Error('a resource is one text');
    return JSON.parse(first.text);
  };

  it('the documents of both layouts', async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri).slice(3)).toEqual([
      'bowerbird://openapi',
      'bowerbird://openapi/api-v1',
    ]);
    for (const [uri, path] of [
      ['bowerbird://openapi', '/v1/openapi.json'],
      ['bowerbird://openapi/api-v1', '/api/v1/openapi.json'],
    ] as const)
      expect(await read(uri)).toEqual((await keyed.caller().get(path).expect(200)).body);
  });

  it('every tier in force, without what is switched off', async () => {
    const tiers = await read('bowerbird://tiers');
    expect(Object.keys(tiers)).toEqual(TIER_NAMES);
    expect(tiers).toMatchObject({
      demo: DEMO,
      starter: { key_required: true, page_size: 33, quota: { period: 'month', records: 100_000 } },
      firehose: { feed: true, webhooks: false },
    });
  });
});

describe('what revision 2026-07-28 adds', () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${test.url}/mcp`)));
  });
  afterAll(() => client.close());

  it('how long the lists and the resources may be kept, and that everybody gets the same', async () => {
    const hour = { ttlMs: 3_600_000, cacheScope: 'public' };
    expect(await client.listTools()).toMatchObject(hour);
    expect(await client.listPrompts()).toMatchObject(hour);
    expect(await client.listResources()).toMatchObject(hour);
    expect(await client.readResource({ uri: 'bowerbird://tiers' })).toMatchObject(hour);
    expect(await client.readResource({ uri: 'bowerbird://stats' })).toMatchObject({ ...hour, ttlMs: 60_000 });
  });

  it('a subscription is acknowledged as empty and ended at once: no stream stays open', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { notifications: { toolsListChanged: true, resourcesListChanged: true }, _meta: meta };
    const response = await fetch(`${test.url}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
    });
    // Reading to the end is the proof: a stream that stays open would time the test out.
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, text = '']) =>
      JSON.parse(text),
    );
    expect(events).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 7, result: { resultType: 'complete' } },
    ]);
  });
});

describe('what an agent with a key finds', () => {
  let keyed: TestApp;
  let agent: Agent;
  beforeAll(async () => {
    keyed = await startTestApp(WITH_KEYS);
    const { bearer } = await addKey(keyed.database, { tier: 'pro' });
    agent = await connectAgent(keyed.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
  });
  afterAll(async () => {
    await agent.close();
    await keyed.close();
  });

  it('more tools, said in the instructions, and not for others to keep', async () => {
    const listed = await agent.client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual([...TOOLS, ...KEYED_TOOLS]);
    expect(listed).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private' });
    for (const { inputSchema, outputSchema, description } of listed.tools) {
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect(description).toMatch(/Costs? /);
    }
    for (const name of KEYED_TOOLS) expect(agent.client.getInstructions()).toContain(name);
    expect(agent.client.getInstructions()).toContain('The registry is a sandbox: its answers are made up.');
    const stranger = await connectAgent(keyed.url, 'sdk 1.x');
    expect((await stranger.client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    await stranger.close();
  });

  it('lists that say where a sandbox confirmed a name of them', async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const ask = () => agent.call('dropped_since', { since });
    await importVouched(keyed.database, 'domain,wayback\nreal-drop.com.au,5\n', { now: new Date() });
    expect((await ask()).text).not.toHaveProperty('note');
    await importVouched(keyed.database, 'domain,wayback\nmade-up-drop.com.au,5\n', {
      now: new Date(),
      vouch: { by: 'sandbox', at: VOUCHED_AT },
    });
    const made = 'The registry is a sandbox: its answers are made up.';
    expect((await ask()).text).toMatchObject({ count: 2, note: made });
    const found = await agent.call('suggest_domains', { q: 'made-up-drop', compact: true });
    expect(found.text).toMatchObject({ count: 1, note: made });
    expect((await agent.call('search_domains', { q: 'made-up-drop' })).text).toMatchObject({ note: made });
    const checked = await agent.call('check_domains', { domains: ['made-up-drop.com.au'] });
    expect(checked.text).toMatchObject({ results: [{ state: expect.any(String) }], note: made });
  });

  it('names for a sentence, and close ones, each with its reason', async () => {
    await addDomains(
      keyed.database,
      ['platypus-roastery.com.au', 'platypus-espresso.com.au'].map((domain) => ({
        ...{ domain, wayback: 7, first_seen: null, available: true, hidden: false },
      })),
    );
    const described = await agent.call('suggest_domains', { describe: 'a roastery with a platypus' });
    expect(described.text.results).toContainEqual({
      ...{ domain: 'platypus-roastery.com.au', wayback: 7 },
      why: expect.stringContaining('platypus'),
    });
    const close = await agent.call('suggest_domains', { q: 'platypus-roastery', tld: 'net.au', ideas: true });
    expect(close.text).toMatchObject({
      results: [],
      ideas: expect.arrayContaining([
        expect.objectContaining({ domain: 'platypus-roastery.com.au', why: expect.any(String) }),
      ]),
    });
    expect(close.text.count).toBe((close.text.ideas as unknown[]).length);
    const both = await agent.call('suggest_domains', { q: 'platypus', describe: 'a roastery' });
    expect(JSON.stringify(both.text)).toContain('describe and q exclude each other');
  });

  it('rows without links, which cost no more than 35 tokens each', async () => {
    const names = Array.from({ length: 20 }, (_, place) => ({
      domain: `thirsty-koala-coffee-${place}.com.au`,
      wayback: 12_345 - place,
      first_seen: '2026-11-18',
    }));
    await addDomains(
      keyed.database,
      names.map((name) => ({ ...name, available: true, hidden: false })),
    );
    const { text } = await agent.call('suggest_domains', { q: 'koala', limit: 20, compact: true });
    expect(text).toMatchObject({
      count: 20,
      register_url: expect.stringContaining('thirsty-koala-coffee-0'),
    });
    expect(text.results).toEqual(names);
    const searched = await agent.call('search_domains', { q: 'koala', tld: ['com.au'], per_page: 20 });
    expect(searched.text.results).toEqual(names);
    // The o200k tokenizer makes 30 tokens of such a row, and 34 of one with a moment.
    expect(Math.max(...names.map((row) => JSON.stringify(row).length))).toBe(85);
  });
});

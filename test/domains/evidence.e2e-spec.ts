import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addInState } from '../support/domains.js';
import { connectAgent } from '../support/mcp.js';

const LISTED = {
  list_kind: 'deleted',
  listed_at: '2026-11-19T04:00:00.000Z',
  purge_at: '2026-11-20T03:00:00.000Z',
};
const UNASKED = { ...LISTED, state: 'listed', confirmed: false, confirmed_by: null, checked_at: null };
const RESCUED = {
  ...LISTED,
  ...{ state: 'rescued', confirmed: true, confirmed_by: 'sandbox', checked_at: expect.any(String) },
};
const NAMES = ['one', 'two', 'three', 'four'].map((word) => `held-${word}.com.au`);

const LOOKED_AT = new Date('2026-11-20T05:00:00Z');

describe('how the dataset knows is said at every door', () => {
  let test: TestApp;
  let bearer: string;
  beforeAll(async () => {
    const held = NAMES.map((name) => [name, 'registered'] as const);
    const answers = new Map([...held, ['again.com.au', 'available'] as const]);
    test = await startTestApp(WITH_KEYS, undefined, answers);
    ({ bearer } = await addKey(test.database, { tier: 'pro' }));
    await addInState(test.database, [
      ...NAMES.map((domain) => ({ domain, state: 'listed' as const })),
      { domain: 'again.com.au', state: 'taken', confirmedBy: 'rdap', checkedAt: LOOKED_AT },
      {
        domain: 'free.com.au',
        state: 'available',
        confirmedBy: 'vouched:registrar-x',
        checkedAt: LOOKED_AT,
      },
    ]);
  });
  afterAll(() => test.close());
  const get = (path: string) => test.caller().get(path).set('Authorization', bearer).expect(200);
  const pageOf = async (domain: string) => (await get(`/domains/${domain}`)).text;

  it('report, search and page: listed by whom and when, and that nobody has confirmed it', async () => {
    expect((await get('/api/v1/domains/held-one.com.au')).body).toMatchObject(UNASKED);
    const { body } = await get('/api/v1/search?state=listed&q=held-one');
    expect(body.results).toEqual([expect.objectContaining(UNASKED)]);
    const page = await pageOf('held-one.com.au');
    for (const words of [
      '>Due to drop</span> <span class="small">The drop list said so <time',
      '<dd>deleted, 19 Nov 2026',
    ])
      expect(page).toContain(words);
    expect(page).not.toContain('made up');
  });

  it('a check: what the registry says, and what the dataset has made of it, to full fields', async () => {
    const { body } = await get('/api/v1/domains/check?domain=held-two.com.au');
    expect(body.dataset).toEqual({ ...RESCUED, checked_at: body.registry.checked_at });
    expect((await get('/api/v1/domains/check?domain=held-two.com.au')).body.dataset).toEqual(body.dataset);
    expect((await get('/api/v1/domains/check?domain=nobody-has-it.com.au')).body.dataset).toBeNull();
    const { body: demo } = await test.caller().get('/v1/domains/check?domain=held-two.com.au').expect(200);
    expect(demo).not.toHaveProperty('dataset');
  });

  it('whoever asks live about a taken name that is free hears so at once; the dataset waits for a second answer', async () => {
    const { body } = await get('/api/v1/domains/check?domain=again.com.au');
    expect(body).toMatchObject({
      ...{ registered: false, available: true, register_url: expect.any(String) },
      dataset: { state: 'taken', confirmed_by: 'rdap', checked_at: LOOKED_AT.toISOString() },
    });
    expect((await get('/v1/suggest?q=again')).body.count).toBe(0);
    expect((await get('/api/v1/domains/again.com.au')).body).toMatchObject({
      available: false,
      history: [{ type: 'domain.checked', registry: { source: 'sandbox', state: 'available' } }],
    });
  });

  it('the tools: the same', async () => {
    const agent = await connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
    const checked = await agent.call('check_domain', { domain: 'held-three.com.au' });
    expect(checked.text).toMatchObject({
      registry: { source: 'sandbox', checked_at: expect.any(String) },
      dataset: RESCUED,
    });
    expect(checked.structured).toEqual(checked.text);
    const suggested = await agent.call('suggest_domains', { q: 'free' });
    const word =
      'confirmed as available (by vouched:registrar-x), the one longest ago at 2026-11-20T05:00:00.000Z';
    expect(suggested.text.note).toContain(word);
    await agent.close();
  });

  it('feed and page: whose word it is, and that the sandbox made it up', async () => {
    await get('/api/v1/domains/check?domain=held-four.com.au');
    const { body } = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z&types=domain.rescued');
    const told = body.results.map(({ data }: { data: object }) => data);
    expect(told).toContainEqual(expect.objectContaining({ domain: 'held-four.com.au', ...RESCUED }));
    const page = await pageOf('held-four.com.au');
    expect(page).toContain('>Rescued</span> <span class="small">The sandbox (made up) said so <time');
  });
});

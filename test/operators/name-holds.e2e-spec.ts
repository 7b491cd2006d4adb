import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { NOT_FOUND, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

const operator = mintOperatorKey();
let test: TestApp;
let rdap: ScriptedRegistry;
let bearer: string;

beforeAll(async () => {
  rdap = await startScriptedRegistry();
  rdap.reply(NOT_FOUND);
  test = await startTestApp({
    ...WITH_KEYS,
    ...{ REGISTRY_RDAP_URL: rdap.url, OPERATOR_KEY_HASH: `alice:${operator.hash}` },
  });
  ({ bearer } = await addKey(test.database, { tier: 'pro' }));
});
afterAll(async () => {
  await test.close();
  await rdap.close();
});

const get = (path: string) => test.caller().get(path).set('Authorization', bearer);
const order = (path: string, body: object) =>
  test
    .caller()
    .post(`/ops/v1/holds${path}`)
    .auth(operator.text, { type: 'bearer' })
    .send({ reason: 'the list of the week', ...body });
const SOURCE = 'auDA, priority status tool';
const load = (names: string) => order('', { names, source: SOURCE, as_of: '2026-11-20' });
const shown = async () =>
  (await get('/api/v1/search?q=one').expect(200)).body.results.map((one: { domain: string }) => one.domain);

it('a contested name is reserved at every door, off offer, and asked about again once it is released', async () => {
  await addDomain(test.database, { domain: 'contested-one.au', wayback: 50 });
  await addDomain(test.database, { domain: 'open-one.au', wayback: 40 });
  expect(await shown()).toEqual(['contested-one.au', 'open-one.au']);
  const { body: loaded } = await load('domain,since\ncontested-one.au,2022\nelsewhere.au\n').expect(200);
  expect(loaded).toEqual({ ok: true, changed: true, held: 2, released: 0, withdrawn: 1 });
  expect(await shown()).toEqual(['open-one.au']);

  for (const domain of ['contested-one.au', 'elsewhere.au']) {
    const { body } = await get(`/v1/domains/check?domain=${domain}`).expect(200);
    expect(body).toMatchObject({
      ...{ available: false, registered: false, registrable: false, reason: 'contested' },
      registry: { state: 'reserved', source: 'reserved_names' },
      name_rule: { source: SOURCE, as_of: '2026-11-20', what: expect.stringContaining('contested') },
    });
    const { text } = await get(`/domains/${domain}`).expect(200);
    expect(text).toContain('held until one of its applicants remains');
    expect(text).toContain('(contested)');
  }
  const { body: report } = await get('/api/v1/domains/contested-one.au').expect(200);
  expect(report).toMatchObject({ available: false, registrable: false, reason: 'contested' });
  expect(rdap.asked).not.toContain('contested-one.au');

  const { body: again } = await load('elsewhere.au\n').expect(200);
  expect(again).toMatchObject({ held: 1, released: 1, withdrawn: 0 });
  const { body: free } = await get('/v1/domains/check?domain=contested-one.au').expect(200);
  expect(free).toMatchObject({ available: true, reason: null });
  const [row] = await test.database.query(
    `SELECT ask_at <= now() AS due FROM domain WHERE domain = 'contested-one.au'
     UNION ALL SELECT true FROM recheck WHERE domain = 'contested-one.au'`,
  );
  expect(row).toBeDefined();
});

it('lists are told with source and date, and a name can be released alone', async () => {
  await load('kept.com.au\nkept.au').expect(200);
  const { body } = await test
    .caller()
    .get('/ops/v1/holds')
    .auth(operator.text, { type: 'bearer' })
    .expect(200);
  expect(body.holds).toEqual(
    ['kept.au', 'kept.com.au'].map((domain) => ({
      ...{ domain, source: SOURCE, as_of: '2026-11-20' },
      what: 'contested: held until one of its applicants remains (priority allocation)',
    })),
  );
  expect((await order('/release', { domain: 'kept.au' }).expect(200)).body.changed).toBe(true);
  expect((await order('/release', { domain: 'kept.au' }).expect(200)).body.changed).toBe(false);
  expect((await get('/v1/domains/check?domain=kept.au').expect(200)).body.available).toBe(true);
  expect((await get('/v1/domains/check?domain=kept.com.au').expect(200)).body.reason).toBe('contested');
});

it('a list with a line that is no name loads nothing, and says which', async () => {
  const { body } = await load('fine.au\nnot a name\nexample.com').expect(400);
  expect(body.error).toMatchObject({
    code: 'invalid_parameter',
    message: expect.stringContaining('not a name, example.com'),
  });
  expect((await get('/v1/domains/check?domain=fine.au').expect(200)).body.reason).toBeNull();
});

it('a name on two lists is held until both let it go', async () => {
  const other = (names: string) => order('', { names, source: 'another list', as_of: '2026-11-21' });
  await load('twice.au').expect(200);
  await other('twice.au\nonce.au').expect(200);
  const { body } = await other('once.au').expect(200);
  expect(body).toMatchObject({ released: 0 });
  const { body: held } = await get('/v1/domains/check?domain=twice.au').expect(200);
  expect(held).toMatchObject({ available: false, reason: 'contested' });
  await load('elsewhere.au').expect(200);
  await other('elsewhere.au').expect(200);
});

import { observeContradictions } from '../../src/domains/lifecycle/listings/missed-answers.repository.js';
import { holdNames } from '../../src/domains/name/name-rules.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { addDrops } from '../support/drops.js';
import { importText, importVouched } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { connectAgent } from '../support/mcp.js';
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

it('at the doors for many names and for agents it is reserved as contested, and never about to drop', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000);
  await addDrops(test.database, 2, tomorrow, 'held-soon');
  await load('held-soon1.com.au\n').expect(200);
  const domain = 'held-soon1.com.au';

  const bulk = await test
    .caller()
    .post('/api/v1/domains/check?wait=30')
    .set('Authorization', bearer)
    .send({ domains: [domain] })
    .expect(200);
  expect(bulk.body.results).toMatchObject([
    { domain, status: 'answered', result: { available: false, registrable: false, reason: 'contested' } },
  ]);
  const visitor = test.caller();
  const { headers } = await visitor.post('/check').field('names', domain).expect(303);
  const { text } = await visitor.get(headers.location ?? '').expect(200);
  expect(text).toContain('held until one of its applicants remains (priority allocation) (contested)');

  const upcoming = (await get('/api/v1/drops/upcoming?q=held-soon').expect(200)).body.results;
  expect(upcoming.map((one: { data: { domain: string } }) => one.data.domain)).toEqual(['held-soon0.com.au']);
  const drops = await test.caller().get('/drops?list=due').expect(200);
  expect(drops.text).toContain('1 name drops');

  const agent = await connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
  const ask = async (tool: string, given: object) => (await agent.call(tool, { ...given })).structured;
  const rule = { source: SOURCE, as_of: '2026-11-20' };
  expect(await ask('check_domain', { domain })).toMatchObject({
    ...{ available: false, registrable: false, reason: 'contested', name_rule: rule },
  });
  expect(await ask('check_domains', { domains: [domain] })).toMatchObject({
    results: [{ domain, state: 'reserved', available: false, reason: 'contested' }],
  });
  expect(await ask('register_domain', { domain })).toMatchObject({
    ...{ available: false, register_url: null, name_rule: rule },
    reason: expect.stringContaining('contested'),
  });
  expect(await ask('domain_report', { domain })).toMatchObject({ registrable: false, reason: 'contested' });
  expect(await ask('upcoming_drops', { q: 'held-soon' })).toMatchObject({
    results: [{ domain: 'held-soon0.com.au' }],
  });
  await agent.close();
});

it('a list may have it meanwhile, and it is asked about at once when released; nobody can vouch for it', async () => {
  await load('kept-back.com.au\nvouched.com.au\n').expect(200);
  const list = 'Date,Eligible Purge Time,Domain Name\n2026-11-18,01:00:00,kept-back.com.au\n';
  expect(await importText(test.database, list)).toMatchObject({ added: 1, rejected: 0 });
  const vouched = await importVouched(test.database, 'domain\nvouched.com.au\nfine-vouched.com.au\n');
  expect(vouched.rejects).toMatchObject([{ reason: 'domain is reserved: contested' }]);
  const rowOf = (domain: string) =>
    test.database.query('SELECT state, ask_at <= now() AS due FROM domain WHERE domain = $1', [domain]);
  expect(await rowOf('kept-back.com.au')).toEqual([{ state: 'purged', due: null }]);
  expect((await get('/v1/domains/check?domain=kept-back.com.au').expect(200)).body.reason).toBe('contested');
  expect(await rowOf('kept-back.com.au')).toEqual([{ state: 'purged', due: false }]);
  await order('/release', { domain: 'kept-back.com.au' }).expect(200);
  expect(await rowOf('kept-back.com.au')).toEqual([{ state: 'purged', due: true }]);
  const { body } = await get('/v1/domains/check?domain=kept-back.com.au').expect(200);
  expect(body).toMatchObject({ available: true, reason: null });
  expect(await rowOf('kept-back.com.au')).toMatchObject([{ state: 'available' }]);
});

it('what a process writes that knows a former list is judged by the one of the database', async () => {
  for (const domain of ['late-held.au', 'late-freed.au']) await addDomain(test.database, { domain });
  const former = { domain: 'late-freed.au', what: 'contested', source: SOURCE, asOf: '2026-11-19' };
  const rowOf = (domain: string) =>
    test.database.query('SELECT state, registry_state FROM domain WHERE domain = $1', [domain]);
  await load('late-freed.au').expect(200);
  expect(await rowOf('late-freed.au')).toEqual([{ state: 'unconfirmed', registry_state: 'reserved' }]);
  await load('late-held.au').expect(200);
  // Another process, which has not read the second list.
  holdNames([former]);
  const { body: held } = await get('/v1/domains/check?domain=late-held.au').expect(200);
  expect(held).toMatchObject({ available: false, registry: { state: 'reserved', source: 'reserved_names' } });
  expect(await rowOf('late-held.au')).toEqual([{ state: 'unconfirmed', registry_state: 'reserved' }]);
  const { body: freed } = await get('/v1/domains/check?domain=late-freed.au').expect(200);
  const free = { available: true, registrable: true, reason: null, name_rule: null };
  expect(freed).toMatchObject({ ...free, registry: { state: 'available', source: 'sandbox' } });
  const { body: report } = await get('/api/v1/domains/late-freed.au').expect(200);
  expect(report).toMatchObject({ registrable: false, reason: 'contested' });
  expect(await rowOf('late-freed.au')).toEqual([{ state: 'unconfirmed', registry_state: 'available' }]);
});

it('a name whose row is locked is not counted as withdrawn, and leaves the offer afterwards', async () => {
  await addDomain(test.database, { domain: 'locked-one.au' });
  await addDomain(test.database, { domain: 'loose-one.au' });
  await test.database.transaction(async (transaction) => {
    await transaction.query(`SELECT FROM domain WHERE domain = 'locked-one.au' FOR UPDATE`);
    const { body } = await load('locked-one.au\nloose-one.au\n').expect(200);
    expect(body).toMatchObject({ held: 2, withdrawn: 1 });
  });
  const states = () =>
    test.database.query(`SELECT domain, available FROM domain WHERE domain LIKE '%-one.au' AND available`);
  expect(await states()).toContainEqual({ domain: 'locked-one.au', available: true });
  await observeContradictions(test.database, lifecycleOn(test.database), 10);
  expect(await states()).not.toContainEqual({ domain: 'locked-one.au', available: true });
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

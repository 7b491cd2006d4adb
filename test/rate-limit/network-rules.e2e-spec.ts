import { NetworkRules, readNetwork, Takers } from '../../src/access/network-rules.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';

const KEY = mintOperatorKey();
const REASON = '310 sign-ups in 20 minutes';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_KEYS,
    OPERATOR_KEY_HASH: `alice:${KEY.hash}`,
    TIERS: JSON.stringify({ demo: { listPages: 1 } }),
    PROOF_OF_WORK: 'off',
    SECURITY_CONTACT: 'mailto:abuse@bowerbird.example',
  });
});
afterAll(() => test.close());

const from = (address: string, path = '/v1/stats') => test.caller().get(path).set('X-Forwarded-For', address);
const page = (address: string) => from(address, '/').set('Accept', 'text/html');
const order = (path: string, body: object) =>
  test
    .caller()
    .post(`/ops/v1/networks/${path}`)
    .auth(KEY.text, { type: 'bearer' })
    .send({ reason: REASON, ...body });
const look = async (path: string) =>
  (await test.caller().get(`/ops/v1/${path}`).auth(KEY.text, { type: 'bearer' }).expect(200)).body;

it.each([
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['203.0.113.0/23', null],
  ['::ffff:203.0.113.7', '203.0.113.7/32'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::/44', '2001:db8::/44'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['2001::/31', null],
  ['2001:db8::/65', null],
  ['elsewhere.example', null],
  ['203.0.113.0/', null],
  ['203.0.113/24', null],
  ['203.0.113.010', null],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ['::ffff:203.0.113.7/24', null],
])('%s is the network %s', (text, network) => {
  expect(readNetwork(text)).toBe(network);
});

describe('a blocked network', () => {
  it('gets 403 at every door, until it is cleared; operators and probes pass', async () => {
    await order('block', { network: '203.0.113.0/24', hours: '2' }).expect(200);
    for (const path of ['/v1/stats', '/', '/api/v1/status', '/sign-in', '/nowhere']) {
      const { body, headers } = await from('203.0.113.9', path).expect(403);
      expect(body.error).toMatchObject({
        code: 'network_blocked',
        message: expect.stringMatching(/refused until \d{4}-\d\d-\d\dT\d\d:\d\dZ\. Write to mailto:abuse@/),
        request_id: headers['x-request-id'],
      });
      expect(headers['cache-control']).toBe('no-store');
    }
    await from('203.0.113.9:4711').expect(403);
    await from('203.0.114.9').expect(200);
    await from('203.0.113.9', '/livez').expect(200);
    await from('203.0.113.9', '/ops/v1/networks').auth(KEY.text, { type: 'bearer' }).expect(200);
    expect((await look('networks')).rules).toMatchObject([
      { network: '203.0.113.0/24', verdict: 'block', reason: REASON, set_by: 'operator:alice' },
    ]);
    expect((await order('clear', { network: '203.0.113.0/24' }).expect(200)).body.changed).toBe(true);
    expect((await order('clear', { network: '203.0.113.0/24' }).expect(200)).body.changed).toBe(false);
    await from('203.0.113.9').expect(200);
    const { entries } = await look('audit?subject=network:203.0.113.0/24');
    expect(entries.map(({ action, reason }: Record<string, string>) => [action, reason])).toEqual([
      ['network.clear', REASON],
      ['network.block', `${REASON} (2 h)`],
    ]);
  });

  it('has an end', async () => {
    await order('block', { network: '203.0.115.0/24' }).expect(200);
    await from('203.0.115.1').expect(403);
    await test.database.query('UPDATE network_rule SET ends_at = clock_timestamp()');
    await test.app.get(NetworkRules).refresh();
    await from('203.0.115.1').expect(200);
    expect((await look('networks')).rules).toEqual([]);
  });

  it('may have a part that is allowed: the narrowest rule decides', async () => {
    await order('block', { network: '2001:db8:4000::/36' }).expect(200);
    await order('allow', { network: '2001:db8:4abc:1::/64' }).expect(200);
    await from('2001:db8:4abc:2::1').expect(403);
    await from('2001:db8:4abc:1::1').expect(200);
    await from('2001:db8:5abc:1::1').expect(200);
  });

  it('of a /48 and of a /24, with parts that are blocked and allowed, whichever was said first', async () => {
    for (const [verdict, network] of [
      ['allow', '2001:db8:6000:7::/64'],
      ['block', '2001:db8:6000::/48'],
      ['allow', '203.0.117.0/24'],
      ['block', '203.0.117.64/26'],
      ['allow', '203.0.117.70'],
    ] as const)
      await order(verdict, { network }).expect(200);
    for (const [address, status] of [
      ['2001:db8:6000:ffff::1', 403],
      ['2001:db8:6000:7:8::9', 200],
      ['2001:db8:6001::1', 200],
      ['203.0.117.1', 200],
      ['203.0.117.127', 403],
      ['::ffff:203.0.117.127', 403],
      ['203.0.117.70', 200],
      ['203.0.117.128', 200],
    ] as const)
      expect([address, (await from(address)).status]).toEqual([address, status]);
    // The last word about the same network holds.
    await order('allow', { network: '2001:db8:6000::/48' }).expect(200);
    await from('2001:db8:6000:ffff::1').expect(200);
  });

  it.each(['10.0.0.0/8', '2001::/16', 'nonsense', ''])('is not %s', async (network) => {
    const { body } = await order('block', { network }).expect(400);
    expect(body.error).toMatchObject({ code: 'invalid_parameter' });
  });

  it('is known after a restart, and to other instances within ten seconds, by the clock of PostgreSQL', async () => {
    await order('block', { network: '203.0.116.0/24' }).expect(200);
    const ahead = { now: () => Promise.resolve(new Date(Date.now() + 400 * 86_400_000)) };
    const again = await startTestApp({ DATABASE_URL: test.databaseUrl }, ahead);
    const there = (address: string) => again.caller().get('/v1/stats').set('X-Forwarded-For', address);
    await there('203.0.116.1').expect(403);
    await order('block', { network: '203.0.118.0/24' }).expect(200);
    await order('clear', { network: '203.0.116.0/24' }).expect(200);
    await until('it is known', async () => (await there('203.0.118.1')).status === 403);
    await there('203.0.116.1').expect(200);
    await again.close();
  });
});

it('an allowed network has no share, and each of its callers keeps the limits of its tier', async () => {
  const addresses = Array.from({ length: 17 }, (_, place) => `198.51.100.${place + 1}`);
  const last = addresses.pop() ?? '';
  for (const address of addresses) await page(address).expect(200);
  await page(last).expect(429);
  await order('allow', { network: '198.51.100.0/24' }).expect(200);
  await page('198.51.100.99').expect(200);
  await page('198.51.100.99').expect(429);
});

it('operators see who is refused by tools, whose answers are a 200', async () => {
  const { bearer, id } = await addKey(test.database, { tier: 'member' });
  const call = (since: string) =>
    test
      .caller()
      .post('/mcp')
      .set({ Authorization: bearer, Accept: 'application/json, text/event-stream' })
      .send({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'dropped_since', arguments: { since } },
      })
      .expect(200);
  expect((await call('no day')).text).toContain('invalid_parameter');
  expect((await call('2026-11-20T00:00:00Z')).text).toContain('tier_required');
  await test.app.get(Takers).write();
  const { takers } = await look('networks/top?limit=300');
  expect(takers).toContainEqual({ taker: `key:${id}`, records: 0, pages: 0, refusals: 1 });
});

it('callers in one /48 have the registry asked four times as often as one; known answers go on', async () => {
  const check = (name: string, place: number) =>
    from(`2001:db8:9:${(place * 257).toString(16)}::1`, `/v1/domains/check?domain=${name}.com.au`);
  for (let place = 0; place < 20; place += 1) await check(`asked-${place}`, place).expect(200);
  const { body } = await check('asked-20', 20).expect(429);
  expect(body.error).toMatchObject({
    code: 'too_many_requests',
    message: expect.stringMatching(/2001:db8:9::\/48 has had its 20 live checks in 60 s; try again in \d+ s/),
  });
  await check('asked-0', 21).expect(200);
  await from('2001:db8:a::1', '/v1/domains/check?domain=asked-20.com.au').expect(200);
});

it('operators see who takes most: networks without their addresses, accounts and keys', async () => {
  await addDomain(test.database, { domain: 'taken-often.com.au' });
  const { bearer, accountId, id } = await addKey(test.database, { tier: 'pro' });
  for (let time = 0; time < 3; time += 1)
    await test.caller().get('/v1/suggest?q=taken').set('Authorization', bearer).expect(200);
  await from('192.0.2.77', '/api/v1/usage').expect(401);
  await from('192.0.2.78', '/v1/suggest?q=taken&limit=1').expect(200);
  await page('192.0.2.78').expect(200);
  await test.app.get(Takers).write();
  const { takers } = await look('networks/top?limit=300');
  const of = (taker: string) => takers.find((one: { taker: string }) => one.taker === taker);
  expect(of('network:192.0.2.0/24')).toEqual({
    ...{ taker: 'network:192.0.2.0/24', records: 1, pages: 1, refusals: 1 },
  });
  for (const taker of [`account:${accountId}`, `key:${id}`])
    expect(of(taker)).toMatchObject({ records: 3, pages: 0, refusals: 0 });
  expect(JSON.stringify(takers)).not.toContain('192.0.2.7');
});

import {
  eppSettingsOf,
  type SandboxRegistrar,
  startSandboxRegistrar,
} from '../../src/demo/sandbox-registrar.js';
import { type SandboxReseller, startSandboxReseller } from '../../src/demo/sandbox-reseller.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import {
  addCustomer,
  callAs,
  type Customer,
  executeLate,
  order,
  type OrdersApp,
  startOrdersApp,
} from '../support/orders.js';
import { fieldOf } from '../support/visitor.js';

const ALICE = mintOperatorKey();
/** Shortly registered names are not compared: a list may have been read before. */
const LATER = 11 * 60;
const HOUR = 3_600;

let test: OrdersApp;
let epp: SandboxRegistrar;
let reseller: SandboxReseller;
let customer: Customer;
let made = 0;
beforeAll(async () => {
  [epp, reseller] = await Promise.all([
    startSandboxRegistrar({ port: 0 }),
    startSandboxReseller({ port: 0 }),
  ]);
  test = await startOrdersApp(
    {
      OPERATOR_KEY_HASH: `alice:${ALICE.hash}`,
      ...{ ...eppSettingsOf(epp), EPP_REGISTRAR: 'Registry', EPP_YEAR_CENTS: 'com.au:1100' },
      ...{ DREAMSCAPE_URL: reseller.url, DREAMSCAPE_KEY: reseller.key },
      DREAMSCAPE_YEAR_CENTS: 'org.au:1100,net.au:1100',
    },
    undefined,
    true,
  );
  customer = await addCustomer(test, 100_000);
});
afterAll(async () => {
  await test.close();
  await epp.close();
  await reseller.close();
});

interface Registrars {
  readonly registrars: readonly Record<string, unknown>[];
  readonly findings: readonly Record<string, unknown>[];
}

async function look(): Promise<Registrars> {
  const { body } = await test
    .caller()
    .get('/ops/v1/registrars')
    .set('Authorization', `Bearer ${ALICE.text}`)
    .expect(200);
  return body as Registrars;
}

async function findings(): Promise<unknown[]> {
  return (await look()).findings.map(({ kind, subject }) => [kind, subject]).sort();
}

const resume = (stop: string) =>
  test
    .caller()
    .post('/ops/v1/orders/resume')
    .set('Authorization', `Bearer ${ALICE.text}`)
    .send({ stop, reason: 'compared' });
const quoteNow = (suffix = 'net.au') =>
  callAs(test, customer)
    .post('/api/v1/registrations/quote')
    .send({ domain: `quoted-${(made += 1)}.${suffix}`, years: 1, registrant: customer.registrant });

/** A registered name with its order. */
async function register(suffix: string): Promise<string> {
  const name = `kept-${(made += 1)}.${suffix}`;
  const id = await order(test, customer, name);
  await test.pass(1);
  expect(await test.order(id)).toMatchObject({ state: 'registered' });
  return name;
}

async function reconcile(): Promise<void> {
  await test.skip(LATER);
  await test.run('registrar-reconcile');
}

const inAYear = () => new Date(Date.now() + 900 * 86_400_000);

it('names and the list of a registrar are compared; each difference is told, and nothing is done', async () => {
  const [missing, moved, kept] = [
    await register('net.au'),
    await register('net.au'),
    await register('net.au'),
  ];
  await reconcile();
  expect(await findings()).toEqual([]);
  const known = reseller.names.get(moved);
  if (!known) throw new Error('it is registered');
  reseller.names.set(moved, {
    ...known,
    expiresAt: inAYear(),
    eligibility: [{ name: 'business_number', value: '000500005' }],
  });
  reseller.names.set('stranger.net.au', { ...known, id: 1 });
  reseller.names.delete(missing);
  await reconcile();
  expect(await findings()).toEqual([
    ['expiry', moved],
    ['missing_there', missing],
    ['registrant', moved],
    ['unknown_here', 'stranger.net.au'],
  ]);
  const states = await test.database.query<{ domain: string; state: string }>(
    `SELECT domain, state FROM registration_order WHERE domain IN ('${missing}', '${moved}', '${kept}')`,
  );
  expect(states.map(({ state }) => state)).toEqual(['registered', 'registered', 'registered']);
  // A list that cannot be read to its end ends no difference.
  reseller.fail('list', 500);
  await reconcile();
  expect(await findings()).toHaveLength(4);
  reseller.names.set(moved, known);
  reseller.names.delete('stranger.net.au');
  await reconcile();
  expect(await findings()).toEqual([['missing_there', missing]]);
  reseller.names.set(missing, { ...known, id: 2 });
  await reconcile();
  expect(await findings()).toEqual([]);
});

it('an expired name is compared while it can be renewed, and then no more', async () => {
  const name = await register('net.au');
  const known = reseller.names.get(name);
  if (!known) throw new Error('it is registered');
  reseller.names.delete(name);
  const endedDaysAgo = async (days: number) => {
    const end = new Date((await test.clock.now()).getTime() - days * 86_400_000);
    await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE domain = $1', [name, end]);
    await reconcile();
    return findings();
  };
  expect(await endedDaysAgo(29)).toEqual([['missing_there', name]]);
  expect(await endedDaysAgo(31)).toEqual([]);
});

it('a registrar without a list says so, and is asked about the names of orders', async () => {
  const [missing, moved, other] = [
    await register('com.au'),
    await register('com.au'),
    await register('com.au'),
  ];
  await reconcile();
  expect(await findings()).toEqual([]);
  const { registrars } = await look();
  expect(registrars).toMatchObject([
    {
      name: 'Registry',
      reconciles_by: 'asking',
      cannot: expect.stringContaining('no list'),
      reconciled_names: 3,
    },
    { name: 'Dreamscape', reconciles_by: 'list', cannot: null },
  ]);
  const names = epp.names as Map<string, NonNullable<ReturnType<typeof epp.names.get>>>;
  const [first, second, third] = [missing, moved, other].map((name) => names.get(name));
  if (!first || !second || !third) throw new Error('they are registered');
  names.delete(missing);
  names.set(moved, { ...second, expiresAt: inAYear() });
  names.set(other, { ...third, registrant: 'C-OTHER' });
  await reconcile();
  expect(await findings()).toEqual([
    ['expiry', moved],
    ['missing_there', missing],
    ['registrant', other],
  ]);
  for (const [name, one] of [
    [missing, first],
    [moved, second],
    [other, third],
  ] as const)
    names.set(name, one);
  await reconcile();
  expect(await findings()).toEqual([]);
});

it('a name that a registrar registered after its order had failed is told, with the order', async () => {
  const [eppName, listed] = [`late-${(made += 1)}.com.au`, `late-${(made += 1)}.net.au`];
  epp.fail('create', 'cut_before', 2);
  reseller.fail('create', 'cut_before');
  reseller.fail('create', 'cut_before');
  const ids = [await order(test, customer, eppName), await order(test, customer, listed)];
  await test.pass(20 * 60);
  for (const id of ids) expect(await test.order(id)).toMatchObject({ state: 'failed' });
  await reconcile();
  expect(await findings()).toEqual([]);
  executeLate(epp, eppName);
  const names = epp.names as Map<string, unknown>;
  const [known] = reseller.names.values();
  if (!known) throw new Error('one is registered');
  reseller.names.set(listed, { ...known, id: 9 });
  await reconcile();
  expect((await look()).findings).toEqual(
    expect.arrayContaining(
      [eppName, listed].map((subject) =>
        expect.objectContaining({
          ...{ kind: 'unknown_here', subject },
          words: expect.stringMatching(/^Order \d+ ended without this name, and the registrar has it/),
        }),
      ),
    ),
  );
  expect(await test.order(ids[0] ?? '')).toMatchObject({ state: 'failed' });
  names.delete(eppName);
  reseller.names.delete(listed);
  await reconcile();
  expect(await findings()).toEqual([]);
});

it('the names of an erased account are compared as far as they are known', async () => {
  const name = await register('net.au');
  await test.database.query(
    `UPDATE registration_attempt SET sealed = ''
       FROM registration_order AS placed WHERE placed.id = order_id AND domain = $1`,
    [name],
  );
  const known = reseller.names.get(name);
  if (!known) throw new Error('it is registered');
  reseller.names.delete(name);
  await reconcile();
  expect(await findings()).toEqual([['missing_there', name]]);
  reseller.names.set(name, known);
  await reconcile();
  expect(await findings()).toEqual([]);
});

it('a restored database takes orders again once all names were compared, and shows what it lacks', async () => {
  await register('net.au');
  await reconcile();
  await test.database.query(`UPDATE ordering_place SET place = 'the place of the backup'`);
  await test.database.query(`UPDATE registrar_state SET reconciled_place = 'the place of the backup'`);
  await quoteNow().expect(503);
  const { body } = await resume('restored').expect(409);
  expect(JSON.stringify(body)).toContain('Registry, Dreamscape');
  // An order after the backup.
  const [known] = reseller.names.values();
  if (!known) throw new Error('one is registered');
  reseller.names.set('after-backup.net.au', { ...known, id: 3 });
  reseller.fail('list', 'cut_after');
  await reconcile();
  await resume('restored').expect(409);
  await reconcile();
  expect(await findings()).toEqual([['unknown_here', 'after-backup.net.au']]);
  await resume('restored').expect(200);
  await quoteNow().expect(200);
  reseller.names.delete('after-backup.net.au');
  await reconcile();
});

it('a short balance stops ordering for all, and a moved price is told', async () => {
  reseller.balance = 49.99;
  await test.skip(HOUR);
  await test.watch();
  const stopped = await quoteNow('com.au').expect(503);
  expect(stopped.body).toMatchObject({ error: { code: 'ordering_stopped' } });
  const { body } = await test.caller().get('/ops/v1/orders').set('Authorization', `Bearer ${ALICE.text}`);
  expect(body).toMatchObject({
    stops: [{ reason: 'funds', words: 'Dreamscape has 4999 cents of ours; 5000 are needed.' }],
  });
  reseller.balance = 1_000;
  reseller.prices.set('net.au', { register: 12.5, renew: 12.5 });
  await test.watch();
  const quoted = await quoteNow().expect(200);
  expect(quoted.body).toMatchObject({ quote: expect.anything() });
  await test.skip(HOUR);
  await test.watch();
  expect(await findings()).toEqual([
    ['price', 'net.au'],
    ['price', 'net.au renewal'],
  ]);
  reseller.prices.set('net.au', { register: 11, renew: 13 });
  await test.skip(HOUR);
  await test.watch();
  expect(await findings()).toEqual([['price', 'net.au renewal']]);
  expect((await look()).findings).toMatchObject([
    { words: 'Renewing .net.au for a year costs 1300 cents there, and 1100 by the table.' },
  ]);
  // A price that is not told hides no other, and ends no finding.
  reseller.prices.set('net.au', { register: 12.5, renew: 0 });
  await test.skip(HOUR);
  await test.watch();
  expect(await findings()).toEqual([
    ['price', 'net.au'],
    ['price', 'net.au renewal'],
  ]);
  // Nor does a suffix without any.
  reseller.prices.set('org.au', { register: 0, renew: 0 });
  reseller.prices.set('net.au', { register: 11, renew: 13 });
  await test.skip(HOUR);
  await test.watch();
  expect(await findings()).toEqual([['price', 'net.au renewal']]);
  const asked = () => reseller.received.filter((one) => one.startsWith('GET /domains/tlds')).length;
  const before = asked();
  await test.watch();
  expect(asked()).toBe(before);
  // While it is away, two questions of a suffix and one of the next are enough, and no finding ends.
  reseller.fail('prices', 500, 3);
  await test.skip(HOUR);
  await test.watch();
  expect([asked() - before, await findings()]).toEqual([3, [['price', 'net.au renewal']]]);
  reseller.prices.set('org.au', { register: 11, renew: 11 });
  reseller.prices.set('net.au', { register: 11, renew: 11 });
  await test.skip(HOUR);
  await test.watch();
  expect(await findings()).toEqual([]);
});

it('a stop for the funds of one registrar stays while another has enough', async () => {
  epp.fail('create', 2104);
  const id = await order(test, customer, `short-${(made += 1)}.com.au`);
  await test.pass(1);
  await test.watch();
  await quoteNow('com.au').expect(503);
  reseller.balance = 49.99;
  await test.skip(HOUR);
  await test.watch();
  reseller.balance = 1_000;
  await test.watch();
  await quoteNow('com.au').expect(503);
  await resume('funds').expect(200);
  await test.pass(60);
  expect(await test.order(id)).toMatchObject({ state: 'registered' });
});

it('the health of registrars is at the page, in the command and in the figures', async () => {
  const { registrars } = await look();
  expect(registrars).toMatchObject([
    {
      ...{ name: 'Registry', sessions_max: 2, balance_cents: null, open_attempts: 0, is_reconciled: true },
      certificate_expires_at: expect.stringMatching(/^\d{4}-/),
      year_cents: ['com.au: 1100, renewal 1100'],
    },
    { name: 'Dreamscape', sessions: null, balance_cents: 100_000, certificate_expires_at: null },
  ]);
  for (const one of registrars) expect(one.polled_at).not.toBeNull();
  const browser = test.caller();
  const { text: form } = await browser.get('/ops/sign-in').expect(200);
  await browser
    .post('/ops/sign-in')
    .type('form')
    .send({ form_token: fieldOf(form, 'form_token'), key: ALICE.text });
  const { text: before } = await browser.get('/ops/registrars').expect(200);
  expect(before).toContain('No differences were found.');
  expect(before).not.toContain('Nothing is done');
  await test.database.query(
    `INSERT INTO registrar_finding VALUES ('Registry', 'unknown_here', 'found.com.au', 'Only there.', now(), now())`,
  );
  const { text } = await browser.get('/ops/registrars').expect(200);
  for (const words of [
    'found.com.au',
    '1 difference. Nothing',
    'Only there.',
    'Compare now',
    'Certificate expires at',
    '/ops/orders',
  ])
    expect(text).toContain(words);
  expect((await browser.get('/ops').expect(200)).text).toContain('found.com.au');
});

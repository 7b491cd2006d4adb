import { randomUUID } from 'node:crypto';
import { type SandboxAbnLookup, startSandboxAbnLookup } from '../../src/demo/sandbox-abn-lookup.js';
import {
  eppSettingsOf,
  type SandboxRegistrar,
  startSandboxRegistrar,
} from '../../src/demo/sandbox-registrar.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { addKey, type TestKey } from '../support/accounts.js';
import { addInState } from '../support/domains.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import {
  ACCEPTED,
  callAs,
  credit,
  executeLate,
  ORDER_SCOPES,
  type OrdersApp,
  startOrdersApp,
} from '../support/orders.js';
import { fieldOf, signedInVisitor, type Visitor } from '../support/visitor.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

const TOTAL = 1_320;
const [MINUTE, HOUR] = [60, 3_600];

let test: OrdersApp;
let registrar: SandboxRegistrar;
let lookup: SandboxAbnLookup;
let mail: MailServer;
let receiver: Receiver;
let visitor: Visitor;
let customer: TestKey;
let hook: string;
let registrant: string;

beforeAll(async () => {
  [registrar, lookup, mail, receiver] = await Promise.all([
    startSandboxRegistrar({ port: 0, onRegistered: (name) => test.names.set(name, 'registered') }),
    startSandboxAbnLookup(0),
    startMailServer(),
    startReceiver(),
  ]);
  const environment = {
    ...{ BASE_URL: 'http://bowerbird.test', SMTP_URL: mail.url, MAIL_FROM: 'bowerbird@example.com' },
    ...{
      WEBHOOKS: 'on',
      WEBHOOK_UNPROVEN_PACE_SECONDS: '0',
      WEBHOOK_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
      WEBHOOK_ALLOW_LOOPBACK: 'on',
    },
    ...eppSettingsOf(registrar),
    ...{ EPP_REGISTRAR: 'Sandbox registrar', EPP_YEAR_CENTS: 'com.au:1100,au:1100' },
    ...{ ABN_LOOKUP_URL: lookup.url, ABN_LOOKUP_GUID: lookup.guid },
  };
  test = await startOrdersApp(environment, undefined, true);
  visitor = await signedInVisitor(test);
  const [account] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
    visitor.email,
  ]);
  customer = await addKey(test.database, {
    scopes: ['read', 'webhooks', ...ORDER_SCOPES],
    tier: 'pro',
    ...(account && { accountId: account.id }),
  });
  await test.database.query(`UPDATE account SET tier = 'pro' WHERE id = $1`, [customer.accountId]);
  await test.database.query('UPDATE account_session SET proven_at = now() WHERE account_id = $1', [
    customer.accountId,
  ]);
  await credit(test, customer.accountId, 100_000);
  const { body } = await callAs(test, customer)
    .post('/api/v1/registrants')
    .send({
      ...{ legal_name: 'Coffee Cart Pty Ltd', number: '53 004 085 616', type: 'Company' },
      ...{ contact_name: 'Mia Example', email: 'mia@example.com', phone: '02 9999 0000' },
      ...{ street: ['12 Elizabeth St'], city: 'Hobart', state: 'TAS', postcode: '7000' },
    })
    .expect(201);
  registrant = (body as { registrant: { id: string } }).registrant.id;
  const events = ['completed', 'failed', 'needs_attention', 'executed_late'].map(
    (event) => `registration.${event}`,
  );
  const hooked = await callAs(test, customer)
    .post('/api/v1/webhooks')
    .send({ url: `${receiver.url}/orders`, events })
    .expect(201);
  const made = hooked.body as { webhook: { id: string }; secret: string };
  hook = made.webhook.id;
  receiver.secrets.set('/orders', made.secret);
});
afterAll(async () => {
  expect(await test.app.get(Ledger).prove()).toEqual([]);
  await test.close();
  await Promise.all([registrar.close(), lookup.close(), mail.close(), receiver.close()]);
});

const quote = (domain: string) =>
  callAs(test, customer).post('/api/v1/registrations/quote').send({ domain, years: 1, registrant });
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);

/** Quoted and placed with a key. @returns the id of the order */
async function place(domain: string): Promise<string> {
  if (!test.names.has(domain)) test.names.set(domain, 'available');
  const quoted = await quote(domain).expect(200);
  const placed = await callAs(test, customer)
    .post('/api/v1/registrations')
    .set('Idempotency-Key', randomUUID())
    .send({ quote: (quoted.body as { quote: string }).quote, accept: ACCEPTED })
    .expect(202);
  return (placed.body as { order: { id: string } }).order.id;
}

/** And approved at once by its person on the page, while notices are sent. @returns the id of the order */
async function order(domain: string): Promise<string> {
  const id = await place(domain);
  await test.run('order-notices');
  const { text } = await visitor.open(`/profile/orders/${id}`).expect(200);
  const form = { accept: ACCEPTED, terms: fieldOf(text, 'terms') };
  await visitor.send(`/profile/orders/${id}/approve`, form).expect(303);
  return id;
}

describe('a name, from its registrant to the registry, by EPP', () => {
  it('is quoted as eligible, ordered, approved and registered for the customer', async () => {
    const { body } = await quote('coffeecart.com.au').expect(200);
    expect(body).toMatchObject({
      ...{ registrar: 'Sandbox registrar', total_cents: TOTAL, gst_cents: 120 },
      eligibility: {
        is: 'eligible',
        rule: 'The name matches a name of the holder.',
        as_of: expect.any(String),
      },
    });
    const { balanceCents } = await balance();
    const id = await order('coffeecart.com.au');
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect(registrar.names.get('coffeecart.com.au')).toMatchObject({
      ...{ client: registrar.client, registrantName: 'Coffee Cart Pty Ltd' },
    });
    const create = registrar.received.find(
      (frame) =>
        frame.includes('<domain:name>coffeecart.com.au</domain:name>') && frame.includes('domain:create'),
    );
    // It matches the name of the holder.
    expect(create).toContain('<auext:policyReason>1</auext:policyReason>');
    expect(await balance()).toMatchObject({ balanceCents: balanceCents - TOTAL, heldCents: 0 });
  });

  it.each([
    [
      'coffeecart.id.au',
      /^id\.au is for natural persons; a(n organisation| company) cannot have the name\. \(/,
    ],
    ['australia.au', /^australia\.au cannot be registered: /],
  ])('is refused for eligibility, with the rule: %s', async (domain, rule) => {
    const { body } = await quote(domain).expect(422);
    expect(body).toMatchObject({ error: { code: 'not_eligible', message: expect.stringMatching(rule) } });
  });

  it('is unknown after a lost reply, and settled by asking', async () => {
    registrar.fail('create', 'cut_after');
    const id = await order('lost-reply.au');
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'unknown' });
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect(registrar.created.filter((name) => name === 'lost-reply.au')).toHaveLength(1);
  });

  it('is ordered while it is about to drop, and registered after its purge', async () => {
    await addInState(test.database, [{ domain: 'dropping.au', state: 'listed' }]);
    const id = await order('dropping.au');
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'waiting_for_drop' });
    await test.database.query(`UPDATE domain SET state = 'purged' WHERE domain = 'dropping.au'`);
    await test.pass(2 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it('is told to its owner alone: by webhook and mail, each once', async () => {
    await place('waiting.au');
    await test.pass(MINUTE);
    await test.run('order-notices');
    await test.run('order-notices');
    await test.run('webhook', hook);
    const told = receiver.received.map(({ body }) => body as { type: string; data: { domain: string } });
    const of = (type: string) => told.filter((one) => one.type === type).map(({ data }) => data.domain);
    expect(of('registration.completed').sort()).toEqual([
      'coffeecart.com.au',
      'dropping.au',
      'lost-reply.au',
    ]);
    // The others were approved within seconds.
    expect(of('registration.needs_attention')).toEqual(['waiting.au']);
    expect(told.find(({ type }) => type === 'registration.completed')).toMatchObject({
      data: { state: 'registered', state_words: 'Registered.', total_cents: TOTAL },
    });
    const mails = mail.mails.filter(({ to }) => to === visitor.email);
    expect(mails.filter(({ subject }) => subject === 'coffeecart.com.au is registered')).toHaveLength(1);
    expect(await test.database.query('SELECT FROM order_notice')).toEqual([]);
    const feed = await test.database.query(`SELECT type FROM domain_event WHERE type LIKE 'registration%'`);
    expect(feed).toEqual([]);
  });
});

it('a name that is registered after its order had failed: its owner is told once, and charged nothing', async () => {
  const before = await balance();
  registrar.fail('create', 'cut_before', 2);
  const id = await order('executed-late.au');
  await test.pass(20 * MINUTE);
  expect(await test.order(id)).toMatchObject({ state: 'failed' });
  const tell = async () => {
    await test.run('registrar-reconcile');
    await test.run('order-notices');
    await test.run('webhook', hook);
  };
  await tell();
  const told = () =>
    receiver.received.flatMap(({ body }) => {
      const { type, data } = body as { type: string; data: { domain: string; reason: string } };
      return type === 'registration.executed_late' ? [data] : [];
    });
  expect(told()).toEqual([]);
  executeLate(registrar, 'executed-late.au');
  await test.skip(HOUR);
  await tell();
  await test.skip(HOUR);
  await tell();
  const reason = expect.stringMatching(
    /^Sandbox registrar registered the name after this order had ended: found on [\d-]{10}\. You were charged nothing\. /,
  );
  const fact = { domain: 'executed-late.au', state: 'failed', reason };
  expect(told()).toMatchObject([{ ...fact, id }]);
  const { body } = await callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200);
  expect(body).toMatchObject({ order: fact });
  const mails = mail.mails.filter(({ subject }) => subject === 'executed-late.au was registered late');
  expect(mails).toMatchObject([{ to: visitor.email, text: expect.stringContaining('charged nothing') }]);
  const { text } = await visitor.open(`/profile/orders/${id}`).expect(200);
  expect(text).toContain('<h1>executed-late.au was registered after all</h1>');
  expect(text).toContain('<li class="ask"><b>Found registered at Sandbox registrar</b>');
  expect(text).not.toContain('The order was refused');
  expect(await balance()).toEqual(before);
});

describe('name servers', () => {
  const HOSTS = ['ns1.example.net', 'ns2.example.net'];
  const placeWith = async (domain: string, hosts: unknown) => {
    test.names.set(domain, 'available');
    const { quote: token } = (await quote(domain).expect(200)).body as { quote: string };
    return callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', randomUUID())
      .send({ quote: token, accept: ACCEPTED, name_servers: hosts });
  };

  it('of an order reach the registry, twice the same hosts too; without any a name is parked', async () => {
    for (const domain of ['coffeecart-one.com.au', 'coffeecart-two.com.au']) {
      const { body } = await placeWith(domain, ['NS1.example.net.', 'ns2.example.net']);
      const { id, name_servers } = (body as { order: { id: string; name_servers: string[] } }).order;
      expect(name_servers).toEqual(HOSTS);
      const page = (await visitor.open(`/profile/orders/${id}`).expect(200)).text;
      expect(page).toContain(HOSTS.join(', '));
      await visitor
        .send(`/profile/orders/${id}/approve`, { accept: ACCEPTED, terms: fieldOf(page, 'terms') })
        .expect(303);
      await test.pass(1);
      expect(await test.order(id)).toMatchObject({ state: 'registered' });
      expect(registrar.names.get(domain)?.nameServers).toEqual(HOSTS);
    }
    const id = await order('coffeecart-parked.com.au');
    await test.pass(1);
    expect(registrar.names.get('coffeecart-parked.com.au')?.nameServers).toEqual([]);
    expect((await visitor.open(`/profile/orders/${id}`).expect(200)).text).toContain('Parked for now');
  });

  it.each([
    ['one alone', ['ns1.example.net'], '2 to 9'],
    ['ten', Array.from({ length: 10 }, (_, at) => `ns${at}.example.net`), '2 to 9'],
    ['the same twice', ['ns1.example.net', 'NS1.example.net'], 'must differ'],
    ['no host', ['ns1.example.net', 'not a host'], 'host names such as'],
    ['an address', ['192.0.2.1', '192.0.2.2'], 'host names such as'],
    ['below the name itself', ['ns1.coffeecart-bad.com.au', 'ns2.example.net'], 'cannot be below'],
    ['text', 'ns1.example.net', 'must be a list'],
  ])('are refused as %s, and nothing is placed', async (_, hosts, words) => {
    const { status, body } = await placeWith('coffeecart-bad.com.au', hosts);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(words)]);
  });
});

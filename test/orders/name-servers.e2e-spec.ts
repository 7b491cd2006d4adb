import {
  eppSettingsOf,
  type SandboxRegistrar,
  startSandboxRegistrar,
} from '../../src/demo/sandbox-registrar.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { addKey } from '../support/accounts.js';
import {
  addCustomer,
  callAs,
  type Customer,
  giveBack,
  order,
  ORDER_SCOPES,
  type OrdersApp,
  placeOrder,
  startOrdersApp,
} from '../support/orders.js';
import { until } from '../support/processes.js';
import { signedInVisitor, type Visitor } from '../support/visitor.js';

const HOSTS = ['ns1.example.net', 'ns2.example.net'];
const OTHERS = ['ns2.example.net', 'ns3.example.net'];
const MINUTE = 60;

let test: OrdersApp;
let registrar: SandboxRegistrar;
let visitor: Visitor;
let customer: Customer;
let made = 0;

beforeAll(async () => {
  registrar = await startSandboxRegistrar({
    port: 0,
    onRegistered: (name) => test.names.set(name, 'registered'),
  });
  const settings = { EPP_REGISTRAR: 'Sandbox registrar', EPP_YEAR_CENTS: 'com.au:1100,au:1100' };
  test = await startOrdersApp({ ...eppSettingsOf(registrar), ...settings }, undefined, true);
  visitor = await signedInVisitor(test);
  const [account] = await test.database.query<{ id: string }>('SELECT id FROM account');
  customer = await addCustomer(test, 100_000, account?.id);
  await test.database.query('UPDATE account_session SET proven_at = now()');
});
afterAll(async () => {
  expect(await test.app.get(Ledger).prove()).toEqual([]);
  await test.close();
  await registrar.close();
});

/** Ordered by the customer's key, approved by a person, and parked. */
async function registered(): Promise<{ id: string; domain: string }> {
  const domain = `delegated-${(made += 1)}.com.au`;
  const id = await order(test, customer, domain);
  await test.pass(1);
  expect(await test.order(id)).toMatchObject({ state: 'registered', nameServers: [] });
  return { id, domain };
}
const set = (id: string, name_servers: unknown, who: Pick<Customer, 'bearer'> = customer) =>
  callAs(test, who).post(`/api/v1/registrations/${id}/name-servers`).send({ name_servers });
const held = (domain: string) => registrar.names.get(domain)?.nameServers;
const changes = (domain: string) =>
  registrar.received.filter((frame) => frame.includes('<update>') && frame.includes(domain)).length;
const known = (name_servers: readonly string[], wished_name_servers: readonly string[] | null = null) => ({
  order: { state: 'registered', name_servers, wished_name_servers },
});

it('are set, changed and taken away again; the same list again sends no change', async () => {
  const { id, domain } = await registered();
  const first = await set(id, ['NS1.example.net.', 'ns2.example.net']).expect(200);
  expect(first.body).toMatchObject(known(HOSTS));
  expect(held(domain)).toEqual(HOSTS);
  await set(id, [...HOSTS].reverse()).expect(200);
  expect(changes(domain)).toBe(1);
  await set(id, OTHERS).expect(200);
  expect(held(domain)).toEqual(OTHERS);
  const parked = await set(id, []).expect(200);
  expect([held(domain), parked.body]).toMatchObject([[], known([])]);
  const kept = await test.database.query(
    `SELECT result FROM registrar_exchange WHERE command = 'update' AND request LIKE '%' || $1 || '%'`,
    [domain],
  );
  expect(kept).toHaveLength(3);
  await test.pass(5 * MINUTE);
  expect(changes(domain)).toBe(3);
});

it.each(['cut_after', 'cut_before'] as const)(
  'without a reply (%s) are not known, and asked about',
  async (fault) => {
    const { id, domain } = await registered();
    registrar.fail('update', fault);
    expect((await set(id, HOSTS).expect(200)).body).toMatchObject(known([], HOSTS));
    expect((await visitor.open(`/profile/orders/${id}`)).text).toContain('we do not know yet');
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ nameServers: HOSTS, wishedServers: null });
    expect(held(domain)).toEqual(HOSTS);
    // The registry was asked first: what it had done already was not sent again.
    expect(changes(domain)).toBe(fault === 'cut_after' ? 1 : 2);
  },
);

it('that are pending are asked about until the registry has decided', async () => {
  const { id, domain } = await registered();
  registrar.fail('update', 'pending');
  expect((await set(id, HOSTS).expect(200)).body).toMatchObject(known([], HOSTS));
  await test.pass(5 * MINUTE);
  expect([await test.order(id), changes(domain)]).toMatchObject([{ wishedServers: HOSTS }, 1]);
  registrar.decide(domain, 'done');
  await test.pass(MINUTE);
  expect(await test.order(id)).toMatchObject({ nameServers: HOSTS, wishedServers: null });
});

it('that the registrar refuses later are told to the customer', async () => {
  const { id } = await registered();
  registrar.fail('update', 'cut_before');
  await set(id, HOSTS).expect(200);
  registrar.fail('update', 2306);
  await test.pass(MINUTE);
  const reason = expect.stringContaining('did not set the name servers');
  expect(await test.order(id)).toMatchObject({ nameServers: [], wishedServers: null, reason });
  const notices = await test.database.query(
    'SELECT type FROM order_notice WHERE order_id = $1 AND reason LIKE $2',
    [...[id, '%name servers%']],
  );
  expect(notices).toEqual([{ type: 'registration.needs_attention' }]);
});

it('are refused by the registrar or while it is away: nothing is changed, and what to do is said', async () => {
  const { id, domain } = await registered();
  await set(id, HOSTS).expect(200);
  registrar.fail('update', 2306);
  const refused = await set(id, OTHERS).expect(400);
  expect(refused.text).toContain('name_servers were refused by the registrar');
  registrar.fail('info', 'cut_before', 1);
  const away = await set(id, OTHERS).expect(503);
  expect(away.headers['retry-after']).toBeDefined();
  expect(away.body).toMatchObject({ error: { code: 'registrar_unavailable' } });
  await test.pass(MINUTE);
  expect([held(domain), await test.order(id)]).toMatchObject([
    HOSTS,
    { nameServers: HOSTS, wishedServers: null },
  ]);
  registrar.registerForeign(domain);
  const gone = await set(id, OTHERS).expect(409);
  expect(gone.text).toContain('does not have the name for this order');
});

it.each([
  ['one alone', ['ns1.example.net'], '2 to 9'],
  ['the same twice', ['ns1.example.net', 'NS1.example.net'], 'must differ'],
  ['no host', ['ns1.example.net', '<delete/>'], 'host names such as'],
  ['below the name itself', ['ns1.delegated-1.com.au', 'ns2.example.net'], 'cannot be below'],
  ['text', 'ns1.example.net', 'must be a list'],
  ['nothing', undefined, 'must be a list'],
])('are refused as %s, and nothing is sent', async (_, hosts, words) => {
  const [{ id } = { id: '' }] = await test.database.query<{ id: string }>(
    `SELECT id FROM registration_order WHERE domain = 'delegated-1.com.au'`,
  );
  const before = registrar.received.length;
  expect((await set(id, hosts).expect(400)).text).toContain(words);
  expect(registrar.received).toHaveLength(before);
});

it('are set by the key that ordered the name alone, and only of a name that is registered', async () => {
  const { id, domain } = await registered();
  const { accountId } = customer;
  const other = await addKey(test.database, { accountId, scopes: ['read', ...ORDER_SCOPES] });
  expect((await set(id, HOSTS, other).expect(403)).body).toMatchObject({
    error: { code: 'mandate_required' },
  });
  const reader = await addKey(test.database, { accountId, scopes: ['read', 'orders:read'] });
  await set(id, HOSTS, reader).expect(403);
  await set(id, HOSTS, await addCustomer(test)).expect(404);
  const waiting = await placeOrder(test, customer, 'delegated-never.com.au');
  expect((await set(waiting, HOSTS).expect(409)).body).toMatchObject({ error: { code: 'order_closed' } });
  await test.database.query(`UPDATE registration_order SET cancel_until = 'infinity' WHERE id = $1`, [id]);
  await giveBack(test, customer, id);
  await set(id, HOSTS).expect(409);
  expect([held(domain), changes(domain)]).toEqual([[], 0]);
});

it('wishes at once leave the last of them, whole, at the registry and here', async () => {
  const { id, domain } = await registered();
  const wishes = Array.from({ length: 8 }, (_, at) => [`ns${at}.example.net`, `ns${at + 1}.example.net`]);
  await Promise.all(wishes.map((hosts) => set(id, hosts)));
  await test.pass(5 * MINUTE);
  const { nameServers, wishedServers } = await test.order(id);
  expect(wishedServers).toBeNull();
  expect(wishes).toContainEqual(nameServers);
  expect(held(domain)?.toSorted()).toEqual(nameServers);
});

it('of an earlier request that comes last to the registry are set back to the last wish', async () => {
  const { id, domain } = await registered();
  registrar.fail('update', 'late');
  const first = set(id, HOSTS).then(({ status }) => status);
  await until('the change has arrived', async () => changes(domain) === 1);
  // As another instance leaves it.
  await test.database.query(
    'UPDATE registration_order SET name_servers = $2, wished_servers = NULL WHERE id = $1',
    [...[id, OTHERS]],
  );
  registrar.sendLate();
  expect(await first).toBe(200);
  await test.pass(5 * MINUTE);
  expect(await test.order(id)).toMatchObject({ nameServers: OTHERS, wishedServers: null });
  expect(held(domain)).toEqual(OTHERS);
});

it('are set on the page of the order; a refused form is answered in place, with its field marked', async () => {
  const { id, domain } = await registered();
  const path = `/profile/orders/${id}`;
  expect((await visitor.open(path).expect(200)).text).toContain('Set name servers</button>');
  const refused = await visitor.send(`${path}/name-servers`, { name_servers: 'ns1.example.net' });
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(
    /<input id="name_servers"[^>]* value="ns1\.example\.net"[^>]* aria-invalid="true"/,
  );
  await visitor.send(`${path}/name-servers`, { name_servers: HOSTS.join('\n') }).expect(303);
  expect(held(domain)).toEqual(HOSTS);
  const { text } = await visitor.open(`${path}?done=order-delegated`).expect(200);
  expect(text).toContain('The name servers are set.');
  expect(text).toContain(`value="${HOSTS.join(' ')}"`);
});

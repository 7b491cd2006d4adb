import { createHash, randomUUID } from 'node:crypto';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { textHashOf } from '../../src/orders/order/quote-token.js';
import { addKey } from '../support/accounts.js';
import { makeAuthenticator } from '../support/authenticator.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Agent, connectAgent } from '../support/mcp.js';
import { until } from '../support/processes.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  type Customer,
  ORDER_SCOPES,
  type OrdersApp,
  quote,
  REGISTRANT,
  startOrdersApp,
} from '../support/orders.js';
import { fieldOf, PASSWORD, signedInVisitor, type Visitor } from '../support/visitor.js';

const TOTAL = 2_400;
const DAY = 86_400;

let mail: MailServer;
let test: OrdersApp;
/** Another instance on the same database. */
let other: OrdersApp;
let visitor: Visitor;
let customer: Customer;
let made = 0;

beforeAll(async () => {
  mail = await startMailServer();
  const settings = {
    BASE_URL: 'http://localhost',
    SMTP_URL: mail.url,
    MAIL_FROM: 'bowerbird@example.com',
  };
  test = await startOrdersApp(settings);
  other = await startOrdersApp({ ...settings, DATABASE_URL: test.databaseUrl }, test);
});
beforeEach(async () => {
  visitor = await signedInVisitor(test);
  const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
    visitor.email,
  ]);
  customer = await addCustomer(test, 100_000, row?.id);
  await prove('now()');
});
afterAll(async () => {
  await other.close();
  await test.close();
  await mail.close();
});

const freeName = () => {
  const name = `programs-${(made += 1)}.com.au`;
  for (const app of [test, other]) app.names.set(name, 'available');
  return name;
};
const prove = (at: string) =>
  test.database.query(`UPDATE account_session SET proven_at = ${at} WHERE account_id = $1`, [
    customer.accountId,
  ]);
const shown = ({ registrant }: Customer) => `${registrant}.${textHashOf(REGISTRANT)}`;
const formOf = (changes: Record<string, string | string[]> = {}) => ({
  ...{ programs: `key:${customer.id}`, registrant: shown(customer), suffixes: ['com.au', 'au'] },
  ...{ order_limit: '50', month_limit: '100', days: '30', unknown: 'yes', accept: ACCEPTED.join(',') },
  ...changes,
});
const makeMandate = (changes: Record<string, string | string[]> = {}) =>
  visitor.send('/profile/mandates', formOf(changes)).expect(303);

async function place(name = freeName(), app = test) {
  const { body } = await callAs(app, customer)
    .post('/api/v1/registrations')
    .set('Idempotency-Key', randomUUID())
    .send({ quote: await quote(app, customer, name), accept: ACCEPTED })
    .expect(202);
  return (body as { order: { id: string; state: string } }).order;
}
const held = async () => (await test.app.get(Ledger).balanceOf(customer.accountId)).heldCents;
const mandateId = async () => {
  const [row] = await test.database.query<{ id: string }>(
    'SELECT id FROM mandate WHERE account_id = $1 ORDER BY made_at DESC LIMIT 1',
    [customer.accountId],
  );
  return row?.id ?? '';
};

describe('a mandate', () => {
  it('lets the key that it names order within its limits, by what a person accepted', async () => {
    expect((await place()).state).toBe('awaiting_approval');
    await makeMandate();
    const { id, state } = await place();
    expect([state, await held()]).toEqual(['approved', TOTAL]);
    const [kept] = await test.database.query(
      `SELECT approved_by = 'key:' || $2 AS by, mandate_id IS NOT NULL AS mandate, length(approved_terms) AS terms,
              (SELECT bool_and(one.value ->> 'by' LIKE 'session:%' AND one.value ->> 'at' IS NOT NULL
                               AND one.value ->> 'from' IS NOT NULL
                               AND EXISTS (SELECT FROM agreement_text WHERE hash = one.value ->> 'hash'
                                              AND version = one.value ->> 'version'))
                 FROM jsonb_array_elements(accepted) AS one (value)) AS accepted
         FROM registration_order WHERE id = $1`,
      [id, customer.id],
    );
    expect(kept).toEqual({ by: true, mandate: true, terms: 32, accepted: true });
    const stranger = await addKey(test.database, {
      accountId: customer.accountId,
      scopes: ['read', ...ORDER_SCOPES],
    });
    customer = { ...customer, ...stranger };
    expect((await place()).state).toBe('awaiting_approval');
    const { text } = await visitor.open('/profile/mandates').expect(200);
    expect(text).toContain('A$\u00a024.00 of A$\u00a0100.00');
  });

  it('is counted in the ledger over both instances: ten orders at once get four, and what ends is free again', async () => {
    await makeMandate();
    const orders = await Promise.all(
      Array.from({ length: 10 }, (_, at) => place(freeName(), at % 2 === 0 ? test : other)),
    );
    const approved = orders.filter(({ state }) => state === 'approved');
    expect([approved.length, await held()]).toEqual([4, 4 * TOTAL]);
    expect((await place()).state).toBe('awaiting_approval');
    const cancel = `/api/v1/registrations/${approved[0]?.id ?? ''}/cancel`;
    await callAs(test, customer).post(cancel).expect(200);
    expect((await place()).state).toBe('approved');
    await test.skip(31 * DAY);
    await makeMandate();
    expect((await place()).state).toBe('approved');
  });

  it('has months that the proof of the ledger counts again from its holds', async () => {
    const ledger = test.app.get(Ledger);
    await makeMandate();
    const { id } = await place();
    await place();
    await callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`).expect(200);
    expect(await ledger.prove()).toEqual([]);
    await test.database.query('UPDATE mandate_month SET cents = cents - 1 WHERE mandate_id = $1', [
      await mandateId(),
    ]);
    expect(await ledger.prove()).toEqual([
      { account: `mandate ${await mandateId()}`, words: expect.stringContaining(`${TOTAL - 1} counted in`) },
    ]);
    await test.database.query('DELETE FROM mandate_month WHERE mandate_id = $1', [await mandateId()]);
    expect(await ledger.prove()).toEqual([
      { account: `mandate ${await mandateId()}`, words: expect.stringContaining(`holds ${TOTAL}`) },
    ]);
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['an order that costs more', { order_limit: '23' }],
    ['a suffix that it does not name', { suffixes: ['au'] }],
    ['a name whose eligibility no source knows', { unknown: [] }],
  ])('does not include %s: it waits, and nothing is held', async (_, changes) => {
    await makeMandate(changes);
    expect([(await place()).state, await held()]).toEqual(['awaiting_approval', 0]);
  });

  it.each([
    { legal_name: 'Another Pty Ltd' },
    { email: 'thief@example.com' },
    { phone: '+61.299990001' },
    { type: 'Sole Trader' },
  ])('does not include another holder under the same id: %j', async (body) => {
    await makeMandate();
    await callAs(test, customer).patch(`/api/v1/registrants/${customer.registrant}`).send(body).expect(200);
    expect([(await place()).state, await held()]).toEqual(['awaiting_approval', 0]);
  });

  it('is suspended by a new version of a text, until a person accepts it; and ends for good', async () => {
    await makeMandate();
    const id = await mandateId();
    await test.database.query(
      `UPDATE mandate SET accepted = jsonb_set(accepted, '{0,version}', '"2020-01-01"') WHERE id = $1`,
      [id],
    );
    expect((await place()).state).toBe('awaiting_approval');
    const { text } = await visitor.open('/profile/mandates').expect(200);
    expect(text).toContain('A text below has a new version');
    const accept = fieldOf(text, 'accept');
    await visitor.send(`/profile/mandates/${id}/accept`, { accept }).expect(303);
    expect((await place()).state).toBe('approved');
    await visitor.send(`/profile/mandates/${id}/end`, {}).expect(303);
    expect((await place()).state).toBe('awaiting_approval');
    await visitor.send(`/profile/mandates/${id}/accept`, { accept }).expect(404);
    await makeMandate();
    await test.skip(30 * DAY);
    expect((await place()).state).toBe('awaiting_approval');
  });

  it('is made and accepted by a session with a fresh proof only, for programs and registrants of the account', async () => {
    const stranger = await addCustomer(test);
    for (const [changes, words] of [
      [{ programs: `key:${stranger.id}` }, 'programs must name keys'],
      [{ registrant: shown(stranger) }, 'registrant of this account'],
      [{ month_limit: '49' }, 'must not be less'],
      [{ accept: ACCEPTED.slice(1).join(',') }, 'accept lacks'],
      [{ programs: [] }, 'choose at least one'],
    ] as const) {
      const { text } = await visitor.send('/profile/mandates', formOf(changes as never)).expect(400);
      expect(text).toContain(words);
    }
    await prove('NULL');
    for (const path of ['/profile/mandates', `/profile/mandates/${randomUUID()}/accept`]) {
      const { headers } = await visitor.send(path, formOf()).expect(303);
      expect(headers.location).toBe('/sign-in/confirm');
    }
    expect(await mandateId()).toBe('');
  });
});

it('a mandate is for the registrant that the page showed', async () => {
  const { text } = await visitor.open('/profile/mandates').expect(200);
  expect(text).toContain(`value="${shown(customer)}">Example Pty Ltd · Mia Example, 12 Elizabeth St`);
  await callAs(test, customer)
    .patch(`/api/v1/registrants/${customer.registrant}`)
    .send({ email: 'other@example.net' })
    .expect(200);
  const refused = await visitor.send('/profile/mandates', formOf()).expect(400);
  expect(refused.text).toContain('has changed since this page was shown');
  expect(await mandateId()).toBe('');
});

describe('a link by mail', () => {
  const mailsOf = () => mail.mails.filter(({ to }) => to === visitor.email);
  async function mailed(): Promise<string> {
    const [sent] = await until('a mail', () => (mailsOf().length > 0 ? mailsOf() : undefined));
    const link = /http:\/\/localhost(\S+)/.exec(sent?.text ?? '')?.[1];
    if (link === undefined) throw new Error('no link');
    return link;
  }
  const formIn = (text: string) => ({
    ...{ accept: ACCEPTED, terms: fieldOf(text, 'terms'), token: fieldOf(text, 'token') },
  });

  it('approves exactly one order, once, without a fresh proof', async () => {
    await prove('NULL');
    const [first, second] = [await place(), await place()];
    const { text } = await visitor.open(await mailed()).expect(200);
    expect(text).toContain('Approve for A$\u00a024.00');
    const form = formIn(text);
    expect(await held()).toBe(0);
    await visitor.send(`/profile/orders/${second.id}/approve`, form).expect(409);
    await visitor.send(`/profile/orders/${first.id}/approve`, { ...form, terms: '0'.repeat(64) }).expect(409);
    await visitor.send(`/profile/orders/${first.id}/approve`, { ...form, token: 'x'.repeat(43) }).expect(404);
    const without = { accept: form.accept, terms: form.terms };
    const proof = await visitor.send(`/profile/orders/${first.id}/approve`, without).expect(303);
    expect(proof.headers.location).toBe('/sign-in/confirm');
    expect(await held()).toBe(0);
    await visitor.send(`/profile/orders/${first.id}/approve`, form).expect(303);
    expect([await held(), (await test.order(second.id)).state]).toEqual([TOTAL, 'awaiting_approval']);
    await visitor.open(await mailed()).expect(404);
    const link = await test.database.query('SELECT used_at FROM approval_link WHERE order_id = $1', [
      first.id,
    ]);
    expect(link).toEqual([{ used_at: expect.any(Date) as Date }]);
  });

  it('is of its account alone, and lapses after a day', async () => {
    await place();
    const link = await mailed();
    const thief = await signedInVisitor(test);
    await thief.open(link).expect(404);
    await visitor.open(link).expect(200);
    await test.skip(DAY);
    await visitor.open(link).expect(404);
  });

  it('is sent once an order, and five an hour whatever a program orders', async () => {
    const name = freeName();
    const key = randomUUID();
    const body = { quote: await quote(test, customer, name), accept: ACCEPTED };
    const again = () =>
      callAs(test, customer).post('/api/v1/registrations').set('Idempotency-Key', key).send(body).expect(202);
    await again();
    await mailed();
    await again();
    for (let more = 0; more < 7; more += 1) await place();
    await until('five mails', () => mailsOf().length === 5);
    await test.skip(60);
    await test.run('order-notices');
    expect(mailsOf()).toHaveLength(5);
  });

  it('is sent again until the mail server took it, and not after that', async () => {
    await prove('NULL');
    const before = mail.refused;
    mail.refusal = '450 later';
    const { id } = await place();
    await until('a refusal', () => mail.refused > before);
    await test.skip(60);
    await test.run('order-notices');
    mail.refusal = null;
    const [notice] = await test.database.query('SELECT failures FROM order_notice WHERE order_id = $1', [id]);
    expect([notice, mailsOf()]).toEqual([{ failures: 1 }, []]);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await test.skip(60);
      await test.run('order-notices');
    }
    expect(mailsOf()).toHaveLength(1);
    await visitor
      .send(`/profile/orders/${id}/approve`, formIn((await visitor.open(await mailed())).text))
      .expect(303);
    expect(await held()).toBe(TOTAL);
  });
});

describe('a passkey', () => {
  const phone = makeAuthenticator();
  const ask = async (id: string) =>
    (await visitor.send(`/profile/orders/${id}/approve/options`, {}).expect(200)).body as object;
  const approve = (id: string, response: string, terms?: string) =>
    visitor.send(`/profile/orders/${id}/approve`, { accept: ACCEPTED, response, ...(terms && { terms }) });

  beforeEach(async () => {
    const { body } = await visitor
      .send('/profile/security/passkeys/options', { password: PASSWORD })
      .expect(200);
    const made = { name: 'Phone', response: phone.make(body) };
    await visitor.send('/profile/security/passkeys', made).expect(303);
    await prove('NULL');
  });
  afterEach(() =>
    test.database.query('DELETE FROM account_passkey WHERE account_id = $1', [customer.accountId]),
  );

  it('approves exactly one order, once, without a fresh proof; what it signed is kept', async () => {
    const [first, second] = [await place(), await place()];
    const page = await visitor.open(`/profile/orders/${first.id}`).expect(200);
    expect(page.text).toContain('Approve with a passkey');
    const proof = phone.prove(await ask(first.id));
    await approve(second.id, proof).expect(409);
    await ask(second.id);
    await approve(second.id, proof).expect(401);
    expect(await held()).toBe(0);
    const sent = await Promise.all([1, 2].map(() => approve(first.id, proof, fieldOf(page.text, 'terms'))));
    expect(sent.map(({ status }) => status)).toContain(303);
    expect([await held(), (await test.order(second.id)).state]).toEqual([TOTAL, 'awaiting_approval']);
    await approve(first.id, proof).expect(409);
    await visitor.send(`/profile/orders/${first.id}/approve/options`, {}).expect(409);
    const [kept] = await test.database.query<{ proof: { clientData: string }; challenge: Buffer }>(
      `SELECT proof, challenge FROM approval_challenge JOIN registration_order ON id = order_id
        WHERE id = $1 AND terms = approved_terms AND used_at IS NOT NULL`,
      [first.id],
    );
    const signed = JSON.parse(Buffer.from(kept?.proof.clientData ?? '', 'base64url').toString()) as object;
    expect(signed).toMatchObject({ challenge: kept?.challenge.toString('base64url') });
  });

  it('approves nothing once the order has changed, it was asked again, or five minutes are over', async () => {
    const { id } = await place();
    const earlier = phone.prove(await ask(id));
    const proof = phone.prove(await ask(id));
    await approve(id, earlier).expect(401);
    const years = (count: number) =>
      test.database.query('UPDATE registration_order SET years = $2 WHERE id = $1', [id, count]);
    await years(2);
    await approve(id, proof).expect(409);
    await years(1);
    await test.skip(301);
    await approve(id, proof).expect(409);
    expect(await held()).toBe(0);
  });

  it('is one of the account, and has verified its user', async () => {
    const { id } = await place();
    const options = await ask(id);
    await approve(id, makeAuthenticator().prove(options)).expect(401);
    await approve(id, phone.prove(options, { verifies: false })).expect(401);
    await approve(id, phone.prove(options, { origin: 'http://evil.example' })).expect(401);
    await approve(id, 'no JSON').expect(400);
    const thief = await signedInVisitor(test);
    await thief.send(`/profile/orders/${id}/approve/options`, {}).expect(404);
    expect(await held()).toBe(0);
    await approve(id, phone.prove(options)).expect(303);
  });
});

describe('the tools of orders', () => {
  const agentOf = (headers = {}) => connectAgent(test.url, 'client 2.x, 2026-07-28', headers);
  const ORDER_TOOLS = [
    'quote_registration',
    'place_registration',
    'registration_status',
    'check_eligibility',
  ];
  let agent: Agent;
  beforeEach(async () => {
    agent = await agentOf({ Authorization: customer.bearer });
  });
  afterEach(() => agent.close());

  it('are for callers with a key, and say which of them spends money', async () => {
    const { tools } = await agent.client.listTools();
    const annotated = tools
      .filter(({ name }) => ORDER_TOOLS.includes(name))
      .map(({ name, annotations }) => [name, annotations?.destructiveHint, annotations?.readOnlyHint]);
    expect(annotated).toEqual(
      ORDER_TOOLS.map((name) => [name, name === 'place_registration', name !== 'place_registration']),
    );
    expect(agent.client.getInstructions()).not.toContain('Nothing here buys');
    const stranger = await agentOf();
    const open = (await stranger.client.listTools()).tools.map(({ name }) => name);
    expect(open.filter((name) => ORDER_TOOLS.includes(name))).toEqual([]);
    expect(stranger.client.getInstructions()).toContain('Nothing here buys');
    const { text } = await stranger.call('register_domain', { domain: freeName() });
    expect(text).toMatchObject({ registered_by_this_call: false, available: true });
    expect(text.what_next).toContain('quote_registration');
    await stranger.close();
  });

  it('quote, order once within the mandate, and tell where the order stands', async () => {
    await makeMandate();
    const domain = freeName();
    const quoted = await agent.call('quote_registration', { domain, years: 1 });
    expect(quoted.text).toMatchObject({ total_cents: TOTAL, within_mandate: true, why_not: null });
    const { quote: token } = quoted.text;
    const name_servers = ['ns1.example.net', 'ns2.example.net'];
    const one = await agent.call('place_registration', { quote: token, name_servers: ['ns1.example.net'] });
    expect(one).toMatchObject({ isError: true, text: { code: 'invalid_parameter' } });
    const placed = await agent.call('place_registration', { quote: token, name_servers });
    expect(placed.text).toMatchObject({
      order: { state: 'approved', domain, name_servers },
      waits_because: null,
    });
    const again = await agent.call('place_registration', {
      quote: (await agent.call('quote_registration', { domain, years: 1 })).text.quote,
    });
    expect(again.text.order).toEqual(placed.text.order);
    await test.pass(1);
    const { id } = placed.text.order as { id: string };
    const { text } = await agent.call('registration_status', { id });
    expect(text).toMatchObject({ order: { state: 'registered' }, waits_because: null });
    expect(await held()).toBe(0);
  });

  const placeAgain = async (domain: string) => {
    const { text } = await agent.call('quote_registration', { domain, years: 1 });
    const { order } = (await agent.call('place_registration', { quote: text.quote })).text;
    return (order as { id: string }).id;
  };

  it('order a name again once its orders have ended, and then once', async () => {
    await makeMandate();
    const domain = freeName();
    const placed = () => placeAgain(domain);
    const ids = [];
    for (let ended = 0; ended < 3; ended += 1) {
      const [id, same] = [await placed(), await placed()];
      expect(same).toBe(id);
      ids.push(id);
      await callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`).expect(200);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it('order no name anew that can still be renewed', async () => {
    await makeMandate();
    const domain = freeName();
    const placed = () => placeAgain(domain);
    const id = await placed();
    await test.pass(1);
    const endedDaysAgo = async (days: number) => {
      const end = new Date((await test.clock.now()).getTime() - days * 86_400_000);
      await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE id = $1', [id, end]);
    };
    await endedDaysAgo(29);
    expect(await placed()).toBe(id);
    await endedDaysAgo(31);
    expect(await placed()).not.toBe(id);
  });

  it('order nothing without a mandate, and leave to a person what is beyond it', async () => {
    const given = { domain: freeName(), years: 1, registrant: customer.registrant };
    const quoted = await agent.call('quote_registration', given);
    expect(quoted.text).toMatchObject({ within_mandate: false, why_not: 'no mandate names this program' });
    const refused = await agent.call('place_registration', { quote: quoted.text.quote });
    expect(refused).toMatchObject({ isError: true, text: { code: 'mandate_required' } });
    await makeMandate({ order_limit: '23' });
    const { text } = await agent.call('place_registration', { quote: quoted.text.quote, approved: true });
    expect(text).toMatchObject({ code: 'invalid_parameter' });
    const placed = await agent.call('place_registration', { quote: quoted.text.quote });
    expect(placed.text).toMatchObject({ order: { state: 'awaiting_approval' } });
    expect(placed.text.waits_because).toContain('allows 2300 cents an order');
    expect(await held()).toBe(0);
  });

  it('approve nothing that another program of the account placed with other terms or for another name', async () => {
    await makeMandate();
    const other = await addKey(test.database, {
      accountId: customer.accountId,
      scopes: ['read', ...ORDER_SCOPES],
    });
    const [name, asked] = [freeName(), freeName()];
    const placeAs = async (domain: string, key: string, more: object) =>
      callAs(test, other)
        .post('/api/v1/registrations')
        .set('Idempotency-Key', key)
        .send({ quote: await quote(test, customer, domain), accept: ACCEPTED, ...more })
        .expect(202);
    const call = async (domain: string) => {
      const { text } = await agent.call('quote_registration', { domain, years: 1 });
      return agent.call('place_registration', { quote: text.quote });
    };
    await placeAs(name, randomUUID(), { name_servers: ['ns1.thief.example', 'ns2.thief.example'] });
    const { text } = await call(name);
    expect(text).toMatchObject({
      order: { state: 'awaiting_approval' },
      waits_because: 'an earlier order of this name has other terms',
    });
    // By the key that the agent's order of the other name would have.
    const key = createHash('sha256').update(`agent ${asked} 0`).digest('base64url');
    await placeAs(freeName(), key, {});
    expect(await call(asked)).toMatchObject({ isError: true, text: { code: 'idempotency_conflict' } });
    expect(await held()).toBe(0);
  });

  it('judge eligibility by rule, source and day', async () => {
    const { text } = await agent.call('check_eligibility', {
      ...{
        domain: 'coffeecart.id.au',
        number: '004 085 616',
        legal_name: 'Coffee Cart Pty Ltd',
        type: 'Company',
      },
    });
    expect(text).toMatchObject({
      eligibility: { is: 'not_eligible', as_of: expect.stringMatching(/^\d{4}-/) },
    });
  });
});

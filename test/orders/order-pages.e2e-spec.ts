import { randomUUID } from 'node:crypto';
import { momentInWords } from '../../src/web/layout/words.js';
import { readConfig } from '../../src/config/read-config.js';
import { type SandboxCards, settingsOf, startSandboxCards } from '../../src/demo/sandbox-cards.js';
import { startTestApp } from '../support/app.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderingStops } from '../../src/orders/ledger/ordering-stops.repository.js';
import { ACCEPTED_TODAY } from '../../src/orders/order/agreements.js';
import { addInState } from '../support/domains.js';
import { addKey } from '../support/accounts.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  credit,
  type OrdersApp,
  placeOrder,
  startOrdersApp,
} from '../support/orders.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { textOfPdf } from '../support/pdf-text.js';
import { fieldOf, signedInVisitor, type Visitor } from '../support/visitor.js';

const HOLDER = {
  ...{
    legal_name: 'Slow Coffee Pty Ltd',
    number: '004 085 616',
    type: 'Company',
    contact_name: 'Mia Example',
  },
  ...{ email: 'mia@example.com', phone: '03 6200 0000', street: ['12 Elizabeth St', ''], city: 'Hobart' },
  ...{ state: 'TAS', postcode: '7000' },
};

let cards: SandboxCards;
let mail: MailServer;
let test: OrdersApp;
let visitor: Visitor;
let accountId: string;
let made = 0;

beforeAll(async () => {
  cards = await startSandboxCards(0);
  mail = await startMailServer();
  test = await startOrdersApp({
    ...settingsOf(cards),
    ...{ STRIPE_SOURCE: 'stripe', BASE_URL: 'http://bowerbird.test' },
    ...{ SMTP_URL: mail.url, MAIL_FROM: 'bowerbird@example.com' },
    ...{
      SELLER_NAME: 'Seller Pty Ltd',
      SELLER_ABN: '53 004 085 616',
      SELLER_ADDRESS: '1 Example St, Hobart',
    },
  });
});
beforeEach(async () => {
  visitor = await signedInVisitor(test);
  const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
    visitor.email,
  ]);
  accountId = row?.id ?? '';
  await test.database.query('UPDATE account_session SET proven_at = now() WHERE account_id = $1', [
    accountId,
  ]);
  await credit(test, accountId, 8_500);
});
afterAll(async () => {
  await test.close();
  await Promise.all([cards.close(), mail.close()]);
});

const freeName = () => {
  const name = `slowcoffee-${(made += 1)}.com.au`;
  test.names.set(name, 'available');
  return name;
};
const addHolder = () => visitor.send('/profile/registrants', HOLDER).expect(303);
const formOf = (text: string, name: string) => ({
  ...{ quote: fieldOf(text, 'quote'), submission: fieldOf(text, 'submission'), accept: ACCEPTED, name },
  ...{ holder: /value="([\da-f-]{36})" checked/.exec(text)?.[1] ?? '', years: '1' },
});
/** Orders a name by its pages. @returns the address of the order's page */
async function order(name: string): Promise<string> {
  const { text } = await visitor.open(`/profile/order?name=${name}`).expect(200);
  const { headers } = await visitor.send('/profile/order', formOf(text, name)).expect(303);
  return String(headers.location);
}
const textOf = async (path: string) => (await visitor.open(path).expect(200)).text;

it('a person orders a name: registrant, price with GST, eligibility, texts, and the states in words', async () => {
  const name = freeName();
  expect(await textOf(`/profile/order?name=${name}`)).toContain('add one first');
  await addHolder();
  const text = await textOf(`/profile/order?name=${name}`);
  for (const words of [
    ...[
      'Slow Coffee Pty Ltd',
      '12 Elizabeth St, Hobart TAS 7000',
      'ACN 004085616',
      'A$\u00a019.82',
      'A$\u00a02.00',
    ],
    ...[
      'A$\u00a02.18',
      'Register for A$\u00a024.00',
      'A$\u00a085.00',
      'A$\u00a061.00',
      '2. Eligibility for .com.au',
      'made-up',
    ],
  ])
    expect(text).toContain(words);
  const form = { ...formOf(text, name), servers: 'ns1.example.net, ns2.example.net' };
  const refused = await visitor.send('/profile/order', { ...form, servers: 'ns1.example.net' }).expect(400);
  expect(refused.text).toContain('name_servers must be 2 to 9 host names');
  expect(refused.text).toContain('value="ns1.example.net"');
  const sent = await Promise.all([1, 2].map(() => visitor.send('/profile/order', form).expect(303)));
  expect(new Set(sent.map(({ headers }) => headers.location)).size).toBe(1);
  const path = String(sent[0]?.headers.location);
  expect(await textOf(path)).toContain(`Your order of ${name} is on its way`);
  await test.pass(1);
  const done = await textOf(path);
  for (const words of [
    `${name} is yours`,
    'Slow Coffee Pty Ltd',
    'Order sent to made-up',
    'reference BB-',
    'ns1.example.net, ns2.example.net',
  ])
    expect(done).toContain(words);
  expect(done).toContain('<li class="ok"><b>Registered</b>');
  expect(await textOf('/profile/orders')).toContain('<span class="chip free">Registered</span>');
});

it('buys the registrant and the term that were chosen, for the price that was shown', async () => {
  await addHolder();
  test.clock.set(new Date((await test.clock.now()).getTime() + 1_000));
  await visitor.send('/profile/registrants', { ...HOLDER, legal_name: 'Second Pty Ltd' }).expect(303);
  const name = freeName();
  const text = await textOf(`/profile/order?name=${name}`);
  // The first one that was added: a key can add another at any time.
  expect(text).toMatch(/ checked><span><b>Slow Coffee Pty Ltd</);
  const buying = /<form [^>]*method="post" action="\/profile\/order">[^]*<\/form>/.exec(text)?.[0] ?? '';
  for (const field of ['type="radio" name="holder"', '<select id="years"', 'formmethod="get" formnovalidate'])
    expect(buying).toContain(field);
  const second = /value="([\da-f-]{36})"><span><b>Second Pty Ltd/.exec(text)?.[1] ?? '';
  const form = { ...formOf(text, name), servers: 'ns1.example.net ns2.example.net' };
  for (const chosen of [{ holder: second }, { years: '2' }]) {
    const refused = await visitor.send('/profile/order', { ...form, ...chosen }).expect(409);
    expect(refused.text).toContain('Look at the price of it, then register.');
  }
  const asked = new URLSearchParams({ ...form, accept: '', holder: second, years: '2' });
  const again = await textOf(`/profile/order?${asked.toString()}`);
  expect(again).toContain('value="ns1.example.net ns2.example.net"');
  const { headers } = await visitor
    .send('/profile/order', { ...formOf(again, name), years: '2' })
    .expect(303);
  await test.pass(1);
  const order = await test.order(String(headers.location).split(/[/?]/)[3] ?? '');
  expect(order).toMatchObject({ state: 'registered', years: 2, registrantId: second });
});

it('buys nothing for a registrant that a program has changed since it was shown', async () => {
  await addHolder();
  const name = freeName();
  const text = await textOf(`/profile/order?name=${name}`);
  expect(text).toContain('Mia Example, 12 Elizabeth St, Hobart TAS 7000 · mia@example.com · +61.362000000');
  const form = formOf(text, name);
  const key = await addCustomer(test, 0, accountId);
  await callAs(test, key)
    .patch(`/api/v1/registrants/${form.holder}`)
    .send({ phone: '+61.299991111' })
    .expect(200);
  const refused = await visitor.send('/profile/order', form).expect(409);
  expect(refused.text).toContain('The registrant has changed since the quote');
  expect(refused.text).toContain('+61.299991111');
  await visitor.send('/profile/order', formOf(refused.text, name)).expect(303);
  await test.pass(1);
  expect(test.registrar.holders.get(name)).toMatchObject({
    registrant: { contact: { phone: '+61.299991111' } },
  });
});

const TAB =
  /<nav class="tabs"[^]*>Webhooks<\/a><a href="\/profile\/orders"( aria-current="page")?>Orders and balance<\/a>/;

it('the tab of orders is on each page of an account, and on none where nothing can be ordered', async () => {
  const paths = ['', '/usage', '/api-keys', '/webhooks', '/security', '/sessions', '/activity', '/mandates'];
  for (const path of paths) expect(await textOf(`/profile${path}`)).toMatch(TAB);
  expect(TAB.exec(await textOf('/profile/orders'))?.[1]).toBe(' aria-current="page"');
  const refused = await visitor.send('/profile/password', { current_password: 'x', new_password: '' });
  expect([refused.status, TAB.test(refused.text)]).toEqual([400, true]);
  const off = await startOrdersApp({ DATABASE_URL: test.databaseUrl, ORDERS: 'off' }, test);
  const stranger = await signedInVisitor(off);
  for (const path of paths.slice(0, -1)) {
    const { text } = await stranger.open(`/profile${path}`).expect(200);
    expect([path, text.includes('/profile/orders')]).toEqual([path, false]);
  }
  await off.close();
});

it('the form offers the terms that the registrar sells, and no others', async () => {
  await addHolder();
  const name = freeName();
  const terms = (text: string) =>
    [...text.matchAll(/<option value="(\d)"/g)].map(([, years]) => Number(years));
  expect(terms(await textOf(`/profile/order?name=${name}`))).toEqual([1, 2, 3, 4, 5]);
  test.registrar.years = [1];
  const refused = await textOf(`/profile/order?name=${name}&years=2`);
  const text = await textOf(`/profile/order?name=${name}`);
  test.registrar.years = [1, 2, 3, 4, 5];
  expect([terms(refused), terms(text)]).toEqual([[1], [1]]);
  expect(refused).toContain('years must be one of 1: .com.au is not sold here for 2.');
  expect(refused).not.toContain('name="quote"');
});

describe('renewals by themselves, consented to with the order', () => {
  const consents = (name: string) =>
    test.database.query<{ consent: object | null }>(
      'SELECT auto_renew AS consent FROM registration_order WHERE account_id = $1 AND domain = $2',
      [accountId, name],
    );
  beforeEach(async () => {
    await addHolder();
    test.registrar.renewalPrice = { cents: 2_530, gstCents: 230 };
  });
  afterEach(() => {
    test.registrar.renewalPrice = null;
  });

  it('the form says what a renewal costs, asks for consent, and until when the name can be given back', async () => {
    const name = freeName();
    // A page may show the price of some minutes ago. Then the consent is refused, and the next page has today's.
    const before = formOf(await textOf(`/profile/order?name=${name}`), name);
    await visitor.send('/profile/order', { ...before, renew_for: '2400' }).expect(409);
    const text = await textOf(`/profile/order?name=${name}`);
    expect(text).toContain('Renewal after the term: A$\u00a027.50 a year at today’s price.');
    expect(text).toContain(
      '<input type="checkbox" name="renew_for" value="2750"><span>Renew from my balance',
    );
    expect(text).toContain('give the name back within 24 hours');
    await visitor.send('/profile/order', formOf(text, name)).expect(303);
    expect(await consents(name)).toEqual([{ consent: null }]);
    test.registrar.cancelWindowHours = 0;
    const final = await textOf(`/profile/order?name=${name}`);
    test.registrar.cancelWindowHours = 24;
    expect(final).toContain('A registration is final: its registrar takes no name back.');
  });

  it('once, with what the person was shown, and it is renewed by itself for that', async () => {
    const name = freeName();
    const text = await textOf(`/profile/order?name=${name}`);
    const form = { ...formOf(text, name), renew_for: '2750' };
    const sent = await Promise.all([1, 2].map(() => visitor.send('/profile/order', form).expect(303)));
    const path = String(sent[0]?.headers.location);
    expect(await consents(name)).toEqual([
      {
        consent: {
          ...{ by: expect.stringMatching(/^session:/), from: expect.anything(), at: expect.anything() },
          ...{ maxCents: 2_750, agreements: ACCEPTED_TODAY },
        },
      },
    ]);
    expect(await textOf(path)).toContain('By itself once it is registered, for A$\u00a027.50 a year at most');
    await test.pass(1);
    expect(await textOf(path)).toContain('for A$\u00a027.50 a year at most');
    // Sent once more, after the price has moved: the same order.
    test.registrar.renewalPrice = { cents: 3_300, gstCents: 300 };
    expect((await visitor.send('/profile/order', form).expect(303)).headers.location).toBe(path);
    test.registrar.renewalPrice = { cents: 2_530, gstCents: 230 };
    const end = new Date((await test.clock.now()).getTime() + 20 * 86_400_000);
    const id = path.split(/[/?]/)[3] ?? '';
    await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE id = $1', [id, end]);
    test.registrar.ends.set(name, end);
    await test.run('renewals');
    await test.pass(60);
    expect(test.registrar.renewals.filter((one) => one === name)).toHaveLength(1);
  });

  it('is part of its order: the same form with another choice is refused, and the order stays as it is', async () => {
    const consent = {
      consent: expect.objectContaining({ maxCents: 2_750 }),
    };
    for (const [first, second, kept] of [
      [undefined, '2750', { consent: null }],
      ['2750', undefined, consent],
    ] as const) {
      const name = freeName();
      await credit(test, accountId, 2_400);
      const form = formOf(await textOf(`/profile/order?name=${name}`), name);
      const send = (cents: string | undefined) =>
        visitor.send('/profile/order', { ...form, ...(cents && { renew_for: cents }) });
      const { headers } = await send(first).expect(303);
      const { text } = await send(second).expect(409);
      expect(text).toContain('This form was sent before, with other choices');
      expect(await consents(name)).toEqual([kept]);
      expect((await send(first).expect(303)).headers.location).toBe(headers.location);
    }
  });

  it('another price than today’s is refused with it, and holds and orders nothing', async () => {
    const name = freeName();
    const form = formOf(await textOf(`/profile/order?name=${name}`), name);
    for (const [cents, status] of [
      ['2400', 409],
      ['-1', 400],
      ['1e9', 400],
    ] as const) {
      const { text } = await visitor.send('/profile/order', { ...form, renew_for: cents }).expect(status);
      if (status === 409) expect(text).toContain('A year of renewal costs 2750 cents now.');
    }
    expect(await consents(name)).toEqual([]);
    test.registrar.isAway = true;
    await visitor.send('/profile/order', { ...form, renew_for: '2750' }).expect(503);
    test.registrar.isAway = false;
    expect(await consents(name)).toEqual([]);
  });

  it('of an order that ended without its name it renews nothing', async () => {
    const name = freeName();
    const form = { ...formOf(await textOf(`/profile/order?name=${name}`), name), renew_for: '2750' };
    test.registrar.faults.set(name, [{ refused: 'policy' }]);
    const { headers } = await visitor.send('/profile/order', form).expect(303);
    await test.pass(1);
    expect(await textOf(String(headers.location))).not.toContain('a year at most');
    await test.run('renewals');
    expect(test.registrar.renewals).not.toContain(name);
  });
});

it('an unclear answer is told as one, and settled', async () => {
  await addHolder();
  const name = freeName();
  test.registrar.faults.set(name, ['reply_lost']);
  test.registrar.isAway = false;
  const path = await order(name);
  await test.pass(1);
  const text = await textOf(path);
  for (const words of ['We don’t know yet', `asking the registrar about ${name}`, 'can’t be charged twice'])
    expect(text).toContain(words);
  await test.pass(60);
  expect(await textOf(path)).toContain(`${name} is yours`);
});

it('an unclear order says when the registrar was asked, and when it is asked next', async () => {
  await addHolder();
  const name = freeName();
  test.registrar.faults.set(name, ['reply_lost']);
  const path = await order(name);
  await test.step();
  test.registrar.isMute = true;
  await test.pass(120);
  const [row] = await test.database.query<{ at: Date }>(
    `SELECT due_at AS at FROM work WHERE kind = 'registration' AND key = $1`,
    [path.split(/[/?]/)[3]],
  );
  const next = momentInWords(row?.at ?? new Date(0));
  expect(await textOf(path)).toMatch(/asked \d+ times, last [^<]*, next /);
  expect(await textOf(path)).toContain(`next ${next}; after a day a person looks at it`);
  test.registrar.isMute = false;
});

it.each([
  [
    'taken meanwhile',
    (name: string) => void test.registrar.holders.set(name, 'somebody'),
    'Someone was faster',
  ],
  [
    'refused',
    (name: string) => void test.registrar.faults.set(name, [{ refused: 'policy' }]),
    'was not registered',
  ],
])('a name that is %s: the money is free again', async (_, happen, words) => {
  await addHolder();
  const name = freeName();
  const path = await order(name);
  happen(name);
  await test.pass(1);
  const text = await textOf(path);
  expect(text).toContain(words);
  expect(text).toContain('A$\u00a024.00 is free on your balance again');
  expect(text).toMatch(/<li class="bad"><b>(?:Taken|Refunded)<\/b>/);
});

it('a form whose approval is refused leaves no order that waits', async () => {
  await addHolder();
  const name = freeName();
  const { text } = await visitor.open(`/profile/order?name=${name}`).expect(200);
  test.names.set(name, 'html');
  const refused = await visitor.send('/profile/order', formOf(text, name)).expect(503);
  expect(refused.text).toMatch(/No registry answered[^<]*Nothing was held\./);
  const rows = await test.database.query(
    'SELECT state, reason FROM registration_order WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ state: 'cancelled', reason: expect.stringContaining('not approved') }]);
  // Its person has read why; a mail says nothing new.
  await test.run('order-notices');
  expect(mail.mails.filter(({ to, text: words }) => to === visitor.email && words.includes(name))).toEqual(
    [],
  );
});

it('a refused approval says in plain words what the registry says of the name', async () => {
  await addHolder();
  const name = freeName();
  const { text } = await visitor.open(`/profile/order?name=${name}`).expect(200);
  test.names.set(name, 'pending_purge');
  const refused = await visitor.send('/profile/order', formOf(text, name)).expect(409);
  expect(refused.text).toMatch(/It drops soon\. Until then it belongs to its holder\. Nothing was held\./);
  expect(refused.text).not.toContain('pending_purge');
});

it.each([
  ['was erased', 'NULL'],
  ['is sealed by a lost key', `'\\x00'`],
])('an order that waits and whose registrant %s is shown, and cannot be approved', async (_, sealed) => {
  await addHolder();
  const customer = await addCustomer(test, 0, accountId);
  const id = await placeOrder(test, customer, freeName());
  const path = `/profile/orders/${id}`;
  const form = { accept: ACCEPTED, terms: fieldOf(await textOf(path), 'terms') };
  await test.database.query(`UPDATE registration_order SET sealed = ${sealed} WHERE id = $1`, [id]);
  const text = await textOf(path);
  expect(text).toContain('Its registrant can no longer be read.');
  expect(text).not.toContain('name="terms"');
  for (const step of ['approve', 'approve/options']) {
    const refused = await visitor.send(`${path}/${step}`, form).expect(409);
    expect(refused.text).toContain('place a new order');
  }
  expect(await test.order(id)).toMatchObject({ state: 'awaiting_approval' });
  await visitor.send(`${path}/cancel`, {}).expect(303);
});

it('the page of an order names the registrant as the order has it', async () => {
  await addHolder();
  const [path = ''] = (await order(freeName())).split('?');
  const id = /registrants\/([\da-f-]{36})/.exec(await textOf('/profile/registrants'))?.[1] ?? '';
  await visitor.send(`/profile/registrants/${id}`, { ...HOLDER, legal_name: 'Renamed Pty Ltd' }).expect(303);
  expect(await textOf(path)).toContain('<dd>Slow Coffee Pty Ltd</dd>');
  await visitor.send(`/profile/registrants/${id}/remove`, {}).expect(303);
  expect(await textOf(path)).toContain('<dd>Slow Coffee Pty Ltd</dd>');
});

describe('a renewal is told in words of its own', () => {
  /** @returns an order that waits to renew a name which ends in a month */
  async function renewal() {
    await addHolder();
    await credit(test, accountId, 5_000);
    const name = freeName();
    const registered = (await order(name)).split(/[/?]/)[3] ?? '';
    await test.pass(1);
    await test.database.query(
      `UPDATE registration_order SET expires_at = $2::timestamptz + interval '30 days' WHERE id = $1`,
      [registered, await test.clock.now()],
    );
    const end = (await test.order(registered)).expiresAt;
    if (end) test.registrar.ends.set(name, end);
    const customer = await addCustomer(test, 0, accountId);
    const quoted = await callAs(test, customer)
      .post(`/api/v1/registrations/${registered}/renewal`)
      .send({ years: 1 })
      .expect(200);
    const { body } = await callAs(test, customer)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', randomUUID())
      .send({ quote: (quoted.body as { quote: string }).quote, accept: ACCEPTED })
      .expect(202);
    const { id } = (body as { order: { id: string } }).order;
    const path = `/profile/orders/${id}`;
    const approve = async () => {
      const form = { accept: ACCEPTED, terms: fieldOf(await textOf(path), 'terms') };
      await visitor.send(`${path}/approve`, form).expect(303);
    };
    const told = async () => {
      const [api, page] = await Promise.all([
        callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200),
        textOf(path),
      ]);
      return { words: (api.body as { order: { state_words: string } }).order.state_words, page };
    };
    return { name, path, approve, told };
  }

  it('on its way, unclear and renewed', async () => {
    const { name, approve, told } = await renewal();
    expect((await told()).page).toContain(`<h1>Renew ${name}?</h1>`);
    test.registrar.faults.set(name, ['reply_lost']);
    await approve();
    const approved = (await told()).page;
    expect(approved).toContain(`The renewal of ${name} is on its way`);
    expect(approved).not.toContain('said that the name was free');
    await test.pass(1);
    expect((await told()).page).toContain(`asking the registrar about the renewal of ${name}`);
    await test.pass(60);
    const { words, page } = await told();
    expect([words, page]).toEqual(['Renewed.', expect.stringContaining(`<h1>${name} is renewed</h1>`)]);
    expect(page).not.toMatch(/<b>Registered/);
  });

  it('refused, lost and cancelled', async () => {
    const [refused, cancelled] = [await renewal(), await renewal()];
    test.registrar.faults.set(refused.name, [{ refused: 'policy' }]);
    await refused.approve();
    await visitor.send(`${cancelled.path}/cancel`, {}).expect(303);
    await test.pass(1);
    const failed = await refused.told();
    expect(failed.words).toBe('Not renewed; the money is back.');
    expect(failed.page).toContain(`<h1>${refused.name} was not renewed</h1>`);
    const ended = await cancelled.told();
    expect(ended.words).toBe('Cancelled; no money is set aside.');
    expect(ended.page).toContain(`<h1>The renewal of ${cancelled.name} is cancelled</h1>`);
    for (const { page } of [failed, ended])
      expect(page).not.toMatch(/[Nn]ot registered|Nothing was registered/);
  });
});

it('a person renews a name by its page for the years they choose, once, with its registrant', async () => {
  await addHolder();
  const name = freeName();
  const [path = ''] = (await order(name)).split('?');
  await test.pass(1);
  const id = path.split('/')[3] ?? '';
  const form = `/profile/order?name=${name}&renews=${id}`;
  expect(await textOf(path)).not.toContain('Renew it now');
  expect(await textOf(form)).toContain('The registry renews the name from');
  const end = new Date((await test.clock.now()).getTime() + 60 * 86_400_000);
  await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE id = $1', [id, end]);
  test.registrar.ends.set(name, end);
  expect(await textOf(path)).toContain(
    `<a class="btn" href="${form.replace('&', '&amp;')}">Renew it now</a>`,
  );
  await visitor.send('/profile/registrants', { ...HOLDER, legal_name: 'Other Coffee Pty Ltd' });
  const text = await textOf(`${form}&years=2`);
  for (const words of [
    ...[`<h1>Renew ${name}?</h1>`, 'Slow Coffee Pty Ltd', 'Renew for 2 years, A$\u00a0'],
    'A$\u00a061.00',
  ])
    expect(text).toContain(words);
  for (const words of ['Name servers', 'type="radio"', 'Other Coffee']) expect(text).not.toContain(words);
  const sent = {
    ...{ quote: fieldOf(text, 'quote'), submission: fieldOf(text, 'submission'), accept: ACCEPTED, name },
    ...{ renews: fieldOf(text, 'renews'), years: '2' },
  };
  const refused = await visitor.send('/profile/order', { ...sent, accept: ACCEPTED.slice(1) }).expect(400);
  expect(refused.text).toContain('Renew for 2 years');
  const answers = await Promise.all([1, 2].map(() => visitor.send('/profile/order', sent).expect(303)));
  expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
  await test.pass(60);
  expect(test.registrar.renewals.filter((one) => one === name)).toHaveLength(1);
  expect(await textOf(String(answers[0]?.headers.location))).toContain(`${name} is renewed`);
  const other = await signedInVisitor(test);
  await other.open(form).expect(404);
});

it('a name is renewed by its page for thirty days after its end, and not a day longer', async () => {
  await addHolder();
  const [path = ''] = (await order(freeName())).split('?');
  await test.pass(1);
  const endedDaysAgo = async (days: number) => {
    const end = new Date((await test.clock.now()).getTime() - days * 86_400_000);
    await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE id = $1', [
      ...[path.split('/')[3], end],
    ]);
    return textOf(path);
  };
  expect(await endedDaysAgo(-1)).not.toContain('registration ended');
  expect(await endedDaysAgo(29)).toMatch(/Its registration ended on [^.]+\. It can be renewed until [^.]+\./);
  const consent = (cents: number) =>
    visitor.send(`${path}/renewal`, { accept: ACCEPTED, renew_for: String(cents) });
  await visitor.send(`${path}/renewal`, { accept: ACCEPTED }).expect(409);
  await consent(2_399).expect(409);
  await consent(2_400).expect(303);
  expect(await textOf(path)).toContain(
    'We try to renew it each day until then, for A$\u00a024.00 a year at most.',
  );
  await test.database.query(
    `UPDATE registration_order SET auto_renew = auto_renew || '{"failed": "it was dear"}' WHERE id = $1`,
    [path.split('/')[3]],
  );
  expect(await textOf(path)).toContain('The last try: it was dear.');
  expect(await endedDaysAgo(31)).not.toContain('<h2>Renewal</h2>');
});

it('a name that is given back says so, before and after', async () => {
  await addHolder();
  const name = freeName();
  const [path = ''] = (await order(name)).split('?');
  await test.pass(1);
  await visitor.send(`${path}/cancel`, {}).expect(303);
  const asked = await textOf(path);
  expect(asked).toContain(`<h1>${name} is being given back</h1>`);
  expect(asked).not.toContain('Renew it by itself');
  await test.pass(60);
  const text = await textOf(path);
  expect(text).toContain(`<h1>${name} was given back</h1>`);
  expect(text).toContain('A$\u00a024.00 is in your balance again');
  expect(text).not.toContain('Nothing was registered');
});

it('an approved order that waits for a stop says so, and what becomes of it and its money', async () => {
  await addHolder();
  const name = freeName();
  const [path = ''] = (await order(name)).split('?');
  const customer = await addCustomer(test, 0, accountId);
  const told = async () => {
    const { body } = await callAs(test, customer)
      .get(`/api/v1/registrations/${path.split('/')[3]}`)
      .expect(200);
    const { results } = (await callAs(test, customer).get('/api/v1/registrations').expect(200)).body as {
      results: unknown[];
    };
    expect(results[0]).toEqual((body as { order: unknown }).order);
    return (body as { order: { state: string; state_words: string; reason: string | null } }).order;
  };
  const stops = test.app.get(OrderingStops);
  await stops.stop('operator', 'a test', new Date());
  await test.pass(1);
  const text = await textOf(path);
  expect(text).toContain(`<h1>Your order of ${name} waits</h1>`);
  for (const words of [
    'An operator stopped ordering.',
    'stays set aside',
    'is cancelled',
    'money is free again',
  ])
    expect(text).toContain(words);
  expect(text).not.toContain('is sent to the registrar');
  expect(await told()).toMatchObject({ state: 'approved', reason: 'An operator stopped ordering.' });
  await stops.clear('operator');
  expect(await told()).toMatchObject({ state: 'approved', reason: null });
  expect(await textOf(path)).toContain(`Your order of ${name} is on its way`);
  await test.pass(120);
  expect(await textOf(path)).toContain(`${name} is yours`);
});

it('what cannot be ordered says why, and leads to the link: eligibility, balance, a bad name', async () => {
  await addHolder();
  const refused = await textOf('/profile/order?name=slowcoffee.id.au');
  expect(refused).toContain('This cannot be ordered now');
  expect(refused).toContain('id.au is for natural persons');
  expect(refused).toContain('/domains/slowcoffee.id.au');
  expect(refused).not.toContain('Register for');
  test.registrar.price = { cents: 99_000, gstCents: 9_000 };
  const short = await textOf(`/profile/order?name=${freeName()}`);
  test.registrar.price = { cents: 2_180, gstCents: 198 };
  expect(short).toMatch(/Your balance is A\$\s[\d.]+ short/);
  await visitor.open('/profile/order?name=nonsense').expect(400);
});

it('a form without a fresh proof confirms it first, and returns to itself', async () => {
  await addHolder();
  const name = freeName();
  const { text } = await visitor.open(`/profile/order?name=${name}`).expect(200);
  await test.database.query('UPDATE account_session SET proven_at = NULL WHERE account_id = $1', [accountId]);
  const { headers } = await visitor.send('/profile/order', formOf(text, name)).expect(303);
  expect(headers.location).toBe('/sign-in/confirm');
  const [cookie] = [headers['set-cookie'] ?? []].flat().filter((one) => one.startsWith('bowerbird_next'));
  expect(decodeURIComponent(String(cookie))).toContain(`/profile/order?name=${name}&holder=`);
});

it('registrants are added, changed and removed by forms; a refused one keeps what was typed', async () => {
  const { text } = await visitor
    .send('/profile/registrants', { ...HOLDER, number: '004 085 617' })
    .expect(400);
  expect(text).toContain('with their check digits');
  expect(text).toContain('value="Slow Coffee Pty Ltd"');
  await addHolder();
  const id = /registrants\/([\da-f-]{36})/.exec(await textOf('/profile/registrants'))?.[1] ?? '';
  expect(await textOf(`/profile/registrants/${id}`)).toContain('value="+61.362000000"');
  await visitor.send(`/profile/registrants/${id}`, { ...HOLDER, city: 'Launceston' }).expect(303);
  expect(await textOf('/profile/registrants')).toContain('12 Elizabeth St, Launceston TAS 7000');
  await visitor.send(`/profile/registrants/${id}/remove`, {}).expect(303);
  await visitor.open(`/profile/registrants/${id}`).expect(404);
  await visitor.open(`/profile/registrants/${randomUUID()}`).expect(404);
});

it('a registrant whose key is lost is told in its place, and entered again or removed', async () => {
  const lose = () =>
    test.database.query(
      `UPDATE registrant_profile SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) WHERE account_id = $1`,
      [accountId],
    );
  await addHolder();
  await lose();
  const list = await textOf('/profile/registrants');
  expect(list).toContain('cannot be read now. Enter them again, or remove the registrant.');
  const path = /\/profile\/registrants\/[\da-f-]{36}/.exec(list)?.[0] ?? '';
  const form = `/profile/order?name=${freeName()}`;
  for (const words of ['Enter them again, or remove it', 'add one first'])
    expect(await textOf(form)).toContain(words);
  await textOf('/profile/mandates');
  expect(await textOf(path)).toContain('cannot be read now');
  await visitor.send(path, { ...HOLDER, legal_name: 'Entered Again Pty Ltd' }).expect(303);
  expect(await textOf('/profile/registrants')).not.toContain('cannot be read now');
  expect(await textOf(form)).toContain('Entered Again Pty Ltd');
  await lose();
  await addHolder();
  expect(await textOf(form)).toContain('Slow Coffee Pty Ltd');
  await visitor.send(`${path}/remove`, {}).expect(303);
  expect(await textOf('/profile/registrants')).not.toContain('cannot be read now');
});

it('a top-up leads to the page of the card provider, once a form; too little is refused in its place', async () => {
  const { text } = await visitor.open('/profile/orders').expect(200);
  const form = { amount: '50', submission: fieldOf(text, 'submission') };
  const open = async () => (await visitor.send('/profile/top-up', form).expect(200)).text;
  const page = await open();
  expect(page).toContain('You pay A$\u00a050.00');
  const href = /class="btn" rel="nofollow" href="([^"]+)"/.exec(page)?.[1] ?? '';
  expect(href.startsWith(cards.url)).toBe(true);
  expect(await open()).toContain(href);
  const refused = await visitor.send('/profile/top-up', { ...form, amount: '0' }).expect(400);
  expect(refused.text).toContain('Not saved: a field needs a fix');
});

describe('a receipt', () => {
  const pdfOf = async (path: string) => {
    const { body, headers } = await visitor.open(path).responseType('blob').expect(200);
    expect(headers['content-type']).toBe('application/pdf');
    return body as Buffer;
  };
  /** Registers a name. @returns the path of its order and of its tax invoice */
  const register = async (name: string) => {
    await addHolder();
    const [path = ''] = (await order(name)).split('?');
    await test.pass(1);
    const text = await textOf(path);
    return { path, invoice: /\/profile\/receipts\/\d+/.exec(text)?.[0] ?? '' };
  };

  it('of a registration is a tax invoice, as page and PDF, the same for ever', async () => {
    const name = freeName();
    const { path, invoice } = await register(name);
    const words = [
      ...['Tax invoice', 'Seller Pty Ltd, 1 Example St, Hobart, ABN 53 004 085 616', 'Date of issue'],
      ...[
        'Slow Coffee Pty Ltd, ACN 004 085 616',
        `Registration of a domain name: ${name}, 1 year`,
        'Quantity',
      ],
      ...['A$\u00a021.82', 'A$\u00a02.18', 'Total, which includes GST', 'A$\u00a024.00'],
    ];
    const page = await textOf(invoice);
    const pdf = await pdfOf(`${invoice}.pdf`);
    const drawn = textOfPdf(pdf).replaceAll('\n', ' ');
    for (const one of words) {
      expect(page).toContain(one);
      expect(drawn).toContain(one);
    }
    expect(await textOf('/profile/orders')).toContain(`href="${invoice}"`);
    expect((await pdfOf(`${invoice}.pdf`)).equals(pdf)).toBe(true);

    await visitor.send(`${path}/cancel`, {}).expect(303);
    await test.pass(30);
    const [, note = ''] =
      /receipts\/\d+"[^]*?(\/profile\/receipts\/\d+)">Adjustment note/.exec(await textOf(path)) ?? [];
    const number = invoice.split('/').pop() ?? '';
    for (const one of [
      'Adjustment note',
      `Adjusts tax invoice ${number}`,
      'A$\u00a02.18',
      'Slow Coffee Pty Ltd',
    ])
      expect(await textOf(note)).toContain(one);
    expect((await pdfOf(`${invoice}.pdf`)).equals(pdf)).toBe(true);
  });

  it('is read with a key of its account that has the scope; of another it is not there', async () => {
    const { invoice } = await register(freeName());
    const number = invoice.split('/').pop() ?? '';
    const api = `/api/v1/balance/receipts/${number}`;
    const [own, other] = [await addCustomer(test, 0, accountId), await addCustomer(test, 0)];
    const { body } = await callAs(test, own).get(api).expect(200);
    expect(body).toMatchObject({
      ...{ number, kind: 'tax_invoice', total_cents: 2_400, gst_cents: 218, adjusts: null },
      ...{
        seller: { abn: '53004085616' },
        buyer: { name: 'Slow Coffee Pty Ltd', number: 'ACN 004 085 616' },
      },
    });
    const { body: rows } = await callAs(test, own).get('/api/v1/balance/statement').expect(200);
    const credited = expect.any(String) as string;
    expect(rows).toMatchObject({ results: [{ receipt: number }, { kind: 'credit', receipt: credited }] });
    const [, credit] = (rows as { results: { receipt: string }[] }).results;
    expect(await textOf(`/profile/receipts/${credit?.receipt ?? ''}`)).toContain('Credit note');
    const pdf = await callAs(test, own).get(`${api}/pdf`).responseType('blob').expect(200);
    expect((pdf.body as Buffer).equals(await pdfOf(`${invoice}.pdf`))).toBe(true);
    const stranger = await signedInVisitor(test);
    for (const path of ['', '/pdf']) {
      await callAs(test, other).get(`${api}${path}`).expect(404);
      const { bearer } = await addKey(test.database, { accountId });
      await test.caller().get(`${api}${path}`).set('Authorization', bearer).expect(403);
    }
    for (const path of [invoice, `${invoice}.pdf`, '/profile/receipts/999999'])
      await stranger.open(path).expect(404);
    await callAs(test, own).get('/api/v1/balance/receipts/0').expect(400);
  });

  it('keeps the seller of its day, and the database refuses a change', async () => {
    const { invoice } = await register(freeName());
    const later = new Ledger(test.database, readConfig({ SELLER_NAME: 'Another Pty Ltd' }));
    const entries = [
      { kind: 'customer', accountId, cents: 500 } as const,
      { kind: 'card_clearing', cents: -500 } as const,
    ];
    const topUp = {
      kind: 'top_up',
      source: `stripe:${randomUUID()}`,
      words: 'By card',
      at: new Date(),
      entries,
    } as const;
    await test.database.transaction((transaction) => later.post(transaction, topUp));
    const [newest] = await later.statement(accountId, null, 1);
    const text = await textOf(`/profile/receipts/${newest?.receipt}`);
    for (const words of ['Receipt', 'Another Pty Ltd', 'A$\u00a05.00', 'A top-up is not a sale'])
      expect(text).toContain(words);
    expect(text).not.toMatch(/Tax invoice|ABN/);
    expect(await textOf(invoice)).toContain('Seller Pty Ltd, 1 Example St');
    for (const change of [`UPDATE receipt SET seller = '{}'`, 'DELETE FROM receipt', 'TRUNCATE receipt'])
      await expect(test.database.query(change)).rejects.toThrow('append-only');
  });
});

it('the page of an order says who sets its name servers where its registrar takes none', async () => {
  await addHolder();
  const [path = ''] = (await order(freeName())).split('?');
  await test.pass(1);
  test.registrar.setsNameServers = false;
  const text = await textOf(path);
  expect(text).toContain('made-up takes no name servers from here: write to us');
  expect(text).not.toContain('Set name servers</button>');
  await visitor.send(`${path}/name-servers`, { name_servers: 'ns1.a.net ns2.a.net' }).expect(409);
  test.registrar.setsNameServers = true;
  expect(await textOf(path)).toContain('Set name servers</button>');
  const { nameServers, wishedServers } = await test.order(path.split('/')[3] ?? '');
  expect([nameServers, wishedServers]).toEqual([[], null]);
});

it('the page of a name that is free leads to the order, which says who called it free and when', async () => {
  const name = freeName();
  const checkedAt = await test.clock.now();
  await addInState(test.database, [{ domain: name, state: 'available', confirmedBy: 'sandbox', checkedAt }]);
  const { text } = await test.caller().get(`/domains/${name}`).expect(200);
  expect(text).toContain(`href="/profile/order?name=${name}"`);
  expect(text).toMatch(
    /Register here<\/b><p class="small soft">1 year, GST included\.<\/p><\/div><b class="nb">A\$\u00a0\d/,
  );
  expect(text).toContain(`>Register ${name}</a>`);
  expect(text).not.toContain('Balance');
  expect(await textOf(`/domains/${name}`)).toMatch(/GST included\. Balance A\$\u00a0\d/);
  const said = (page: string) => page.replace(/<[^>]*>/g, '');
  expect(said(await textOf(`/profile/order?name=${name}`))).toMatch(
    /Available the sandbox \(made up\), (?:just now|\d+ \w+ ago)\. We check once more when you confirm\./,
  );
  expect(said(await textOf(`/profile/order?name=${freeName()}`))).toContain('Not checked');
});

it('help and documents say how names are ordered, and only where they are', async () => {
  expect(await textOf('/help')).toContain('You register them here from a prepaid balance');
  expect(await textOf('/docs')).toContain('href="/docs/ordering"');
  expect(await textOf('/docs/ordering')).toContain('api/v1/registrations/quote');
  const without = await startTestApp();
  const caller = without.caller();
  expect((await caller.get('/help')).text).not.toContain('prepaid');
  expect((await caller.get('/docs')).text).not.toContain('ordering');
  await caller.get('/docs/ordering').expect(404);
  await without.close();
});

describe('the lists of orders and movements', () => {
  const SHOWN = 50;
  const linkOf = (text: string, words: string) =>
    new RegExp(`<a class="btn quiet" href="([^"]+)">${words}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&');
  const ordersIn = (text: string) => text.match(/(?<=href="\/profile\/orders\/)[0-9a-f-]{36}/g) ?? [];
  const amountsIn = (text: string) => text.match(/(?<=data-label="Amount">)[^<]+/g) ?? [];
  const follow = async (text: string, words: string) => textOf(linkOf(text, words) ?? `no link “${words}”`);

  const copyOrder = (id: string | undefined, times: number) =>
    test.database.query(
      `INSERT INTO registration_order OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(),
                'idempotency_key', gen_random_uuid(), 'state', 'cancelled'))).*
         FROM registration_order AS one, generate_series(1, $2) WHERE id = $1`,
      [id, times],
    );

  it('lead to every older one, each by itself, and back to the newest', async () => {
    await addHolder();
    const oldest = /[0-9a-f-]{36}/.exec(await order(freeName()))?.[0];
    await copyOrder(oldest, SHOWN - 1);
    for (let cents = 1; cents < SHOWN; cents += 1) await credit(test, accountId, cents);
    const full = await textOf('/profile/orders');
    expect([ordersIn(full).length, amountsIn(full).length]).toEqual([SHOWN, SHOWN]);
    expect(full).not.toMatch(/Older|Newest/);

    await copyOrder(oldest, 1);
    await credit(test, accountId, SHOWN);
    const newest = await textOf('/profile/orders');
    expect(ordersIn(newest)).toHaveLength(SHOWN);
    expect(ordersIn(newest)).not.toContain(oldest);
    const olderOrders = await follow(newest, 'Older orders');
    expect([ordersIn(olderOrders), amountsIn(olderOrders)]).toEqual([[oldest], amountsIn(newest)]);
    expect(linkOf(olderOrders, 'Older orders')).toBeUndefined();
    const both = await follow(olderOrders, 'Older movements');
    expect([ordersIn(both), amountsIn(both)]).toEqual([[oldest], ['A$\u00a085.00']]);
    const again = await follow(both, 'Newest orders');
    expect([ordersIn(again), amountsIn(again)]).toEqual([ordersIn(newest), ['A$\u00a085.00']]);
    expect(amountsIn(await follow(again, 'Newest movements'))).toEqual(amountsIn(newest));

    expect(await textOf('/profile/orders?orders=1&movements=1')).toContain('Nothing older.');
    for (const query of ['orders=x', 'movements=-1', 'orders=1&orders=2', `orders=${'9'.repeat(19)}`])
      await visitor.open(`/profile/orders?${query}`).expect(400);
  });

  it('are all in the file, also beyond the rows that are read at once', async () => {
    const many = 2_001;
    for (let made = 0; made < many; made += 1) await credit(test, accountId, 1);
    const lines = (await textOf('/profile/statement.csv')).trimEnd().split('\n').slice(1);
    const balances = lines.map((line) => Number(line.split(',').at(-2)));
    const [newest = 0] = balances;
    expect(lines.length).toBeGreaterThanOrEqual(many);
    expect(balances.slice(0, many)).toEqual(Array.from({ length: many }, (_, place) => newest - place));
  });
});

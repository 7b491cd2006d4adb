import { type SandboxAbnLookup, startSandboxAbnLookup } from '../../src/demo/sandbox-abn-lookup.js';
import { readLookup } from '../../src/orders/eligibility/abn-lookup.js';
import { parseDomainName } from '../../src/domains/name/domain-name.js';
import { OrderingCustomers } from '../../src/orders/order/customers.js';
import { HandedClock } from '../support/clock.js';
import { WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { REGISTRANT } from '../support/orders.js';
import { signedInVisitor, visitorOf } from '../support/visitor.js';
import { RegistrantRepository } from '../../src/orders/registrants/registrant.repository.js';
import { randomUUID } from 'node:crypto';

let lookup: SandboxAbnLookup;
let test: TestApp;
let settings: Record<string, string>;
beforeAll(async () => {
  lookup = await startSandboxAbnLookup(0);
  settings = {
    ...WITH_KEYS,
    ORDERS: 'on',
    ORDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ABN_LOOKUP_URL: lookup.url,
    ABN_LOOKUP_GUID: lookup.guid,
  };
  test = await startTestApp(settings);
});
afterAll(async () => {
  await test.close();
  await lookup.close();
});

const COMPANY = { number: '53 004 085 616', legal_name: 'Coffee Cart Pty Ltd', type: 'Company' };
const judge = (domain: string, changes: Partial<typeof COMPANY> = {}) =>
  test
    .caller()
    .get('/api/v1/eligibility')
    .query({ domain, ...COMPANY, ...changes });

describe('GET /api/v1/eligibility', () => {
  it.each([
    ['coffeecart.com.au', {}, 'eligible'],
    ['slow-coffee.com.au', {}, 'eligible'],
    ['anything-free.au', { number: '004 085 616' }, 'eligible'],
    ['plumbing.com.au', {}, 'unknown'],
    ['coffeecart.id.au', {}, 'not_eligible'],
    ['coffeecart.com.au', { legal_name: 'Coffee Carts Pty Ltd' }, 'not_eligible'],
    ['coffeecart.com.au', { number: '53 004 085 617' }, 'not_eligible'],
    // A right check digit, and nobody has the number.
    ['coffeecart.com.au', { number: '000 500 005' }, 'not_eligible'],
  ])('%s, %j: %s, with rule, source and day', async (domain, changes, is) => {
    const { status, body } = await judge(domain, changes);
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        domain,
        eligibility: {
          is,
          rule: expect.stringMatching(/\.$/),
          source: expect.stringMatching(/\w/),
          as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        },
      },
    ]);
  });

  it('asks the register once a day for a number, and says the day', async () => {
    const at = new Date('2026-11-28T10:00:00Z');
    const clock = new HandedClock(at);
    const app = await startTestApp({ ...settings, DATABASE_URL: test.databaseUrl }, clock);
    const number = '38 079 009 340';
    const ask = async (legal_name: string) => {
      const query = { domain: 'oldmillbakery.com.au', type: 'Company', number, legal_name };
      const { body } = await app.caller().get('/api/v1/eligibility').query(query).expect(200);
      return (body as { eligibility: { is: string; as_of: string } }).eligibility;
    };
    const asked = () => lookup.asked.filter((digits) => digits === '38079009340').length;
    const before = asked();
    await Promise.all(Array.from({ length: 5 }, () => ask('Old Mill Bakery Pty Ltd')));
    expect((await ask('Another Pty Ltd')).as_of).toBe('2026-11-28');
    expect(asked() - before).toBe(1);
    clock.set(new Date('2026-11-29T09:59:00Z'));
    expect((await ask('Another Pty Ltd')).as_of).toBe('2026-11-28');
    clock.set(new Date('2026-11-29T10:01:00Z'));
    expect((await ask('Another Pty Ltd')).as_of).toBe('2026-11-29');
    expect(asked() - before).toBe(2);
    // An order asks the register itself.
    const name = parseDomainName('oldmillbakery.com.au');
    const holder = {
      ...REGISTRANT,
      legalName: 'Old Mill Bakery Pty Ltd',
      idType: 'ABN',
      id: '38079009340',
    } as const;
    await app.app.get(OrderingCustomers).judge(name, holder);
    expect(asked() - before).toBe(3);
    await app.close();
  });

  it('what cannot be judged is a 400 that says what to change', async () => {
    const { status, body } = await judge('coffeecart.com.au', { number: '12345' });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(JSON.stringify(body)).toContain('an ABN of 11 digits or an ACN of 9');
    expect((await judge('coffeecart.com.au', { type: 'King' })).status).toBe(400);
  });
});

describe('POST /domains/:domain/eligibility', () => {
  const FORM = { number: '53 004 085 616', legal_name: 'Coffee Cart Pty Ltd', type: 'Company' };
  const ask = (name: string, changes: Partial<typeof FORM> = {}) =>
    visitorOf(test).send(`/domains/${name}/eligibility`, { ...FORM, ...changes });
  const addRegistrant = async (email: string, legalName: string) => {
    const [account] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      email,
    ]);
    const [id, at] = [randomUUID(), new Date()];
    const profile = { id, createdAt: at, changedAt: at, registrant: { ...REGISTRANT, legalName } };
    await test.app.get(RegistrantRepository).insert(account?.id ?? '', profile);
    return id;
  };

  it.each([
    ['coffeecart.com.au', {}, 'free', 'May register it'],
    ['plumbing.com.au', {}, 'unk', 'Not known'],
    ['coffeecart.id.au', {}, 'gone', 'May not register it'],
    ['coffeecart.com.au', { number: '53 004 085 617' }, 'gone', 'May not register it'],
  ])('%s, %j: the page answers in place, with rule, source and day', async (name, changes, tone, words) => {
    const { status, text, headers } = await ask(name, changes);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(text).toMatch(
      new RegExp(`<section id="eligibility">[^]*role="status"><p><span class="chip ${tone}">${words}<`),
    );
    expect(text).toMatch(/Source: [^<]+, \d+ [A-Z][a-z]+ \d{4}\. The registrar decides/);
    expect(text).toContain('value="Coffee Cart Pty Ltd"');
  });

  it('a page that was only opened has no verdict, and a reloaded address leads to it', async () => {
    const visitor = visitorOf(test);
    const { text } = await visitor.open('/domains/coffeecart.com.au');
    expect(text).toContain('action="/domains/coffeecart.com.au/eligibility#eligibility"');
    expect(text).not.toMatch(/role="status"|May register it/);
    for (const path of ['', '/registrant']) {
      const { status, headers } = await visitor.open(`/domains/coffeecart.com.au/eligibility${path}`);
      expect([status, headers.location]).toEqual([303, '/domains/coffeecart.com.au#eligibility']);
    }
  });

  it('what cannot be judged is said in the place of the verdict, and keeps what was typed', async () => {
    const { status, text } = await ask('coffeecart.com.au', { number: '<b>12' });
    expect(status).toBe(400);
    expect(text).toMatch(/role="alert">number must be an ABN of 11 digits or an ACN of 9\./);
    expect(text).toContain('value="&lt;b&gt;12"');
    expect(text).not.toMatch(/role="status"/);
    expect((await ask('coffeecart.com.au', { type: 'King' })).status).toBe(400);
    expect((await ask('coffeecart.com.au', { surplus: '1' } as object)).status).toBe(400);
    expect((await visitorOf(test).agent.post('/domains/coffeecart.com.au/eligibility')).status).toBe(400);
  });

  it('a signed-in person chooses a registrant of theirs, and nobody else’s', async () => {
    const [visitor, other] = [await signedInVisitor(test), await signedInVisitor(test)];
    const registrant = await addRegistrant(visitor.email, 'Coffee Cart Pty Ltd');
    const path = '/domains/coffeecart.com.au';
    const opened = await visitor.open(path);
    expect(opened.headers['cache-control']).toBe('no-store');
    expect(opened.text).toContain(
      `<option value="${registrant}" selected>Coffee Cart Pty Ltd, ACN 004085616`,
    );
    const judged = await visitor.send(`${path}/eligibility/registrant`, { registrant });
    expect([judged.status, judged.text.includes('May register it')]).toEqual([200, true]);
    const foreign = await other.send(`${path}/eligibility/registrant`, { registrant });
    expect([foreign.status, foreign.text.includes('Coffee Cart')]).toEqual([400, false]);
    const signedOut = await visitorOf(test).send(`${path}/eligibility/registrant`, { registrant });
    expect([signedOut.status, signedOut.text.includes('Coffee Cart')]).toEqual([401, false]);
    expect(signedOut.text).toContain('You are signed out');
  });

  it('a form of another site is refused, and with ORDERS=off there is none', async () => {
    const { agent } = visitorOf(test);
    const foreign = await agent
      .post('/domains/coffeecart.com.au/eligibility')
      .set('Origin', 'https://evil.example')
      .type('form')
      .send(FORM);
    expect(foreign.status).toBe(400);
    expect(foreign.text).toContain('sent from another site');
    const off = await startTestApp({ ...WITH_KEYS, DATABASE_URL: test.databaseUrl });
    const page = await off.caller().get('/domains/coffeecart.com.au');
    expect(page.text).not.toContain('/eligibility');
    const refused = await off.caller().post('/domains/coffeecart.com.au/eligibility').type('form').send(FORM);
    expect(refused.status).toBe(404);
    await off.close();
  });
});

it('an answer of ABN Lookup about another number, or that cannot be read, says nothing', () => {
  const now = new Date('2026-11-27T00:00:00Z');
  const entry = { Abn: '51824753556', Acn: '', AbnStatus: 'Active', EntityName: 'A', EntityTypeCode: 'PRV' };
  const texts = [
    JSON.stringify(entry),
    'c(1)',
    'c({"Abn":"","Message":"The GUID entered is not recognised"})',
  ];
  for (const text of [...texts, `c(${JSON.stringify({ ...entry, AbnStatus: '' })})`, '<html>'])
    expect(readLookup(text, '51824753556', now)).toBeNull();
  expect(readLookup(`c(${JSON.stringify(entry)})`, '53004085616', now)).toBeNull();
  expect(readLookup(`c(${JSON.stringify(entry)})`, '51824753556', now)).toMatchObject({ isActive: true });
});

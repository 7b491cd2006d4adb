import { type SandboxAbnLookup, startSandboxAbnLookup } from '../../src/demo/sandbox-abn-lookup.js';
import { readLookup } from '../../src/orders/eligibility/abn-lookup.js';
import { WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';

let lookup: SandboxAbnLookup;
let test: TestApp;
beforeAll(async () => {
  lookup = await startSandboxAbnLookup(0);
  test = await startTestApp({
    ...WITH_KEYS,
    ORDERS: 'on',
    ORDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ABN_LOOKUP_URL: lookup.url,
    ABN_LOOKUP_GUID: lookup.guid,
  });
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

  it('what cannot be judged is a 400 that says what to change', async () => {
    const { status, body } = await judge('coffeecart.com.au', { number: '12345' });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(JSON.stringify(body)).toContain('an ABN of 11 digits or an ACN of 9');
    expect((await judge('coffeecart.com.au', { type: 'King' })).status).toBe(400);
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

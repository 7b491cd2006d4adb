import { randomUUID } from 'node:crypto';
import { type SandboxCards, settingsOf, startSandboxCards } from '../../src/demo/sandbox-cards.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { addKey } from '../support/accounts.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  type Customer,
  order,
  type OrdersApp,
  placeOrder,
  quote,
  startOrdersApp,
} from '../support/orders.js';

let cards: SandboxCards;
let test: OrdersApp;
/** Who is robbed, who robs, a key that may only look, and a program of the victim without a mandate. */
let [victim, thief]: Customer[] = [];
let [reader, agent]: { bearer: string }[] = [];
const known: Record<string, string> = {};

beforeAll(async () => {
  cards = await startSandboxCards(0);
  test = await startOrdersApp(settingsOf(cards));
  [victim, thief] = [await addCustomer(test), await addCustomer(test)];
  reader = await addKey(test.database, { accountId: victim.accountId, scopes: ['orders:read'] });
  known.quote = await quote(test, victim, 'stolen.com.au');
  known.own = await quote(test, thief, 'own.com.au');
  known.order = await placeOrder(test, victim, 'ordered.com.au');
  known.registrant = victim.registrant;
  agent = await addCustomer(test, 0, victim.accountId);
  known.owned = await order(test, victim, 'owned.com.au');
  await test.pass(1);
  known.approved = await order(test, victim, 'approved.com.au');
  const { body } = await callAs(test, victim)
    .post('/api/v1/balance/top-ups')
    .set('Idempotency-Key', 'victim')
    .send({ cents: 5_000 })
    .expect(201);
  known.topUp = (body as { top_up: { id: string } }).top_up.id;
});
afterAll(async () => {
  await test.close();
  await cards.close();
});

type Who = 'thief' | 'reader' | 'agent' | 'nobody' | 'forged';
type Row = [what: string, who: Who, request: string, body: unknown, status: number, key?: string];

const QUOTE = 'POST registrations/quote';
const PLACE = 'POST registrations';
const RENEW = 'POST registrations/$order/renewal';
const MOVE = 'POST registrations/$owned/name-servers';
const SERVERS = { name_servers: ['ns1.thief.example', 'ns2.thief.example'] };
const TOP_UP = 'POST balance/top-ups';
const LONG = 'x'.repeat(5_000);
const quoteOf = (more: object) => ({ domain: 'abused.com.au', years: 1, registrant: '$own', ...more });
const orderOf = (more: object) => ({ quote: '$ownQuote', accept: ACCEPTED, ...more });
/** `$` stands for what only the tests know. */
const ROWS: Row[] = [
  ['without a key', 'nobody', QUOTE, quoteOf({}), 401],
  ['orders without a key', 'nobody', PLACE, orderOf({}), 401],
  ['tops up without a key', 'nobody', TOP_UP, { cents: 5_000 }, 401],
  ['reads orders without a key', 'nobody', 'GET registrations', null, 401],
  ['reads a balance without a key', 'nobody', 'GET balance', null, 401],
  ['a forged key', 'forged', QUOTE, quoteOf({}), 401],
  ['orders with a forged key', 'forged', PLACE, orderOf({}), 401],
  ['reads with a forged key', 'forged', 'GET balance/statement', null, 401],
  ['quotes without the scope', 'reader', QUOTE, quoteOf({}), 403],
  ['orders without the scope', 'reader', PLACE, orderOf({}), 403],
  ['cancels without the scope', 'reader', 'POST registrations/$order/cancel', {}, 403],
  ['tops up without the scope', 'reader', TOP_UP, { cents: 5_000 }, 403],
  ['refunds without the scope', 'reader', 'POST balance/top-ups/$topUp/refund', {}, 403],
  ["another's registrant", 'thief', QUOTE, quoteOf({ registrant: '$registrant' }), 400],
  ["another's quote", 'thief', PLACE, orderOf({ quote: '$quote' }), 400],
  ["another's order", 'thief', 'GET registrations/$order', null, 404],
  ["cancels another's order", 'thief', 'POST registrations/$order/cancel', {}, 404],
  ["refunds another's top-up", 'thief', 'POST balance/top-ups/$topUp/refund', {}, 404],
  ['gives back what a person bought', 'agent', 'POST registrations/$owned/cancel', {}, 403],
  ['cancels what a person approved', 'agent', 'POST registrations/$approved/cancel', {}, 403],
  ['gives it back by its body', 'agent', 'POST registrations/$owned/cancel', { mandate: 'all' }, 403],
  ["gives back another's name", 'thief', 'POST registrations/$owned/cancel', {}, 404],
  ['moves a name without the scope', 'reader', MOVE, SERVERS, 403],
  ['moves what a person bought', 'agent', MOVE, SERVERS, 403],
  ["moves another's name", 'thief', MOVE, SERVERS, 404],
  ['an unknown order', 'thief', `GET registrations/${randomUUID()}`, null, 404],
  ['an id that is none', 'thief', "GET registrations/1'%20OR%201=1", null, 400],
  ['cancels an id that is none', 'thief', 'POST registrations/all/cancel', {}, 400],
  ['an altered quote', 'thief', PLACE, orderOf({ quote: '$ownQuotex' }), 400],
  ['an empty quote', 'thief', PLACE, orderOf({ quote: '' }), 400],
  ['a quote that is a number', 'thief', PLACE, orderOf({ quote: 1 }), 400],
  ['a quote that is an object', 'thief', PLACE, orderOf({ quote: { $gt: '' } }), 400],
  ['a huge quote', 'thief', PLACE, orderOf({ quote: LONG }), 400],
  ['accepts nothing', 'thief', PLACE, orderOf({ accept: [] }), 400],
  ['accepts half', 'thief', PLACE, orderOf({ accept: ACCEPTED.slice(1) }), 400],
  ['accepts more', 'thief', PLACE, orderOf({ accept: [...ACCEPTED, 'free:1'] }), 400],
  ['accepts all by a word', 'thief', PLACE, orderOf({ accept: 'all' }), 400],
  ['accepts 1,000 times', 'thief', PLACE, orderOf({ accept: Array(1_000).fill(ACCEPTED[0]) }), 413],
  ['no Idempotency-Key', 'thief', PLACE, orderOf({}), 400, ''],
  ['a key with spaces', 'thief', PLACE, orderOf({}), 400, 'a b'],
  ['a key of 256 characters', 'thief', PLACE, orderOf({}), 400, 'k'.repeat(256)],
  ['its own price', 'thief', PLACE, orderOf({ total_cents: 1 }), 400],
  ['its own state', 'thief', PLACE, orderOf({ state: 'registered' }), 400],
  ["another's account", 'thief', PLACE, orderOf({ account_id: '$registrant' }), 400],
  ['approves by its body', 'thief', PLACE, orderOf({ approved: true }), 400],
  ['a list for a body', 'thief', PLACE, [orderOf({})], 400],
  ['a parameter beside it', 'thief', `${PLACE}?approve=true`, orderOf({}), 400],
  ['no years', 'thief', QUOTE, quoteOf({ years: 0 }), 400],
  ['years back', 'thief', QUOTE, quoteOf({ years: -1 }), 400],
  ['six years', 'thief', QUOTE, quoteOf({ years: 6 }), 400],
  ['half a year', 'thief', QUOTE, quoteOf({ years: 0.5 }), 400],
  ['years as text', 'thief', QUOTE, quoteOf({ years: '1' }), 400],
  ['a name of another country', 'thief', QUOTE, quoteOf({ domain: 'abused.com' }), 400],
  ['a government name', 'thief', QUOTE, quoteOf({ domain: 'abused.gov.au' }), 400],
  ['a bare suffix', 'thief', QUOTE, quoteOf({ domain: 'com.au' }), 400],
  ['a name with a line', 'thief', QUOTE, quoteOf({ domain: 'abused.com.au\r\nx: y' }), 400],
  ['a name with a tag', 'thief', QUOTE, quoteOf({ domain: '<script>.com.au' }), 400],
  ['a huge name', 'thief', QUOTE, quoteOf({ domain: `${LONG}.com.au` }), 400],
  ['a registrant that is a name', 'thief', QUOTE, quoteOf({ registrant: 'Example Pty Ltd' }), 400],
  ['renews without a key', 'nobody', RENEW, { years: 1 }, 401],
  ['renews without the scope', 'reader', RENEW, { years: 1 }, 403],
  ["renews another's name", 'thief', RENEW, { years: 1 }, 404],
  ['renews an id that is none', 'thief', 'POST registrations/all/renewal', { years: 1 }, 400],
  ['renews for six years', 'thief', RENEW, { years: 6 }, 400],
  ['renews by its own price', 'thief', RENEW, { years: 1, total_cents: 1 }, 400],
  ['one name server', 'thief', PLACE, orderOf({ name_servers: ['ns1.example.net'] }), 400],
  ['name servers that are a command', 'thief', PLACE, orderOf({ name_servers: ['<delete/>', 'a.au'] }), 400],
  ['tops up nothing', 'thief', TOP_UP, { cents: 0 }, 400],
  ['tops up less than nothing', 'thief', TOP_UP, { cents: -5_000 }, 400],
  ['tops up part of a cent', 'thief', TOP_UP, { cents: 5_000.5 }, 400],
  ['tops up a text', 'thief', TOP_UP, { cents: '5000' }, 400],
  ['tops up 1e21', 'thief', TOP_UP, { cents: 1e21 }, 400],
  ['tops up beyond the cap', 'thief', TOP_UP, { cents: 20_001 }, 409],
  ['tops up another', 'thief', TOP_UP, { cents: 5_000, account: '$registrant' }, 400],
  ['a cursor that is none', 'thief', 'GET registrations?cursor=1%3BDROP', null, 400],
  ['a limit without end', 'thief', 'GET balance/statement?limit=1000000', null, 400],
];

function filled(text: string): string {
  return text
    .replaceAll('$ownQuote', known.own ?? '')
    .replaceAll('$own"', `${thief?.registrant ?? ''}"`)
    .replace(/\$(quote|order|owned|approved|registrant|topUp)/g, (_, name: string) => known[name] ?? '');
}

/** All money, all holds and all orders. */
async function state(): Promise<unknown> {
  return test.database.query(
    `SELECT (SELECT json_agg(row_to_json(a) ORDER BY a.id) FROM ledger_account AS a WHERE balance_cents <> 0) AS money,
            (SELECT count(*) FROM ledger_hold) AS holds, (SELECT count(*) FROM ledger_transaction) AS booked,
            (SELECT json_agg(o.state ORDER BY o.number) FROM registration_order AS o) AS orders,
            (SELECT count(*) FROM top_up) AS top_ups`,
  );
}

it('has 60 rows at least', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(60);
});

it.each(ROWS)('%s (%s): %s', async (_, who, request, body, status, key = randomUUID()) => {
  const before = await state();
  const [method = '', path = ''] = filled(request).split(' ');
  const bearers = {
    thief: thief?.bearer,
    reader: reader?.bearer,
    agent: agent?.bearer,
    forged: 'Bearer bb_live_forged',
    nobody: undefined,
  };
  const client = test.caller();
  const sent = method === 'GET' ? client.get(`/api/v1/${path}`) : client.post(`/api/v1/${path}`);
  const bearer = bearers[who];
  if (bearer !== undefined) void sent.set('Authorization', bearer);
  if (key !== '') void sent.set('Idempotency-Key', key);
  const answer = body === null ? await sent : await sent.type('json').send(filled(JSON.stringify(body)));
  expect([answer.status, answer.body]).toEqual([
    status,
    expect.objectContaining({ error: expect.objectContaining({ code: expect.any(String) }) }),
  ]);
  expect(await state()).toEqual(before);
  expect(await test.app.get(Ledger).prove()).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { HandedClock } from '../support/clock.js';
import { addDomains } from '../support/domains.js';
import { type AccountsApp, signedInVisitor, startAccountsApp } from '../support/visitor.js';

/** A ticket is good for ten. */
const PAGES = 11;
const TOKEN = 'a-token-for-prometheus-of-32-characters';
const WORK_SCRIPT = readFileSync(resolve(__dirname, '../../assets/work.js'), 'utf8');

let test: AccountsApp;
let networks = 0x100;
const startedAt = Date.now();
const clock = new HandedClock(new Date(startedAt));
beforeAll(async () => {
  const TIERS = JSON.stringify({ demo: { listPages: PAGES } });
  test = await startAccountsApp({ TIERS, METRICS_TOKEN: TOKEN }, clock);
  await addDomains(
    test.database,
    Array.from({ length: 200 }, (_, place) => ({
      domain: `coffee-${place}.com.au`,
      wayback: place,
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
});
afterAll(() => test.close());
beforeEach(() => clock.set(new Date(startedAt)));

/** Seconds after the start of each test. */
const waitUntil = (seconds: number) => clock.set(new Date(startedAt + seconds * 1_000));

/** From a /64 of its own within one /48. */
const from = (path: string, place: number) =>
  test
    .caller()
    .get(path)
    .set('X-Forwarded-For', `2001:db8:7:${((place * 97) % 65_536).toString(16)}::1`);

/** The smallest page of those that count. */
const open = (address: string, cookie = '') =>
  test.caller().get('/domains/coffee-1.com.au').set('X-Forwarded-For', address).set('Cookie', cookie);

type Visiting = Pick<ReturnType<typeof test.caller>, 'get'>;
type Answer = Awaited<ReturnType<typeof open>>;
const cookieIn = ({ headers }: Answer) => headers['set-cookie']?.[0]?.split(';')[0] ?? '';
const isAsked = ({ status, text }: Answer) => status === 429 && text.includes('data-work="');

/** Two others in the /56 have had half of its pages. @returns addresses in it */
async function busyNetwork(place: number): Promise<(caller: number) => string> {
  const addressOf = (caller: number) => `2001:db8:${place}:${caller}::1`;
  for (const other of [90, 91])
    for (let page = 0; page < PAGES; page += 1) await open(addressOf(other)).expect(200);
  return addressOf;
}

/** Runs the script of the page. @returns the cookie that it leaves */
async function solve({ text }: Answer): Promise<string> {
  const datum = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(text)?.[1] ?? '';
  const main = { dataset: { work: datum('work'), bits: datum('bits'), parts: datum('parts') } };
  const document = { cookie: '', querySelector: (which: string) => (which === '[data-work]' ? main : {}) };
  await new Promise<void>((reload) => {
    const location = { protocol: 'http:', reload };
    runInNewContext(WORK_SCRIPT, { document, location, performance, setTimeout });
  });
  return document.cookie.split(';')[0] ?? '';
}

describe('callers without an account in one /48', () => {
  it('together get 16 times the records of one address in a minute', async () => {
    let names = 0;
    let refused: { body: { error: { code: string } }; headers: Record<string, string> } | null = null;
    // Where the minute turns meanwhile, the next one counts from zero.
    for (let place = 0; place < 60 && refused === null; place += 1) {
      const answer = await from('/v1/suggest?q=coffee&limit=5', place);
      if (answer.status === 200) names += (answer.body as { results: unknown[] }).results.length;
      else refused = answer;
    }
    expect(names).toBe(80);
    expect(refused?.body.error.code).toBe('too_many_requests');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('together read 16 times the list pages of one address, with all tickets, and others go on', async () => {
    let [shown, asked, refused] = [0, 0, 0];
    for (let place = 0; place < 18; place += 1) {
      const address = `2001:db8:8:${(place * 256).toString(16)}::1`;
      let cookie = '';
      for (let page = 0; page < PAGES; page += 1) {
        let answer = await open(address, cookie);
        if (isAsked(answer)) {
          asked += 1;
          waitUntil(60 * asked);
          cookie = cookieIn(answer);
          answer = await open(address, cookie);
        }
        if (answer.status === 200) shown += 1;
        else refused += 1;
      }
    }
    expect([shown, refused]).toEqual([16 * PAGES, 2 * PAGES]);
    // After 8 addresses, and the second time for the last page of each.
    expect(asked).toBe(8 * 2);
    await open('2001:db8:9::1').expect(200);
  });

  it('have their share, however many pages one of them asks for', async () => {
    for (let page = 0; page < 5 * PAGES; page += 1) await open('2001:db8:a:1::1');
    await open('2001:db8:a:2::1').expect(200);
  });
});

describe('a browser in a network that has had half of its list pages', () => {
  it('gets the page for the answer of the script, and nine more', async () => {
    const [address] = [(await busyNetwork(16))(1)];
    const asked = await open(address).set('Accept', 'text/html').expect(429);
    expect(asked.headers).toMatchObject({ 'retry-after': '5', refresh: '5', 'cache-control': 'no-store' });
    expect(asked.headers['set-cookie']?.[0]).toMatch(/; Path=\/; Max-Age=600; SameSite=Lax$/);
    expect(asked.text).toContain('2001:db8:16::/56');
    expect(asked.text).toMatch(/<script src="\/assets\/work\.js\?v=\w{8}" defer><\/script>/);
    await test.caller().get('/assets/work.js').expect(200, WORK_SCRIPT);
    const cookie = await solve(asked);
    expect(cookie.startsWith(`${cookieIn(asked)}.`)).toBe(true);
    for (let page = 0; page < 10; page += 1) await open(address, cookie).expect(200);
    const again = await open(address, cookie);
    expect(isAsked(again)).toBe(true);
    expect(cookieIn(again)).not.toBe(cookieIn(asked));
    // Of each address in the network, until now.
    expect(again.headers['retry-after']).toBe('10');
    const { text } = await test.caller().get('/metrics').auth(TOKEN, { type: 'bearer' }).expect(200);
    expect(text).toContain('bowerbird_proofs_of_work_total{outcome="answered"} 10');
  });

  it('gets the page without a script, after a wait', async () => {
    const address = (await busyNetwork(17))(1);
    const asked = await open(address).expect(429);
    waitUntil(4);
    const early = await open(address, cookieIn(asked)).expect(429);
    expect([cookieIn(early), early.headers.refresh]).toEqual([cookieIn(asked), '1']);
    waitUntil(5);
    await open(address, cookieIn(asked)).expect(200);
    waitUntil(600);
    expect(isAsked(await open(address, cookieIn(asked)))).toBe(true);
  });

  it('gets no page for the ticket of another address, or one that is made up or not solved', async () => {
    const addressOf = await busyNetwork(18);
    const asked = await open(addressOf(1)).expect(429);
    const [body = '', , , proof = ''] = cookieIn(asked).split('.');
    waitUntil(60);
    const ends = String(Math.floor(startedAt / 1_000) + 900);
    for (const [address, cookie] of [
      [addressOf(2), cookieIn(asked)],
      ['2001:db8:17:1::1', cookieIn(asked)],
      [addressOf(1), `${body}.1700000000.${ends}.${proof}`],
      [addressOf(1), `bowerbird_work=${'0'.repeat(20)}.1700000000.${ends}.${'A'.repeat(22)}`],
    ] as const)
      expect(isAsked(await open(address, cookie))).toBe(true);
    waitUntil(0);
    const wrong = await open(addressOf(1), `${cookieIn(asked)}.1-2-3-4-5-6-7-8`);
    expect(isAsked(wrong)).toBe(true);
    expect(cookieIn(wrong)).toBe(cookieIn(asked));
  });

  it.each([
    '/?q=coffee',
    '/drops',
    '/drops.atom',
    '/domains/coffee-1.com.au',
    '/shortlist?names=coffee-1.com.au',
    '/shortlist.csv?names=coffee-1.com.au',
    '/compare?names=coffee-1.com.au,coffee-2.com.au',
  ])(
    'is asked at %s before it is refused, and shown it after a wait; nobody who is signed in is',
    async (path) => {
      networks += 1;
      const addressOf = await busyNetwork(networks);
      const openAs = (agent: Visiting, caller: number, cookie = '') => {
        const page = agent.get(path).set('X-Forwarded-For', addressOf(caller)).set('Accept', 'text/html');
        return cookie === '' ? page : page.set('Cookie', cookie);
      };
      let seconds = 0;
      const wait = () => waitUntil((seconds += 60));
      const asked = await openAs(test.caller(), 1);
      expect(isAsked(asked)).toBe(true);
      wait();
      await openAs(test.caller(), 1, cookieIn(asked)).expect(200);
      // The rest of the share of the /56, by those who wait for their tickets.
      for (const caller of [70, 71]) {
        const ticket = cookieIn(await open(addressOf(caller)));
        wait();
        for (let page = 0; page < 10; page += 1) await open(addressOf(caller), ticket).expect(200);
      }
      const last = cookieIn(await open(addressOf(72)));
      wait();
      await open(addressOf(72), last).expect(200);
      const refused = await openAs(test.caller(), 2);
      expect([refused.status, isAsked(refused)]).toEqual([429, false]);
      const { agent } = await signedInVisitor(test);
      await openAs(agent, 1).expect(200);
    },
  );
});

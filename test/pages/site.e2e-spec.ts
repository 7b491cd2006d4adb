import { resolve } from 'node:path';
import type { Test } from 'supertest';
import { addressOf, cursorOf } from '../../src/web/drops/drops-view.js';
import { ERROR_CODES, ORDER_ERROR_CODES } from '../../src/errors/error-codes.js';
import { addKey } from '../support/accounts.js';
import { canRun, runSamples, SAMPLE_LANGUAGES } from '../support/code-samples.js';
import { holdMinute } from '../support/clock.js';
import { addDomain, addInState, settle } from '../support/domains.js';
import { addDrops } from '../support/drops.js';
import { until } from '../support/processes.js';
import { accountsAppOfFile, signedInVisitor, startAccountsApp } from '../support/visitor.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const test = accountsAppOfFile({
  TIERS: JSON.stringify({ member: { requestsPerMinute: 1_234 } }),
  PRICES: '{"pro":"$149 a month"}',
  TERMS_PAGE: resolve(__dirname, '../../docs/site/errors.md'),
  REGISTRARS: JSON.stringify([
    { name: 'First', url: 'https://first.example/?d={domain}', earns: false },
    {
      name: 'Second',
      url: 'https://second.example/{domain}',
      earns: true,
      price: 'from A$ 15',
      price_seen: '2026-11-01',
    },
  ]),
});
beforeAll(() => holdMinute(test));

/** Somebody with a browser, whom nobody knows. */
const browser = () => {
  const caller = test.caller();
  return {
    caller,
    open: (path: string): Test => caller.get(path).set('Accept', BROWSER),
    paste: (names: string): Test => caller.post('/check').set('Accept', BROWSER).field('names', names),
  };
};

describe('/check', () => {
  const statesIn = (html: string) =>
    [...html.matchAll(/<div class="r-name">(.*?)<small.*?<span class="chip \w+">([^<]+)/gs)].map(
      ([, name, state]) => [name?.replace(/<.*?>/g, '').trim(), state],
    );

  const tabsIn = (html: string) =>
    [...html.matchAll(/<a href="\/check\/[^"]*"[^>]*>([A-Z][a-z]+) <b>(\d+)/g)].map(
      ([, words, count]) => `${words} ${count}`,
    );

  it('200: the answers of a list in its order, as a page and as CSV, within the budget', async () => {
    const known = await addDomain(test.database, { domain: 'sandbox-available.org.au', wayback: 77 });
    const { paste, open, caller } = browser();
    const names = ['sandbox-registered.com.au', 'www.bees.com.au', known, 'sandbox-reserved.com.au'];
    names.push('sandbox-available.au', 'sandbox-available.com.au', 'sandbox-available.net.au');
    const { headers } = await paste(names.join('\r\n')).expect(303);
    const address = headers.location ?? '';
    const whole = await until('all of it is answered', async () => {
      const { text } = await open(`${address}?more`).expect(200);
      return text.includes('Show new answers') ? undefined : text;
    });
    expect(statesIn(whole)).toEqual([
      ['sandbox-registered.com.au', 'Registered'],
      [known, 'Available'],
      ['sandbox-reserved.com.au', 'Reserved'],
      ['sandbox-available.au', 'Available'],
      ['sandbox-available.com.au', 'Available'],
      ['sandbox-available.net.au', 'Left out'],
    ]);
    expect(whole).toContain('<h1>3 of 6 names can be registered</h1>');
    expect(whole).toContain('<textarea name="names" hidden>sandbox-available.net.au</textarea>');
    expect(whole).toContain('Did you mean <a href="/domains/bees.com.au">bees.com.au</a>?');
    expect(tabsIn(whole)).toEqual(['All 6', 'Available 3', 'Registered 1', 'Other 2']);
    const { text: registered } = await open(`${address}?show=registered`).expect(200);
    expect(statesIn(registered)).toEqual([['sandbox-registered.com.au', 'Registered']]);
    const csv = await caller
      .get(`${address}.csv`)
      .expect(200)
      .expect('Content-Type', /^text\/csv/);
    expect(csv.text.split('\r\n').map((row) => row.split(',').slice(0, 2).join())).toEqual([
      'domain,status',
      ...names.map((name, place) => `${name},${[1, 6].includes(place) ? 'failed' : 'answered'}`),
      '',
    ]);
    await browser().open(address).expect(404);
  });

  it('200: takes a file, and shows the answers that are known at once at an address as well', async () => {
    const member = await signedInVisitor(test);
    const file = Buffer.from('price,domain\n3,www.au\n');
    const { headers } = await member.agent.post('/check').attach('file', file, 'names.csv').expect(303);
    for (let times = 0; times < 2; times += 1) {
      const { text } = await member.open(headers.location ?? '').expect(200);
      expect(statesIn(text)).toEqual([['www.au', 'Reserved']]);
      expect(text).toContain('href="/profile"');
    }
  });

  it('200: takes the name out of a link, and asks about the lines that are no names', async () => {
    const { paste, open } = browser();
    const { headers } = await paste(
      'coffee shop.com.au\nhttps://www.linked.com.au/about?x=1\nexample.com',
    ).expect(303);
    const { text } = await open(headers.location ?? '').expect(200);
    expect(statesIn(text).map(([name]) => name)).toEqual(['linked.com.au']);
    expect(text).toContain('2 of 3 lines need a fix.');
    expect(text).toContain('Line 1 has a space. Line 3 has a suffix that we do not check.');
    expect(text).toMatch(/Did you mean <a[^>]*>coffeeshop.com.au<\/a> or <a[^>]*>coffee-shop.com.au<\/a>\?/);
    expect(text).toContain('coffee shop.com.au\nlinked.com.au\nexample.com</textarea>');
  });

  it('303: watches and shortlists the names of a checked list for people who are signed in', async () => {
    const member = await signedInVisitor(test);
    const pasted = await member.agent
      .post('/check')
      .field('names', 'sandbox-available.com.au\nwww.au')
      .expect(303);
    const { text } = await member.open(pasted.headers.location ?? '').expect(200);
    const listIn = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    expect(listIn('names')).toBe('sandbox-available.com.au');
    await member.agent
      .post('/watch')
      .type('form')
      .send({ names: listIn('names') })
      .expect(303);
    expect((await member.open('/watch')).text).toContain('href="/domains/sandbox-available.com.au"');
    await member.agent
      .post('/shortlist')
      .type('form')
      .send({ add: listIn('add') })
      .expect(303);
    expect((await member.open('/shortlist')).text).toContain('href="/domains/sandbox-available.com.au"');
  });

  it('a row in sight: one record for people who are signed in, and nothing for others', async () => {
    const name = await addDomain(test.database, { domain: 'sandbox-registered.net.au', wayback: 9 });
    const row = `/check/row/${name}`;
    const { open, caller } = browser();
    await caller.post(row).expect(401);
    expect((await open('/?q=sandbox').expect(200)).text).not.toContain('data-live');
    const member = await signedInVisitor(test);
    expect((await member.open('/?q=sandbox').set('Accept', BROWSER)).text).toContain('data-live hidden');
    const left = async () => Number(/([\d,]+) checks?/.exec((await member.open('/check')).text)?.[1]);
    const before = await left();
    const { text } = await member.agent.post(row).expect(200);
    expect(statesIn(text)).toEqual([[name, 'Registered']]);
    expect(text).not.toContain('class="btn soft"');
    await until('it is charged', async () => ((await left()) === before - 1 ? true : undefined));
    await member.agent.post(row).set('Origin', 'https://evil.example').expect(400);
  });

  it.each([
    ['nothing', ' ', 'Enter at least one name'],
    ['no name at all', '<b>.au', 'domain'],
    ['too many', 'a.au\n'.repeat(201), 'These are 201 names'],
  ])('400: says on the form what is wrong with %s, and keeps what was pasted', async (_, names, message) => {
    const { text } = await browser().paste(names).expect(400);
    expect(/role="alert">([^<]+)/.exec(text)?.[1]).toContain(message);
    expect(text).toContain(`${names.trim().replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</textarea>`);
  });

  it('400: takes the form from our own pages only', async () => {
    await browser().paste('www.au').set('Sec-Fetch-Site', 'cross-site').expect(400);
  });

  it('413: a file that is too large is refused on a page', async () => {
    const { caller } = browser();
    const { text } = await caller
      .post('/check')
      .attach('file', Buffer.alloc(20_000, 'a'), 'a.csv')
      .expect(413);
    expect(text).toContain('<h1>');
  });

  it('429: a spent budget is told on the form, with the list still in it', async () => {
    const { paste, open } = browser();
    const { headers } = await paste('www.au\nwww.com.au\nwww.net.au\nwww.id.au\nwww.org.au').expect(303);
    await open(headers.location ?? '').expect(200);
    const { text } = await paste('ftp.au').expect(429);
    expect(text).toMatch(/role="alert">[^<]*budget/i);
    expect(text).toContain('ftp.au');
  });
});

describe('/docs', () => {
  it('200: every document, with the tables in force here, and links that lead somewhere', async () => {
    const { open } = browser();
    const { text: start } = await open('/docs').expect(200);
    const addresses = [...start.matchAll(/href="(\/docs[^"#]*)"/g)].map(([, address = '']) => address);
    const links = new Set<string>();
    for (const address of new Set(addresses)) {
      const { text } = await open(address).expect(200);
      expect(text).not.toContain('<!--');
      expect(text).not.toContain('&lt;!--');
      expect(text).not.toContain('127.0.0.1:3000');
      for (const [, href = ''] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) links.add(href);
    }
    expect(addresses.length).toBeGreaterThan(7);
    const ours = [...links].filter((href) => href.startsWith('/')).map((href) => href.split('#')[0] ?? '');
    const lost = [];
    for (const address of new Set(ours)) if ((await open(address)).status === 404) lost.push(address);
    expect(lost).toEqual([]);
    const { text: limits } = await open('/docs/limits').expect(200);
    expect(limits).toContain('<td>1,234</td>');
    const { text: errors } = await open('/docs/errors').expect(200);
    for (const code of Object.keys(ERROR_CODES))
      expect([code, errors.includes(`<code>${code}</code>`)]).toEqual([code, !(code in ORDER_ERROR_CODES)]);
  });

  it('404: a page for a document that there is none of', async () => {
    const { text } = await browser().open('/docs/nothing').expect(404);
    expect(text).toContain('<h1>There is no page at this address</h1>');
  });

  it.each(SAMPLE_LANGUAGES.filter(canRun))('samples in %s run as they stand there', async (language) => {
    const domain = await addDomain(test.database, { domain: `coffee-${language}.com.au`, wayback: 5_000 });
    const { text: key } = await addKey(test.database, { tier: 'pro' });
    const printed = await runSamples(language, test.url, key);
    expect(printed.length).toBeGreaterThan(0);
    for (const text of printed) expect(text).toContain(domain);
  });
});

describe('lists to take along', () => {
  const CSV = ['domain,tld,length,wayback,first_seen,available,register_url,detail_url,wayback_url'];
  const rowsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((row) => row.split(',')[0]);

  it('GET /search.csv: the rows of a search, each for a record, as far as the budget goes', async () => {
    const names = ['3', '2', '1'].map((wayback) => ({
      domain: `listed${wayback}.com.au`,
      wayback: Number(wayback),
    }));
    for (const name of names) await addDomain(test.database, name);
    const member = await signedInVisitor(test);
    const { text, headers } = await member.open('/search.csv?q=listed&tld=com.au&utm_source=x').expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text.split('\n')[0]).toBe(CSV[0]);
    expect(rowsOf(text)).toEqual(['domain', ...names.map(({ domain }) => domain)]);
    const { text: page } = await member.open('/check').expect(200);
    expect(page).toContain('one of your 97 checks');
    await test.database.query('UPDATE record_budget SET minute_used = 99, period_used = 99');
    expect(rowsOf((await member.open('/search.csv?q=listed').expect(200)).text)).toHaveLength(2);
    await member.open('/search.csv?q=listed').expect(429);
    await member.open('/search.csv?q=listed').set('Sec-Fetch-Site', 'cross-site').expect(400);
    await member.open('/search.csv?min_length=x').expect(400);
    const { text: refused } = await browser().open('/search.csv?q=listed').expect(401);
    expect(refused).toContain('CSV lists need an account');
  });

  it('GET /drops.csv and /drops.atom: a day, and the last days', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000);
    await addDrops(test.database, 2, hourAgo, 'taken-along');
    await settle(test.database, 'taken-along0.com.au', true);
    const member = await signedInVisitor(test);
    const { text } = await member.open('/drops.csv?list=dropped').expect(200);
    expect(rowsOf(text)).toContain('taken-along0.com.au');
    const { text: feed, headers } = await browser().open('/drops.atom').expect(200);
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(feed.match(/<entry>/g)).toHaveLength(1);
    const [updated = '', entry = ''] = [...feed.matchAll(/<updated>([^<]+)/g)].map(([, time]) => time);
    expect(updated).toBe(entry);
    const again = await browser()
      .open('/drops.atom')
      .set('If-None-Match', headers.etag ?? '');
    expect(again.status).toBe(304);
    expect(feed).toMatch(/<subtitle>.*The registry is a sandbox: its answers are made up\.<\/subtitle>/);
    expect(feed).toMatch(/<summary>\d+ names? dropped and became free.*taken-along0\.com\.au/);
  });

  it('503 when the time is over, and nothing charged: a file or a feed has no place to say that it was cut', async () => {
    const slow = await startAccountsApp({ SUGGEST_TIME_CAP_MS: '400' });
    try {
      await addDrops(slow.database, 2, new Date(Date.now() - 3_600_000), 'late');
      await settle(slow.database, 'late0.com.au', true);
      await addDomain(slow.database, { domain: 'quick.com.au', wayback: 900 });
      const member = await signedInVisitor(slow);
      // A look at what dropped takes longer than the cap; the best name of the search is found at once.
      await slow.database.query(`
        CREATE FUNCTION wait_long(name text) RETURNS boolean LANGUAGE plpgsql AS
          $$ BEGIN IF name = 'late0.com.au' THEN PERFORM pg_sleep(60); END IF; RETURN true; END $$;
        ALTER TABLE domain RENAME TO real_domain;
        CREATE VIEW domain AS SELECT tableoid, ctid, * FROM real_domain WHERE wait_long(domain)`);
      for (const path of ['/search.csv', '/drops.csv?list=dropped', '/drops.atom']) {
        const { text, headers } = await member.open(path).expect(503);
        expect(headers['retry-after']).toBe('5');
        expect(text).toContain('Nothing is known');
      }
      expect(await slow.database.query('SELECT FROM record_budget WHERE period_used > 0')).toEqual([]);
      const { text: page } = await member.open('/drops?list=dropped').expect(200);
      expect(page).toContain('<dt>dropped and confirmed</dt><dd>not known</dd>');
      expect(page).toContain('too many events on this day');
    } finally {
      await slow.close();
    }
  });
});

describe('/domains/{domain}', () => {
  it('leads to the registrars of the operator, and says which of them pay', async () => {
    const { caller, open } = browser();
    await caller.post('/domains/sandbox-available.id.au').expect(303);
    const { text } = await open('/domains/sandbox-available.id.au').expect(200);
    expect(text).toContain(
      'rel="nofollow" href="https://first.example/?d=sandbox-available.id.au">Register<span class="visually-hidden"> at First',
    );
    expect(text).toContain(
      'rel="nofollow sponsored" href="https://second.example/sandbox-available.id.au">Register<span class="visually-hidden"> at Second',
    );
    expect(text).toContain('Price seen 1 Nov 2026. We earn a commission if you register there');
    expect(text).toContain('<b class="nb">from A$ 15</b>');
  });

  it('shows the label under the six suffixes as the API has it', async () => {
    await addInState(test.database, [
      { domain: 'six-ways.com.au', state: 'listed', confirmedBy: null, checkedAt: null },
      { domain: 'six-ways.net.au', state: 'taken', confirmedBy: 'rdap', checkedAt: new Date() },
    ]);
    await addDomain(test.database, { domain: 'six-ways.org.au' });
    const { caller, open } = browser();
    await caller.get('/v1/domains/check?domain=six-ways.id.au').expect(200);
    const { body } = await caller.get('/api/v1/domains/six-ways/siblings').expect(200);
    const states = body.siblings.map(({ state }: { state: string | null }) => state);
    expect(states).toEqual(['listed', 'taken', 'available', 'pending_delete', null, null]);
    const { text } = await open('/domains/six-ways.au').expect(404);
    const chips = [
      ...(/<ul class="sib">.*?<\/ul>/s.exec(text)?.[0] ?? '').matchAll(/chip \w+"[^>]*>([^<]+)/g),
    ];
    expect(chips.map(([, words]) => words)).toEqual([
      'Not checked',
      'Due to drop',
      'Registered',
      'Available',
      'Due to drop',
      'Not checked',
    ]);
  });
});

it('GET /shortlist: names of the address side by side, and nothing of what is none', async () => {
  await addDomain(test.database, { domain: 'short-one.com.au', wayback: 77 });
  const hidden = await addDomain(test.database, { hidden: true });
  const { text } = await browser()
    .open(`/shortlist?names=short-one.com.au,short-two.au,${hidden},<b>.au`)
    .expect(200);
  expect(text).toContain('<h1>Shortlist: 3 names</h1>');
  expect(text.match(/>Available</g)).toHaveLength(1);
  expect(text.match(/>Not checked</g)).toHaveLength(2);
  expect(text).not.toContain('<b>.au');
});

describe('a shortlist', () => {
  it('GET /shortlist.csv: what the page shows, without an account and without records', async () => {
    await addDomain(test.database, { domain: 'short-three.com.au', wayback: 12 });
    const { text } = await browser()
      .open('/shortlist.csv?names=short-three.com.au,short-four.au')
      .expect(200);
    const [head, first, second] = text.split('\n');
    expect(head).toContain('domain,state,said_by,checked_at,archive_score');
    expect(first).toContain('short-three.com.au,Available,');
    expect(second).toContain('short-four.au,Not checked,,,,');
  });

  it('GET /compare: three names at most, with their state, score and price', async () => {
    const free = await addDomain(test.database, { domain: 'short-five.com.au', wayback: 1_250 });
    const names = [free, 'short-six.au', 'short-seven.au', 'short-eight.au'];
    const { text } = await browser()
      .open(`/compare?${names.map((name) => `names=${name}`).join('&')}`)
      .expect(200);
    expect(text.match(/<th scope="col"><a class="name"/g)).toHaveLength(3);
    expect(text).toContain('1,250');
    expect(text.match(/from A\$ 15 at Second, seen 1 Nov 2026/g)).toHaveLength(1);
    expect((await browser().open('/compare').expect(200)).text).toContain('Choose up to 3 names');
  });

  it('is kept in the account: the newest first, 50 at most, and nobody else sees it', async () => {
    const owner = await signedInVisitor(test);
    const many = Array.from({ length: 50 }, (_, place) => `kept-${place}.com.au`);
    await owner
      .send('/shortlist', { add: many.join(',') })
      .expect(303)
      .expect('location', '/shortlist');
    await owner.send('/shortlist', { add: 'newest.com.au,no name,x' }).expect(303);
    const { body } = await owner.open('/shortlist.json').expect(200);
    expect(body.names).toHaveLength(50);
    expect(body.names.slice(0, 2)).toEqual(['newest.com.au', 'kept-0.com.au']);
    await owner.send('/shortlist', { remove: 'newest.com.au' }).expect(303);
    const { text } = await owner.open('/shortlist').expect(200);
    expect(text).toContain('<h1>Shortlist: 49 names</h1>');
    const file = await owner.open('/profile/data.json').expect(200);
    expect(JSON.parse(file.text).shortlist).toHaveLength(49);
    expect((await browser().open('/shortlist').expect(200)).text).toContain('on this device');
    await browser().caller.post('/shortlist').type('form').send({ add: 'x.com.au' }).expect(303);
    const other = await signedInVisitor(test);
    expect((await other.open('/shortlist.json').expect(200)).body).toEqual({ names: [] });
  });
});

describe('the bounds of lists', () => {
  it('400: no cursor but one that a page has given leads on', async () => {
    for (let score = 70; score > 0; score -= 1)
      await addDomain(test.database, { domain: `bounded${score}.com.au`, wayback: score });
    const key = await addKey(test.database, { tier: 'starter' });
    const { caller, open } = browser();
    const { body } = await caller
      .get('/api/v1/search?q=bounded')
      .set('Authorization', key.bearer)
      .expect(200);
    // Behind the 25th row as well, and so the position that the page gives.
    await open(`/?q=bounded&cursor=${body.next_cursor}`).expect(400);
    const after = { purgeAt: new Date(), wayback: 5, domain: 'bounded5.com.au' };
    await open(
      addressOf('2026-11-20', 'dropped', cursorOf('2026-11-20', 'dropped', { page: 2, after })),
    ).expect(400);
    const { text } = await open('/?q=bounded').expect(200);
    const next = (/rel="next nofollow" href="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
    await open(next).expect(200);
    // Of the last character only the upper bits count: 'B' would say the same as 'A'.
    await open(next.slice(0, -1) + (next.endsWith('A') ? 'Q' : 'A')).expect(400);
  });
});

describe('what the operator says', () => {
  it('samples say that they are samples, and a file of the operator takes the place of one', async () => {
    const { open } = browser();
    for (const page of ['/about', '/privacy'])
      expect((await open(page).expect(200)).text).toContain('This is a sample');
    const { text } = await open('/terms').expect(200);
    expect(text).toContain('<h1 id="errors">Errors</h1>');
    const { text: pricing } = await open('/pricing').expect(200);
    expect(pricing).toContain('<span class="price">$149</span> <span class="soft">a month</span>');
    expect(pricing).toMatch(/class="panel plan best"><div><h2>Pro</);
    expect(pricing).toContain('>Choose Pro</a>');
  });

  it('a page that is shared has a picture', async () => {
    const { open, caller } = browser();
    const { text } = await open('/pricing').expect(200);
    const [, path = ''] = /og:image" content="http:\/\/bowerbird\.test([^"]+)"/.exec(text) ?? [];
    const { body } = await caller.get(path).expect(200).expect('Content-Type', 'image/png');
    expect((body as Buffer).subarray(1, 4).toString()).toBe('PNG');
  });

  it('a name has a picture of its own, and none that is withheld or not known', async () => {
    const { open, caller } = browser();
    const shown = await addDomain(test.database, { domain: 'pictured-name.com.au', wayback: 4_321 });
    const { text } = await open(`/domains/${shown}`).expect(200);
    expect(text).toContain(`og:image" content="http://bowerbird.test/domains/${shown}/picture.png"`);
    const [, about = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? [];
    expect(JSON.parse(about)).toMatchObject({ '@type': 'WebPage', name: shown });
    const picture = await caller.get(`/domains/${shown}/picture.png`).expect(200);
    expect(picture.headers['content-type']).toBe('image/png');
    expect((picture.body as Buffer).readUInt32BE(16)).toBe(1200);
    const hidden = await addDomain(test.database, { hidden: true });
    for (const none of [hidden, 'never-pictured.com.au', 'no%20name'])
      expect((await caller.get(`/domains/${none}/picture.png`)).type).not.toBe('image/png');
  });

  it('icons and a manifest for home screens', async () => {
    const { caller } = browser();
    const { text } = await caller.get('/site.webmanifest').expect(200);
    const { icons } = JSON.parse(text) as { icons: { src: string }[] };
    for (const path of ['/assets/icon-180.png', ...icons.map(({ src }) => src)])
      await caller
        .get(path)
        .expect(200)
        .expect('Content-Type', /^image\/(?:png|svg)/);
    await caller.get('/assets/icon-9999.png').expect(404);
  });

  it('/.well-known/api-catalog leads to every description', async () => {
    const { open, caller } = browser();
    const { text, headers } = await open('/.well-known/api-catalog').buffer().expect(200);
    expect(headers['content-type']).toContain('application/linkset+json');
    const links = [...text.matchAll(/"href":"http:\/\/bowerbird\.test([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(links.length).toBeGreaterThan(5);
    for (const path of new Set(links)) await caller.get(path).expect(200);
  });

  it('where visitors come from is nobody’s business on any page', async () => {
    const { open } = browser();
    const pages = [
      '/',
      '/drops',
      '/check',
      '/docs',
      '/docs/limits',
      '/pricing',
      '/status',
      '/about',
      '/changelog',
    ];
    for (const page of [
      ...pages,
      '/sign-in',
      '/sign-up',
      '/forgotten-password',
      '/drops.atom',
      '/domains/www.au',
    ])
      await open(`${page}?utm_source=x&fbclid=y&gclid=z`).expect(200);
  });
});

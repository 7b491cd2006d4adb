import type { Test } from 'supertest';
import { dayInPurgeZone, timeInPurgeZone } from '../../src/domains/schema/calendar-date.js';
import { addDomain, addInState, settle } from '../support/domains.js';
import { addDrops } from '../support/drops.js';
import { accountsAppOfFile, signedInVisitor } from '../support/visitor.js';
import { startTestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';

/** Of a search, with pages of 25. */
const DEMO_ROWS = 50;
const DEMO_PAGES = 6;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const test = accountsAppOfFile({
  SECURITY_CONTACT: 'mailto:security@example.com',
  TIERS: JSON.stringify({ demo: { listRows: DEMO_ROWS, listPages: DEMO_PAGES } }),
});
beforeAll(() => holdMinute(test));

/** Somebody with a browser, whom nobody knows. */
function browser(): { open(path: string): Test; send(path: string): Test } {
  const caller = test.caller();
  return {
    open: (path) => caller.get(path).set('Accept', BROWSER),
    send: (path) => caller.post(path).set('Accept', BROWSER).type('form').send({}),
  };
}

/** The names of a list, in its order. */
function namesIn(html: string): string[] {
  return [...html.matchAll(/<a class="name(?: long)?" href="\/domains\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
}

function problemIn(html: string): string | undefined {
  return /role="alert">([^<]*)/.exec(html)?.[1];
}

function nextIn(html: string): string | undefined {
  return /rel="next nofollow" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
}

describe('GET / for browsers', () => {
  let names: string[];
  beforeAll(async () => {
    names = [];
    for (let score = 60; score > 0; score -= 1)
      names.push(await addDomain(test.database, { domain: `front${score}.com.au`, wayback: score }));
    await addDomain(test.database, { domain: 'front-taken.com.au', available: false });
  });

  describe('200', () => {
    it('finds names, best first, with what is known of them, and needs no script', async () => {
      const { text, headers } = await browser().open('/?q=front').expect(200);
      expect(namesIn(text)).toEqual(names.slice(0, 25));
      expect(text).toContain('1 to 25 of <b>60 names</b>');
      expect(text.match(/>Register<span/g)).toHaveLength(25);
      expect(text).toContain('https://ventraip.com.au/domain-names?domain=front60.com.au');
      expect(text).not.toMatch(/<script(?! src="\/assets\/(?:site|look)\.js| type="application\/ld\+json")/);
      expect(text).not.toContain('style="');
      expect(text).toContain(`curl &#39;http://bowerbird.test/api/v1/search?q=front&amp;match=words&#39;`);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['x-ratelimit-remaining']).toBeUndefined();
    });

    it('counts what the search can be narrowed to, and narrows it', async () => {
      const { open } = browser();
      const { text } = await open('/?q=front').expect(200);
      expect(text).toContain(
        '<a class="tag" href="/?q=front&amp;min_wayback=10&amp;max_wayback=99">score 10 to 99 <b>51</b>',
      );
      expect(text).toContain('<option value="com.au">.com.au 60</option>');
      const narrowed = await open('/?q=front&min_wayback=10&max_wayback=99').expect(200);
      expect(narrowed.text).toContain('1 to 25 of <b>51 names</b>');
    });

    it('goes on by cursor, as far as the tier of the visitor reads lists', async () => {
      const { open } = browser();
      const first = await open('/?q=front').expect(200);
      const second = await open(nextIn(first.text) ?? '').expect(200);
      expect(namesIn(second.text)).toEqual(names.slice(25, DEMO_ROWS));
      expect(nextIn(second.text)).toBeUndefined();
      expect(second.text).toContain(`the first ${DEMO_ROWS} names of a search`);
      const member = await signedInVisitor(test);
      const more = await member
        .open(nextIn(first.text) ?? '')
        .set('Accept', BROWSER)
        .expect(200);
      const third = await member
        .open(nextIn(more.text) ?? '')
        .set('Accept', BROWSER)
        .expect(200);
      expect(namesIn(third.text)).toEqual(names.slice(DEMO_ROWS));
      expect(third.text).toContain('href="/profile"');
      const refused = await open(nextIn(more.text) ?? '').expect(403);
      expect(refused.text).toContain('<h1>This list ends here</h1>');
    });

    it('ignores where visitors come from, and fields that were left empty', async () => {
      const { text } = await browser()
        .open('/?utm_source=x&fbclid=y&q=Front60&min_length=&tld=&tld=')
        .expect(200);
      expect(namesIn(text)).toEqual(['front60.com.au']);
    });

    it('looks for a hyphen, which is no word, as former addresses do', async () => {
      await addDomain(test.database, { domain: 'with-hyphen.com.au' });
      const { text } = await browser().open('/?q=-&mode=contains').expect(200);
      expect(namesIn(text)).toContain('with-hyphen.com.au');
    });

    it('says what to change when nothing is found, and leads to the name itself', async () => {
      const { open } = browser();
      const { text } = await open('/?q=nobody-has-this&min_wayback=5').expect(200);
      expect(text).not.toContain('Loosen your filters');
      const wider = await open('/?q=front60&tld=net.au').expect(200);
      expect(wider.text).toContain(
        '<a class="tag" rel="nofollow" href="/?q=front60">Leave out the suffix <b>1</b></a>',
      );
      expect(text).toContain('<a class="tag" href="/domains/nobody-has-this.com.au">');
      await addDomain(test.database, { domain: 'kayak-lantern.com.au' });
      // Listed again, and cut into words as the other is.
      const again = await addDomain(test.database, { domain: 'lantern-kiln.com.au', available: false });
      await test.database.query(
        `UPDATE domain SET state = 'listed', list_kind = 'deleted', listed_at = now(), checked_at = NULL,
                           confirmed_by = NULL, dropped_at = NULL, purge_at = now() + interval '3 days'
          WHERE domain = $1`,
        [again],
      );
      const parts = await open('/?q=kayak+lantern+kiln').expect(200);
      expect(parts.text).toContain('No name that we list matches “kayak lantern kiln”');
      expect(parts.text).toMatch(/Split it up.*?href="\/\?q=kayak\+lantern">kayak lantern <b>1<\/b>/s);
      expect(parts.text).toMatch(/About to drop.*?href="\/domains\/lantern-kiln\.com\.au">/s);
      const named = await open('/?q=https://www.Front60.com.au/shop').expect(200);
      expect(named.text).toContain('<a href="/domains/front60.com.au">Look at front60.com.au</a>');
      expect(namesIn(named.text)).toEqual(['front60.com.au']);
    });
  });

  it.each(['<>', '"', '*', '!!!', 'кофе'])(
    '200: asks for a word where %s is typed, and keeps it',
    async (typed) => {
      const { text } = await browser()
        .open(`/?${new URLSearchParams({ q: typed, min_length: '7' }).toString()}`)
        .expect(200);
      expect(problemIn(text)).toBe('Type a word or a name.');
      expect(/<input name="q"[^>]*>/.exec(text)?.[0]).toContain(
        `value="${typed.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}"`,
      );
      expect(text).toContain('value="7"');
      expect(namesIn(text)).toContain(names[0]);
    },
  );

  it('400: says at the field what is wrong with it, with its sheet open, and shows the results without it', async () => {
    const { text } = await browser().open('/?q=front&min_length=abc&max_wayback=59&sort=foo').expect(400);
    const words = 'Fewest characters: enter a whole number from 2 to 63.';
    expect(problemIn(text)).toContain(words);
    expect(problemIn(text)).toContain('Sort by: choose one from the list.');
    expect(text).toMatch(/<div class="sheet" id="more" role="dialog"/);
    expect(text).toMatch(/<input id="min_length"[^>]* aria-invalid="true"[^>]* autofocus>/);
    expect(text).toContain(`<p class="err" id="min_length-error">${words}</p>`);
    expect(text).toMatch(/<select name="sort"[^>]* aria-invalid="true"/);
    expect(namesIn(text)).toEqual(names.slice(1, 26));
    expect(text).not.toMatch(/min_length must|wayback_asc,/);
  });

  it.each([
    ['min_length=9&max_length=8', '“Fewest characters” must not be more than “Most characters”.'],
    ['min_wayback=-1', 'Lowest score: enter a whole number from 0.'],
    ['first_seen_from=31%2F12', 'Added after: enter a day, such as 2026-11-30.'],
    ['tld=com', 'The suffix: choose one from the list.'],
    ['pattern=xyz', 'Pattern of letters: use C for a consonant'],
    ['cursor=abc', 'That link to a further page no longer works. This is the first page.'],
  ])('400: says what is wrong with %s in words for people', async (query, words) => {
    const { text } = await browser().open(`/?q=front&${query}`).expect(400);
    expect(problemIn(text)).toContain(words);
    expect(namesIn(text).length).toBeGreaterThan(0);
  });

  it('404: the page of a failure leads to no other site, whatever the address', async () => {
    const { text } = await test.caller().post('//example.org/free').set('Accept', 'text/html').expect(404);
    expect(text).toContain('href="/example.org/free"');
    expect(text).not.toContain('"//example.org');
  });

  it('429: a page that says when to come back, and no records are spent by reading', async () => {
    const caller = test.caller();
    const ask = (path: string) => caller.get(path).set('Accept', BROWSER);
    for (let page = 0; page < DEMO_PAGES; page += 1) await ask('/').expect(200);
    const { text, headers } = await ask('/').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(text).toContain('<h1>Too many pages at once</h1>');
    const { body } = await caller.get('/v1/suggest?limit=1&q=front').expect(200);
    expect(body.rate.remaining).toBe(4);
  });
});

describe('GET /drops', () => {
  const NOON_AHEAD = new Date(Date.now() + 2 * 86_400_000);
  const AHEAD = dayInPurgeZone(NOON_AHEAD);
  const TODAY = dayInPurgeZone(new Date());

  it('lists what is due on a day, best first, page by page, as far as the tier reads lists', async () => {
    const names = await addDrops(test.database, 60, NOON_AHEAD, 'due');
    const { open } = browser();
    const first = await open(`/drops?date=${AHEAD}&utm_source=x`).expect(200);
    expect(first.text).toContain('<h1>60 names drop on');
    expect(namesIn(first.text)).toEqual(names.slice(0, 25));
    expect(first.text).not.toContain('>Register<span');
    const time = timeInPurgeZone(NOON_AHEAD);
    expect(first.text).toContain(`Deleted names go at ${time} AEST. Until then`);
    expect(first.text).toMatch(/<dt>to the first drop<\/dt><dd><time [^>]*>47 h<|>1 day</);
    expect(first.text).toContain(`<span class="chip wait">Due ${time}</span>`);
    expect(first.text).toContain(`href="/watch?name=${names[0]}">Watch<`);
    expect(first.text).toContain('1 to 25 of <b>60</b>');
    const second = await open(nextIn(first.text) ?? '').expect(200);
    expect(namesIn(second.text)).toEqual(names.slice(25, DEMO_ROWS));
    expect(second.text).toContain(`the first ${DEMO_ROWS} names of a day`);
  });

  it('lists what was found free, rescued and taken, and counts it', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000);
    await addDrops(test.database, 1, hourAgo, 'day-free');
    await addDrops(test.database, 1, hourAgo, 'day-saved');
    await settle(test.database, 'day-free0.com.au', true);
    await settle(test.database, 'day-saved0.com.au', false);
    const { open } = browser();
    const dropped = await open(`/drops?date=${TODAY}&list=dropped`).expect(200);
    expect(namesIn(dropped.text)).toContain('day-free0.com.au');
    expect(/confirmed<\/dt><dd>(\d+)/.exec(dropped.text)?.[1]).toBe(String(namesIn(dropped.text).length));
    expect(dropped.text).toMatch(/<p class="small soft">(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day \d/);
    expect(dropped.text).toContain('Names that dropped, by day');
    expect(dropped.text).toMatch(
      /, today, <\/span><small( class="due")?>\d+<span class="visually-hidden"> (due|dropped)</,
    );
    const rescued = await open('/drops?list=rescued').expect(200);
    expect(namesIn(rescued.text)).toContain('day-saved0.com.au');
  });

  it('takes a word for a day, and says which day it was', async () => {
    const { open } = browser();
    const { text } = await open('/drops?date=Today').expect(200);
    expect(text).toContain(`<a href="/drops?date=${TODAY}&amp;list=due"`);
    await open('/drops?date=someday').expect(400);
    const search = await open('/?first_seen_from=today').expect(200);
    expect(search.text).toContain(`added since ${TODAY}`);
    expect(search.text).not.toContain('=today');
  });

  it('says what to do on an empty day, and refuses what is no day', async () => {
    const { open } = browser();
    const empty = await open('/drops?date=2001-02-03&list=taken').expect(200);
    expect(empty.text).toContain('No name was taken again on this day');
    const wrong = await open('/drops?date=2001-02-30').expect(400);
    expect(wrong.text).toContain('must be a day');
    await open('/drops?cursor=nonsense').expect(400);
  });
});

describe('pages of facts', () => {
  it('GET /pricing has every tier', async () => {
    const { text } = await browser().open('/pricing').expect(200);
    expect(text).toContain('Without an account: 5 names a minute, 1 name a page.');
    for (const name of ['Free', 'Starter', 'Pro', 'Firehose'])
      expect(text).toContain(`<th scope="col">${name}</th>`);
    const [first, ...others] = text.split('<details class="fold"').slice(1, 5);
    expect(first).toContain('Names and checks');
    expect(first).toContain('<td data-l="Pro">1,000,000 names a month</td>');
    for (const [place, title] of ['API', 'Watching', 'Bulk data'].entries())
      expect(others[place]).toContain(`<summary>${title}</summary>`);
  });

  it('GET /status says what is known and what is not', async () => {
    const { text } = await browser().open('/status').expect(200);
    expect(text).toContain('0 of the first 50 spot checks done.');
    expect(text).toContain('The sandbox (made up)');
    // Nothing has counted a minute of this app.
    expect(text).toMatch(/How available\?<\/h2><p class="big soft">Not yet</);
    expect(text).toContain('Last 90 days: 0 without an outage, 0 with one, 90 not measured');
    expect(text).toMatch(/<b>API<\/b>[^<]*<br><small>no request in the last minutes<.*?>Not measured</);
  });
});

describe('where the registry cannot be reached', () => {
  it.each([
    ['a first failure', '2', 'The registry has not answered yet', 'The registry has not answered yet'],
    ['a pause', '1', 'Registry not answering', 'The registry does not answer'],
  ])('no page says that it answers, after %s', async (_, failures, onFront, onStatus) => {
    // Nothing listens on port 1 of this machine.
    const app = await startTestApp({
      REGISTRY_RDAP_URL: 'http://127.0.0.1:1/rdap/',
      REGISTRY_BREAKER_FAILURES: failures,
    });
    try {
      await app.caller().get('/v1/domains/check?domain=cannot-be-reached.com.au').expect(503);
      for (const [path, words] of [
        ['/', onFront],
        ['/status', onStatus],
      ] as const) {
        const { text } = await app.caller().get(path).set('Accept', BROWSER).expect(200);
        expect(text).toContain(words);
        expect(text).not.toMatch(/registry answer(s|ed|ing)|>answer(s|ed|ing)<|>Working</i);
      }
    } finally {
      await app.close();
    }
  });
});

describe('what programs look for beside pages', () => {
  it('robots.txt keeps them out of searches and the API, and names the sitemap, whose addresses are there', async () => {
    const robots = await test.caller().get('/robots.txt').expect(200);
    expect(robots.text).toContain('Disallow: /*?');
    expect(robots.text).toContain('Sitemap: http://bowerbird.test/sitemap.xml');
    const { text } = await test
      .caller()
      .get('/sitemap.xml')
      .expect(200)
      .expect('Content-Type', /^application\/xml/);
    const paths = [...text.matchAll(/<loc>http:\/\/bowerbird\.test([^<]+)</g)].map(([, path = '']) => path);
    expect(paths).toContain('/domains/front60.com.au');
    for (const path of [...paths.slice(0, 4), paths.at(-1) ?? ''])
      await test.caller().get(path).set('Accept', BROWSER).expect(200);
  });

  it('favicon.ico holds two pictures, and security.txt whom to tell', async () => {
    const { body } = await test
      .caller()
      .get('/favicon.ico')
      .buffer()
      .expect(200)
      .expect('Content-Type', 'image/x-icon');
    expect([...(body as Buffer).subarray(0, 6)]).toEqual([0, 0, 1, 0, 2, 0]);
    const { text } = await test.caller().get('/.well-known/security.txt').expect(200);
    expect(text).toContain('Contact: mailto:security@example.com\n');
    expect(Date.parse(/Expires: (\S+)/.exec(text)?.[1] ?? '')).toBeGreaterThan(Date.now());
  });
});

describe('failures for browsers', () => {
  it.each([
    ['/no-such-page', 404, 'There is no page at this address'],
    ['/v1/suggest?limit=none', 400, 'That did not work'],
    ['/api/v1/dropped', 401, 'This is for accounts'],
    ['/domains/%E0%A4%A', 400, 'That did not work'],
  ])('%s is a page', async (path, status, heading) => {
    const { text, headers } = await browser().open(path).expect(status);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toContain(`<h1>${heading}</h1>`);
    expect(text).toContain(headers['x-request-id']);
    await test.caller().get(path).expect(status).expect('Content-Type', /json/);
  });
});

describe('/domains/{domain}', () => {
  it('leads back to the list that a visitor came from, and to no other place', async () => {
    const domain = await addDomain(test.database);
    const backFrom = async (referer: string) => {
      const { text } = await browser().open(`/domains/${domain}`).set('Referer', referer).expect(200);
      return /<a href="([^"]*)">Back to results<\/a>/.exec(text)?.[1];
    };
    const base = 'http://bowerbird.test';
    expect(await backFrom(`${base}/?q=a%22b&tld=au`)).toBe('/?q=a%22b&amp;tld=au');
    expect(await backFrom(`${base}/drops?list=due`)).toBe('/drops?list=due');
    for (const other of [
      'https://evil.example/?q=x',
      `${base}/profile`,
      'no address',
      `${base}//evil.example`,
    ])
      expect(await backFrom(other)).toBeUndefined();
  });

  const askIn = /<form method="post" action="([^"]+)"><button data-ask/;
  const FREE = 'sandbox-available.com.au';

  describe('200', () => {
    it('is where the detail_url of every answer leads, and costs nothing', async () => {
      const domain = await addDomain(test.database, { wayback: 77, first_seen: '2026-10-02' });
      const caller = test.caller();
      const { body } = await caller.get('/v1/suggest').query({ q: domain.split('.')[0] });
      const { text } = await caller
        .get(`${new URL(body.results[0].detail_url).pathname}?utm_source=x`)
        .expect(200);
      for (const fact of ['>Available</span>', '</svg> 77</dd>', '2 Oct 2026', body.results[0].wayback_url])
        expect(text).toContain(fact);
      expect(text).toContain(`<link rel="canonical" href="http://bowerbird.test/domains/${domain}">`);
      expect(text).not.toMatch(/<script(?! src="\/assets\/(?:site|look)\.js| type="application\/ld\+json")/);
      const { body: left } = await caller.get('/v1/suggest?limit=1&q=nothing-like-it').expect(200);
      expect(left.rate.remaining).toBe(4);
    });

    it('says how few names on offer score as much, where they are few', async () => {
      const best = await addDomain(test.database, { wayback: 9_000_000 });
      const { text } = await browser().open(`/domains/${best}`).expect(200);
      expect(text).toMatch(/<dt>archive score, top [1-9]\d?% on offer<\/dt>/);
      const worst = await addDomain(test.database, { wayback: 1 });
      const { text: other } = await browser().open(`/domains/${worst}`).expect(200);
      expect(other).toContain('<dt>archive score</dt>');
    });

    it('says that a name has no archive only where the archive said so', async () => {
      const domain = await addDomain(test.database, { wayback: 0 });
      const { text } = await browser().open(`/domains/${domain}`).expect(200);
      for (const words of ['</svg> none yet</dd>', 'No archive history yet.']) expect(text).toContain(words);
      await test.database.query(`UPDATE domain SET archive_status = 'none' WHERE domain = $1`, [domain]);
      const { text: asked } = await browser().open(`/domains/${domain}`).expect(200);
      for (const words of ['</svg> 0</dd>', 'Not in the web archive.']) expect(asked).toContain(words);
    });

    it('sends nobody to a registrar before the registry was asked, and then where it said that the name is free', async () => {
      const { open, send } = browser();
      const before = await open(`/domains/${FREE}`).expect(404);
      expect(before.text).toContain('>Not checked</span>');
      expect(before.text).not.toContain('ventraip');
      const asked = await send(askIn.exec(before.text)?.[1] ?? '').expect(303);
      const { text } = await open(asked.headers.location ?? '').expect(200);
      expect(text).toContain('The sandbox (made up) said so <time');
      expect(text).toContain(
        `href="https://ventraip.com.au/domain-names?domain=${FREE}">Register<span class="visually-hidden"> at ventraip.com.au`,
      );
    });

    it.each([
      ['sandbox-registered.com.au', 'Registered'],
      ['sandbox-redemption.com.au', 'On hold'],
      ['sandbox-pending-purge.com.au', 'Due to drop'],
      ['sandbox-reserved.com.au', 'Reserved'],
      ['sandbox-declined.com.au', 'Declined by the registry'],
    ])('%s, asked about, is %s', async (domain, badge) => {
      const { open, send } = browser();
      await send(`/domains/${domain}`).expect(303);
      const { text } = await open(`/domains/${domain}`).expect(200);
      expect(/<span class="chip \w+">([^<]+)/.exec(text)?.[1]).toBe(badge);
      expect(text).not.toContain('ventraip');
    });

    it.each([
      ['listed', 'Due to drop'],
      ['delisted', 'Off the drop list'],
      ['purged', 'Being confirmed'],
      ['taken', 'Registered'],
      ['rescued', 'Rescued'],
      ['stale', 'Check due'],
      ['unconfirmed', 'Not checked'],
    ] as const)('a name that is %s in the dataset is %s', async (state, badge) => {
      const domain = `is-${state}.com.au`;
      await addInState(test.database, [
        {
          domain,
          state,
          confirmedBy: state === 'taken' ? 'rdap' : null,
          checkedAt: state === 'taken' ? new Date() : null,
        },
      ]);
      const { text } = await browser().open(`/domains/${domain}`).expect(200);
      expect(/<span class="chip \w+">([^<]+)/.exec(text)?.[1]).toBe(badge);
      expect(text).not.toContain('ventraip');
    });

    it('a name that is off the drop list has no purge ahead', async () => {
      await addInState(test.database, [{ domain: 'kept-by-its-holder.com.au', state: 'delisted' }]);
      const { text } = await browser().open('/domains/kept-by-its-holder.com.au').expect(200);
      expect(text).toContain('It was to be purged on 20 Nov 2026, 13:00 AEST (03:00 UTC).');
      expect(text).not.toMatch(/On a list of dropped names|<dt>Purge/);
    });

    it('says who may have the name, and what is known against it', async () => {
      const domain = await addDomain(test.database, { domain: 'anzac-biscuits.org.au' });
      const { text } = await browser().open(`/domains/${domain}`).expect(200);
      expect(text).toContain('A not-for-profit entity');
      expect(text).toContain('Only some people can register this name (restricted)');
      const reserved = await browser().open('/domains/www.au').expect(200);
      expect(reserved.text).toContain('>Reserved</span>');
      expect(reserved.text).not.toContain('data-ask');
    });
  });

  describe('400', () => {
    it('leads to the name that is in what was written, and shows nothing of it unescaped', async () => {
      const { text } = await browser().open('/domains/www.front60.com.au').expect(400);
      expect(text).toContain('<a class="btn" href="/domains/front60.com.au">');
      const odd = await browser()
        .open(`/domains/${encodeURIComponent('<b>.au')}`)
        .expect(400);
      expect(odd.text).toContain('<h1>This is not a .au name</h1>');
      expect(odd.text).not.toContain('<b>.au');
    });

    it('takes the button from our own pages only', async () => {
      const { text } = await browser()
        .send(`/domains/${FREE}`)
        .set('Sec-Fetch-Site', 'cross-site')
        .expect(400);
      expect(text).toContain('sent from another site');
    });
  });

  it('404: a page too, which says that nothing is known, also of a name that the operator withholds, and asks', async () => {
    const hidden = await addDomain(test.database, { hidden: true });
    for (const domain of ['nobody-has-this.com.au', hidden]) {
      const { text } = await browser().open(`/domains/${domain}`).expect(404);
      expect(text).toContain('not on our lists of dropped names');
      expect(text).toMatch(askIn);
      expect(text).toContain('<meta name="robots" content="noindex">');
    }
  });

  it('429 and 503: pages that lead back to the name', async () => {
    const { send } = browser();
    const unknown = await send('/domains/sandbox-500.com.au').expect(503);
    expect(unknown.text).toContain('<h1>The registry does not answer</h1>');
    expect(unknown.text).toContain('<a class="btn" href="/domains/sandbox-500.com.au">Go back</a>');
    const answers = await Promise.all(
      Array.from({ length: 11 }, () => send('/domains/sandbox-registered.com.au')),
    );
    // Eleven questions are at least one more than two windows hold.
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.text).toContain('<h1>You have no records left for now</h1>');
  });
});

import type { Test } from 'supertest';
import { TIER_NAMES } from '../../src/tiers/tiers.js';
import { addDomain } from '../support/domains.js';
import { type AccountsApp, signedInVisitor, startAccountsApp } from '../support/visitor.js';

/** Of a search, with pages of 25. */
const DEMO_ROWS = 50;
const DEMO_PAGES = 6;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let test: AccountsApp;
beforeAll(async () => {
  test = await startAccountsApp({
    TIERS: JSON.stringify({ demo: { listRows: DEMO_ROWS, listPages: DEMO_PAGES } }),
  });
});
afterAll(() => test.close());

/** Somebody with a browser, whom nobody knows. */
function browser(): { open(path: string): Test } {
  const caller = test.caller();
  return { open: (path) => caller.get(path).set('Accept', BROWSER) };
}

/** The names of a list, in its order. */
function namesIn(html: string): string[] {
  return [...html.matchAll(/<th scope="row"><a class="name" href="\/domains\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
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
      expect(text).toContain('1 to 25 of 60 names');
      expect(text.match(/>Register</g)).toHaveLength(25);
      expect(text).toContain('https://ventraip.com.au/domain-names?domain=front60.com.au');
      expect(text).not.toContain('<script');
      expect(text).not.toContain('style="');
      expect(text).toContain(`curl &#39;http://bowerbird.test/api/v1/search?q=front&#39;`);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['x-ratelimit-remaining']).toBeUndefined();
    });

    it('counts what the search can be narrowed to, and narrows it', async () => {
      const { open } = browser();
      const { text } = await open('/?q=front').expect(200);
      expect(text).toContain(
        '<a href="/?q=front&amp;min_wayback=10&amp;max_wayback=99">score 10 to 99 <b>51</b>',
      );
      const narrowed = await open('/?q=front&min_wayback=10&max_wayback=99').expect(200);
      expect(narrowed.text).toContain('1 to 25 of 51 names');
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
      expect(refused.text).toContain('<h1>That is as far as these pages go</h1>');
    });

    it('ignores where visitors come from, and fields that were left empty', async () => {
      const { text } = await browser()
        .open('/?utm_source=x&fbclid=y&q=Front60&min_length=&tld=&tld=')
        .expect(200);
      expect(namesIn(text)).toEqual(['front60.com.au']);
    });

    it('says what to change when nothing is found, and leads to the name itself', async () => {
      const { open } = browser();
      const { text } = await open('/?q=nobody-has-this&min_wayback=5').expect(200);
      expect(text).toContain('<a href="/?q=nobody-has-this">Leave out the least score</a>');
      expect(text).toContain('<a href="/domains/nobody-has-this.com.au">');
      const named = await open('/?q=https://www.Front60.com.au/shop').expect(200);
      expect(named.text).toContain('<a href="/domains/front60.com.au">Look at front60.com.au</a>');
      expect(namesIn(named.text)).toEqual(['front60.com.au']);
    });
  });

  it('400: tells on the page what is wrong with the form, and keeps what was typed', async () => {
    const { text } = await browser().open('/?q=%3Cb%3E%3F&min_length=9').expect(400);
    expect(text).toContain('role="alert">q must be');
    expect(text).toContain('value="&lt;b&gt;?"');
    expect(text).toContain('value="9"');
  });

  it('429: a page that says when to come back, and no records are spent by reading', async () => {
    const caller = test.caller();
    const ask = (path: string) => caller.get(path).set('Accept', BROWSER);
    for (let page = 0; page < DEMO_PAGES; page += 1) await ask('/').expect(200);
    const { text, headers } = await ask('/').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(text).toContain('<h1>That was a lot of pages</h1>');
    const { body } = await caller.get('/v1/suggest?limit=1&q=front').expect(200);
    expect(body.rate.remaining).toBe(4);
  });
});

describe('pages of facts', () => {
  it('GET /pricing has every tier', async () => {
    const { text } = await browser().open('/pricing').expect(200);
    for (const name of TIER_NAMES) expect(text).toContain(`<th scope="col">${name}</th>`);
    expect(text).toContain('<td>1,000,000 a month</td>');
  });

  it('GET /status says what is known and what is not', async () => {
    const { text } = await browser().open('/status').expect(200);
    expect(text).toContain('nobody knows how many are wrong');
    expect(text).toContain('the sandbox, which is made up');
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

describe('GET /domains/{domain}', () => {
  describe('200', () => {
    it('is where the detail_url of every answer leads', async () => {
      const domain = await addDomain(test.database, { wayback: 77, first_seen: '2026-10-02' });
      const caller = test.caller();
      const { body } = await caller.get('/v1/suggest').query({ q: domain.split('.')[0] });
      const { text, headers } = await caller.get(new URL(body.results[0].detail_url).pathname).expect(200);
      expect(headers['content-type']).toContain('text/html');
      for (const fact of [domain, '77', '2026-10-02', body.results[0].wayback_url])
        expect(text).toContain(fact);
      expect(text).toContain('https://ventraip.com.au/domain-names?domain=');
      expect(text).not.toContain('<script');
    });

    it('offers no registration of a name that is taken', async () => {
      const domain = await addDomain(test.database, { available: false });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).not.toContain('ventraip');
    });

    it('says who may have the name, and what is known against it', async () => {
      const domain = await addDomain(test.database, { domain: 'anzac-biscuits.org.au' });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).toContain('A not-for-profit entity');
      expect(text).toContain('Not everybody can have this name (restricted)');
      const plain = await addDomain(test.database);
      const other = await test.caller().get(`/domains/${plain}`).expect(200);
      expect(other.text).not.toContain('Not everybody');
    });

    it('shows the label under the other suffixes, and what is not known of it', async () => {
      const domain = await addDomain(test.database, { domain: 'kinship.com.au' });
      await addDomain(test.database, { domain: 'kinship.net.au', available: false });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).toMatch(
        /<a href="https:\/\/bowerbird\.example\/domains\/kinship\.net\.au">kinship\.net\.au<\/a><\/td>\s*<td>taken<\/td>/,
      );
      expect(text).toMatch(/<td>kinship\.au<\/td>\s*<td>not known<\/td>/);
    });

    it('costs one record, as at every other door', async () => {
      const domain = await addDomain(test.database);
      const { headers } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(headers['x-ratelimit-remaining']).toBe('4');
    });
  });

  describe('400', () => {
    it('says what is wrong with the name, and shows nothing of it unescaped', async () => {
      const { text } = await test
        .caller()
        .get(`/domains/${encodeURIComponent('<script>.au')}`)
        .expect(400);
      expect(text).toContain('<h1>This is not a .au name</h1>');
      expect(text).not.toContain('<script');
    });

    it('refuses percent-encoding that cannot be decoded', async () => {
      const { body } = await test.caller().get('/domains/%E0%A4%A').expect(400);
      expect(body.error.code).toBe('bad_request');
    });
  });

  describe('404', () => {
    it('is a page too, says that the dataset does not hold the name and where to ask, free of charge', async () => {
      const hidden = await addDomain(test.database, { hidden: true });
      for (const domain of ['nobody-has-this.com.au', hidden]) {
        const { text, headers } = await test.caller().get(`/domains/${domain}`).expect(404);
        expect(headers['content-type']).toContain('text/html');
        expect(text).toContain(`<h1>${domain}</h1>`);
        expect(text).toContain('does not hold this name');
        expect(text).toContain(`href="http://bowerbird.test/v1/domains/check?domain=${domain}"`);
        expect(text).not.toContain('ventraip');
        expect(headers['x-ratelimit-remaining']).toBe('5');
      }
    });
  });

  describe('429', () => {
    it('comes when the budget is spent', async () => {
      const domain = await addDomain(test.database);
      const caller = test.caller();
      const answers = await Promise.all(Array.from({ length: 11 }, () => caller.get(`/domains/${domain}`)));
      // Eleven requests are at least one more than two windows hold.
      expect(answers.some(({ status }) => status === 429)).toBe(true);
    });
  });
});

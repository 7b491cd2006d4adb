import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomains, addDomain } from '../support/domains.js';
import { cutNames } from '../support/words.js';

const LARGE = { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };
const NAMES: Readonly<Record<string, number>> = {
  'coffeeshop.com.au': 40,
  'coffee-shop-melbourne.com.au': 9,
  'shopofcoffees.net.au': 500,
  'coffeevan.com.au': 70,
  'espressobar.com.au': 300,
  'cafemelbourne.com.au': 120,
  'melbournecoffee.com.au': 15,
  'goldcoastplumbing.com.au': 33,
  'goldcoastplumber.com.au': 2,
  'colourprinting.au': 12,
  'zyqqocoffee.au': 1,
  'bestshops.id.au': 3,
};

let test: TestApp;
let bearer: string;
beforeAll(async () => {
  test = await startTestApp({ ...WITH_KEYS, TIERS: JSON.stringify({ firehose: LARGE, demo: LARGE }) });
  bearer = (await addKey(test.database, { tier: 'firehose' })).bearer;
  await addDomains(
    test.database,
    Object.entries(NAMES).map(([domain, wayback]) => ({
      ...{ domain, wayback, first_seen: null, available: true, hidden: false },
    })),
  );
  await cutNames(test.database);
});
afterAll(() => test.close());

interface Answer {
  results: { domain: string }[];
  near: { domain: string }[];
  read_as: { text: string; terms: { reading: string }[]; strict_q: string | null };
  total: number;
  next_cursor: string | null;
}

async function search(q: string, more: Record<string, string> = {}): Promise<Answer> {
  const query = new URLSearchParams({ match: 'words', q, ...more }).toString();
  const path = `/api/v1/search?${query}`;
  const { body } = await test.caller().get(path).set('Authorization', bearer).expect(200);
  return body as Answer;
}
const labelsOf = (rows: { domain: string }[]) => rows.map(({ domain }) => domain.split('.')[0]);
const found = async (q: string, more?: Record<string, string>) => labelsOf((await search(q, more)).results);

describe('GET /api/v1/search?match=words', () => {
  it.each([
    ['coffee shop', ['shopofcoffees', 'coffeeshop', 'coffee-shop-melbourne']],
    ['SHOPS coffee', ['shopofcoffees', 'coffeeshop', 'coffee-shop-melbourne']],
    ['cofee shop', ['shopofcoffees', 'coffeeshop', 'coffee-shop-melbourne']],
    ['coffee-shop', ['shopofcoffees', 'coffeeshop', 'coffee-shop-melbourne']],
    ['"coffee shop"', ['coffeeshop', 'coffee-shop-melbourne']],
    ['coffee melb', ['melbournecoffee', 'coffee-shop-melbourne']],
    ['coffee -shop -van', ['melbournecoffee', 'zyqqocoffee']],
    ['zyqqo coffee', ['zyqqocoffee']],
    ['gold coast plumber', ['goldcoastplumber']],
    ['color print*', ['colourprinting']],
    ['coffee*', ['coffeevan', 'coffeeshop', 'coffee-shop-melbourne']],
    ['https://coffeeshop.net.au/menu', ['coffeeshop']],
  ])('%s finds %j', async (q, labels) => {
    expect(await found(q)).toEqual(labels);
  });

  it('says how the question was read, and how to be strict', async () => {
    const { read_as } = await search('the cofee shop');
    expect(read_as).toMatchObject({
      text: 'coffee (for cofee) and shop',
      terms: [{ typed: 'cofee', as: ['coffee'], reading: 'spelling' }, { typed: 'shop' }],
      left_out: ['the'],
      strict_q: 'thecofeeshop',
    });
  });

  it('has near matches apart, where there is room', async () => {
    const { results, near, total } = await search('coffee melbourne');
    expect([labelsOf(results), total]).toEqual([['melbournecoffee', 'coffee-shop-melbourne'], 2]);
    expect(labelsOf(near)[0]).toBe('cafemelbourne');
    expect(labelsOf(near)).toEqual(expect.arrayContaining(['coffeeshop', 'coffeevan']));
    expect((await search('coffee melbourne', { per_page: '2' })).near).toEqual([]);
  });

  it('has near matches of single words, where longer questions find nothing', async () => {
    const { total, near } = await search('wedding coffee hire van');
    expect(total).toBe(0);
    expect(labelsOf(near)[0]).toBe('coffeevan');
    const { near: others } = await search('wedding plumber hire');
    expect(labelsOf(others)).toContain('goldcoastplumber');
  });

  it('goes together with filters, orders and pages', async () => {
    expect(await found('coffee', { tld: 'au,net.au', sort: 'length' })).toEqual([
      'zyqqocoffee',
      'shopofcoffees',
    ]);
    const first = await search('coffee', { per_page: '4' });
    const next = await search('coffee', { per_page: '4', cursor: first.next_cursor ?? '' });
    expect([first.results.length, next.results.length, next.total]).toEqual([4, 2, 6]);
  });

  it('has no part in the search by text, which stays the usual one', async () => {
    const path = '/api/v1/search?q=coffeeshop';
    const { body } = await test.caller().get(path).set('Authorization', bearer).expect(200);
    expect(labelsOf((body as Answer).results)).toEqual(['coffeeshop']);
    expect(body).not.toHaveProperty('read_as');
    await test.caller().get('/api/v1/search?q=coffee%20shop').set('Authorization', bearer).expect(400);
  });

  it.each(['', '!!!', '"', 'a'.repeat(101)])('%s is refused: there is nothing to look for', async (q) => {
    const path = `/api/v1/search?match=words&q=${encodeURIComponent(q)}`;
    await test.caller().get(path).set('Authorization', bearer).expect(400);
  });
});

describe('other doors', () => {
  it('facets count by words', async () => {
    const { body } = await test.caller().get('/api/v1/facets?match=words&q=cofee').expect(200);
    expect(body).toMatchObject({ total: 6, total_is: 'exact' });
  });

  it('suggestions say how each keyword was read', async () => {
    const { body } = await test
      .caller()
      .post('/api/v1/suggest')
      .send({ match: 'words', keywords: ['coffee shop', 'gold coast plummer'], limit: 10 })
      .expect(200);
    expect(labelsOf(body.results)).toEqual([
      ...['shopofcoffees', 'coffeeshop', 'coffee-shop-melbourne', 'goldcoastplumber'],
    ]);
    expect(body.results[0].why).toMatchObject({ keywords: ['coffee shop'] });
    expect(body.read_as).toHaveLength(2);
  });
});

interface Suggested {
  results: { domain: string; why: { text: string; keywords: string[] } }[];
  ideas: { domain: string; available: boolean; why: { kind: string; text: string } }[];
  read_as: { text: string; left_out: string[] }[];
}
async function suggest(request: object): Promise<Suggested> {
  const { body } = await test.caller().post('/api/v1/suggest').send(request).expect(200);
  return body as Suggested;
}

describe('a description', () => {
  it('finds names with its words and words that go with them, the closest first, each with its reason', async () => {
    const { results, read_as } = await suggest({ describe: 'A small café for our family in Melbourne!' });
    expect(results[0]).toMatchObject({
      domain: 'cafemelbourne.com.au',
      why: { keywords: ['cafe', 'melbourne'], text: 'has cafe and melbourne; archive score 120.' },
    });
    expect(results.map(({ domain }) => domain)).toContain('espressobar.com.au');
    expect(results.find(({ domain }) => domain === 'melbournecoffee.com.au')?.why.text).toBe(
      'has melbourne and coffee for cafe; archive score 15.',
    );
    expect(read_as).toMatchObject([{ left_out: expect.arrayContaining(['small', 'our', 'family']) }]);
  });

  it.each([
    { describe: 'for the and' },
    { describe: '!' },
    { describe: 'a'.repeat(301) },
    { describe: 'coffee', keywords: ['tea'] },
  ])('%j is refused', async (request) => {
    await test.caller().post('/api/v1/suggest').send(request).expect(400);
  });
});

describe('ideas', () => {
  afterEach(() => test.database.query(`DELETE FROM domain WHERE name LIKE 'zyqqodrop%'`));
  const kindsOf = ({ ideas }: Suggested) =>
    Object.fromEntries(ideas.map(({ domain, why }) => [domain, `${why.kind}: ${why.text}`]));

  it('are other words, parts and other suffixes, each with its reason', async () => {
    const found = await suggest({
      keywords: ['roastery melbourne'],
      match: 'words',
      ideas: true,
      tld: ['au'],
    });
    expect(found.results).toEqual([]);
    expect(kindsOf(await suggest({ keywords: ['bestshops'], tld: ['au'], ideas: true }))).toEqual({
      'bestshops.id.au': 'suffix: matches, as .id.au',
    });
    expect(
      kindsOf(await suggest({ keywords: ['roastery melbourne'], match: 'words', ideas: true })),
    ).toMatchObject({
      'cafemelbourne.com.au': 'words: has melbourne and cafe for roastery',
    });
  });

  it('are names about to drop, which are not available yet', async () => {
    await addDomain(test.database, { domain: 'zyqqodrop.com.au', available: false });
    await test.database.query(
      `UPDATE domain SET state = 'listed', purge_at = '2026-12-01T03:00:00Z' WHERE name = 'zyqqodrop'`,
    );
    const { ideas } = await suggest({ keywords: ['zyqqodrop'], ideas: true });
    expect(ideas).toMatchObject([
      {
        domain: 'zyqqodrop.com.au',
        available: false,
        why: { kind: 'due', text: 'matches, and is due to drop on 2026-12-01' },
      },
    ]);
  });

  it('are not charged where nobody asks for them', async () => {
    expect(await suggest({ keywords: ['zyqqodrop'] })).not.toHaveProperty('ideas');
  });
});

describe('names that are not cut yet', () => {
  afterEach(() => test.database.query('UPDATE word_fill SET is_complete = true'));

  it('are cut by the job, which another release or a change of the lexicon gives work again', async () => {
    await addDomain(test.database, { domain: 'lateteashop.com.au' });
    await test.database.query(`UPDATE domain SET words = NULL WHERE name = 'lateteashop'`);
    expect(await found('tea shop')).toEqual([]);
    await cutNames(test.database);
    expect(await found('tea shop')).toEqual(['lateteashop']);
    await test.database.query(`UPDATE word_fill SET lexicon = 'former'`);
    await test.database.query(`UPDATE domain SET words = '{1}' WHERE name = 'lateteashop'`);
    await cutNames(test.database);
    expect(await found('tea shop')).toEqual(['lateteashop']);
    await test.database.query(`DELETE FROM domain WHERE name = 'lateteashop'`);
  });

  it('make a search by words answer 503 until all are', async () => {
    await test.database.query('UPDATE word_fill SET is_complete = false');
    const other = await startTestApp({ DATABASE_URL: test.databaseUrl });
    try {
      const { body } = await other.caller().get('/api/v1/search?match=words&q=coffee').expect(503);
      expect(body.error.code).toBe('not_ready');
      await other.caller().get('/api/v1/search?dictionary=true').expect(503);
      const page = other.caller().get('/?dictionary=true&q=coffee').set('Accept', 'text/html');
      expect((await page.expect(200)).text).toContain('still splitting names into words');
      await other.caller().get('/api/v1/search?q=coffee&starts_with_digit=false').expect(200);
    } finally {
      await other.close();
    }
  });
});

import fc from 'fast-check';
import { NameSampler } from '../../src/domains/search/name-sampler.js';
import { type MatchMode, type Suffix, SUFFIXES } from '../../src/domains/schema/domain.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomains, type DomainSeed } from '../support/domains.js';
import { runs } from '../support/runs.js';

const TIERS = JSON.stringify({ demo: { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 } });
// So many that the plain question is often longer than what is looked at of its answer.
const WORDS = [
  'coffee',
  'shop',
  'tea',
  'best',
  'my',
  '24',
  'a-b',
  'x',
  'cart',
  'bean',
  'o',
  'express',
  'to-go',
  '9',
];

let app: TestApp;
let rows: DomainSeed[];
beforeAll(async () => {
  app = await startTestApp({ TIERS });
  rows = makeRows();
  await addDomains(app.database, rows);
  await app.app.get(NameSampler).refresh();
});
afterAll(() => app.close());

/** Every pair of words under some of the suffixes, with scores that often are alike. */
function makeRows(): DomainSeed[] {
  const labels = WORDS.flatMap((one) => WORDS.map((other) => `${one}${other}`));
  return labels.flatMap((label, place) =>
    SUFFIXES.filter((_, suffix) => (place * 7 + suffix * 5) % 3 !== 0).map((suffix, at) => ({
      domain: `${label}.${suffix}`,
      wayback: ((place * 31 + at * 17) % 7) * 40,
      first_seen: null,
      available: (place + at) % 5 !== 0,
      hidden: (place + at) % 11 === 0,
    })),
  );
}

interface Wish {
  keywords?: string[];
  mode?: MatchMode;
  exclude?: string[];
  glob?: string;
  min_length?: number;
  max_length?: number;
  min_wayback?: number;
  tld?: Suffix[];
  available_in?: Suffix[];
  limit?: number;
}

const suggest = (wish: object, caller = app.caller()) => caller.post('/api/v1/suggest').send(wish);
const namesOf = (body: { results: { domain: string }[] }) => body.results.map(({ domain }) => domain);

/** What must be answered, found by looking at every row. */
function expected({ keywords, mode = 'contains', exclude = [], glob, ...wish }: Wish): string[] {
  const matches = { contains: 'includes', prefix: 'startsWith', suffix: 'endsWith' } as const;
  const offered = new Set(
    rows.filter(({ available, hidden }) => available && !hidden).map(({ domain }) => domain),
  );
  const like = glob && new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  const { tld = wish.available_in ?? SUFFIXES, available_in: offeredUnder = [] } = wish;
  return rows
    .filter(({ domain, wayback }) => {
      const [label = ''] = domain.split('.');
      return (
        offered.has(domain) &&
        (!keywords || keywords.some((keyword) => label[matches[mode]](keyword))) &&
        !exclude.some((text) => label.includes(text)) &&
        (!like || like.test(label)) &&
        label.length >= (wish.min_length ?? 0) &&
        label.length <= (wish.max_length ?? 63) &&
        wayback >= (wish.min_wayback ?? 0) &&
        tld.some((suffix) => domain === `${label}.${suffix}`) &&
        offeredUnder.every((suffix) => offered.has(`${label}.${suffix}`))
      );
    })
    .sort((one, other) => other.wayback - one.wayback || (one.domain < other.domain ? -1 : 1))
    .slice(0, wish.limit ?? 10)
    .map(({ domain }) => domain);
}

describe('POST /api/v1/suggest', () => {
  describe('200', () => {
    it('finds what is as asked for, and nothing else, in the order of rank', async () => {
      const some = <Value>(values: readonly Value[], max: number) =>
        fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: max });
      const wishes = fc.record(
        {
          keywords: some(WORDS, 3),
          mode: fc.constantFrom<MatchMode>('contains', 'prefix', 'suffix'),
          exclude: some(WORDS, 2),
          glob: fc.constantFrom('*shop*24', 'my*', '*', '?offee*', '*a-b', 'best?hop', 'x*'),
          min_length: fc.integer({ min: 2, max: 8 }),
          max_length: fc.integer({ min: 8, max: 20 }),
          min_wayback: fc.constantFrom(0, 40, 200),
          tld: some(SUFFIXES, 3),
          available_in: some(SUFFIXES, 2),
          limit: fc.integer({ min: 1, max: 50 }),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(wishes, async (wish) => {
          const { status, body } = await suggest(wish);
          expect(status).toBe(200);
          expect(namesOf(body)).toEqual(expected(wish));
        }),
        { numRuns: runs(60) },
      );
    });

    it('says of each why it is where it is', async () => {
      const { body } = await suggest({
        ...{ keywords: ['tea', 'coffee'], glob: '*tea*', available_in: ['com.au'], limit: 50 },
      });
      expect(body.results.length).toBeGreaterThan(3);
      for (const [place, { domain, wayback, why }] of body.results.entries()) {
        const before = body.results[place - 1];
        expect(why).toMatchObject({
          rank: place + 1,
          keywords: ['tea', 'coffee'].filter((keyword) => domain.includes(keyword)),
          behind_by: !before ? 'first' : before.wayback > wayback ? 'wayback' : 'name',
        });
        expect(why.text).toContain(`Archive score ${wayback}`);
        expect(why.text).toContain('matches *tea*; on offer as .com.au.');
      }
    });

    it('costs the records returned, and is cut to what the budget has left', async () => {
      const poor = await startTestApp({ DATABASE_URL: app.databaseUrl });
      setBudgetTime(poor.app, new Date());
      const caller = poor.caller();
      const first = await caller.post('/api/v1/suggest').send({ keywords: ['coffee', 'tea'], limit: 4 });
      expect(first.body).toMatchObject({ count: 4, rate: { remaining: 1 } });
      const second = await caller.post('/api/v1/suggest').send({ keywords: ['coffee'] });
      expect(second.body).toMatchObject({ count: 1, note: expect.stringContaining('Limited to 1') });
      await caller.post('/api/v1/suggest').send({}).expect(429);
      await poor.close();
    });
  });

  describe('400 and 415', () => {
    it.each([
      [{ keywords: [] }, 'keywords must be a list of 1 to 5 texts'],
      [{ keywords: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'keywords must be a list of 1 to 5 texts'],
      [{ keywords: ['Ümlaut'] }, 'keywords must be a list of 1 to 5 texts'],
      [{ keywords: 'coffee' }, 'keywords must be a list'],
      [{ exclude: [7] }, 'exclude must be a list of 1 to 10 texts'],
      [{ glob: 'a%' }, 'glob must be 1 to 64 characters'],
      [{ available_in: ['com'] }, 'available_in must be one or more of com.au'],
      [{ min_length: 9, max_length: 3 }, 'min_length must not be greater than max_length'],
      [{ limit: 51 }, 'limit must be an integer from 1 to 50'],
      [{ q: 'coffee' }, 'q is not a parameter here'],
    ])('names the rule for %j', async (wish, rule) => {
      const { status, body } = await suggest(wish);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain(rule);
    });

    it('reads JSON only', async () => {
      await app.caller().post('/api/v1/suggest').type('text/csv').send('coffee').expect(415);
    });
  });
});

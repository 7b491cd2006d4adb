import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { readConfig } from '../../src/config/read-config.js';
import type { DomainRow } from '../../src/domains/schema/domain-row.js';
import { MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import { readCellShares } from '../../src/domains/search/cube/cube.repository.js';
import {
  type DiscoveryPlan,
  type GatheringPlan,
  planDiscovery,
  planGathering,
} from '../../src/domains/search/planner.js';
import {
  type DiscoveryQuery,
  exactly,
  type FacetRow,
  SORT_KEYS,
} from '../../src/domains/search/discovery-query.js';
import {
  cellsStatement,
  namesStatement,
  gatheringStatement,
  statementOf,
} from '../../src/domains/search/statements.repository.js';
import { filePending } from '../../src/db/read-ahead.js';
import { SEARCH_INDEXES } from '../../src/domains/schema/filters/score-bands.js';
import { DiscoveryRepository } from '../../src/domains/search/discovery.repository.js';
import { sampleOf } from '../support/name-sample.js';
import { NameSampler } from '../../src/domains/search/name-sampler.js';
import {
  codeOfGram,
  gramOfSuffix,
  joinedGrams,
  gramsToLookUp,
  markPattern,
} from '../../src/domains/search/pattern-grams.js';
import { traitsOf } from '../../src/domains/search/name-traits.js';
import { TRI_STATES } from '../../src/domains/schema/filters/filter.js';
import { isOfWholeCells, type NameFilter } from '../../src/domains/schema/filters/filters.js';
import { SCORE_TIERS } from '../../src/domains/schema/filters/score-bands.js';
import { ReadDatabase } from '../../src/db/replicas/read-database.js';
import { cloneTemplate, dropDatabase, readingUrlOf } from '../support/database.js';
import { discover, passing, positionOf, seedOf, shapesIn, shapesOf } from '../support/discovery-oracle.js';
import { addDomains, type DomainSeed, VOUCHED_AT } from '../support/domains.js';
import { until } from '../support/processes.js';
import { runs } from '../support/runs.js';

const CAP_MS = 5_000;

let url: string;
let dataSource: DataSource;
let database: Database;
let sessions: CappedPool;
beforeAll(async () => {
  url = await cloneTemplate();
  dataSource = createDataSource(url, 3, () => undefined);
  await dataSource.initialize();
  database = new Database(dataSource);
  sessions = new CappedPool(readingUrlOf(url), CAP_MS, 2, () => undefined);
});
afterAll(async () => {
  await sessions.close();
  await dataSource.destroy();
  dropDatabase(url);
});

async function fill(rows: DomainSeed[]): Promise<void> {
  await database.query('TRUNCATE domain, domain_cube');
  await database.query('UPDATE dataset SET available_records = 0');
  await addDomains(database, rows);
}

async function ask(query: DiscoveryQuery, plan: DiscoveryPlan): Promise<string[]> {
  const { rows, timedOut } = await sessions.query<DomainRow>(statementOf(query, plan));
  expect(timedOut).toBe(false);
  return plan.otherwise && rows.length < query.limit
    ? ask(query, plan.otherwise)
    : rows.map(({ domain }) => domain);
}

async function count(query: DiscoveryQuery, plan: GatheringPlan): Promise<number | undefined> {
  const { rows } = await sessions.query<{ names: number }>(namesStatement(query, 'count', plan, 40));
  return rows[0]?.names;
}

/** A page, with each of its names how many there are on all pages, and with the first the facets of all. */
async function gather(query: DiscoveryQuery, plan: GatheringPlan) {
  const { rows } = await sessions.query<DomainRow & { total: number; facets: FacetRow[] | null }>(
    gatheringStatement(query, plan, true),
  );
  return {
    names: rows.map(({ domain }) => domain),
    total: rows.map(({ total }) => total),
    shapes: rows.map(({ facets }) => facets && shapesIn(facets)),
  };
}

async function countCells(filter: NameFilter): Promise<number> {
  const { rows } = await sessions.query<{ names: number }>(cellsStatement(filter, 'count'));
  return rows[0]?.names ?? NaN;
}

// Scores on both sides of every limit, often the same one; labels of few grams, some of which are suffixes too.
const BORDERS = SCORE_TIERS.flatMap(({ from }) => [from, from, from + 1, Math.max(0, from - 1)]);
const anyScore = fc.constantFrom(...BORDERS, 2_147_483_647);
const anyLabel = fc
  .array(fc.constantFrom('a', 'b', '1', '-', 'x', 'com', 'au', 'id', 'ab'), { minLength: 1, maxLength: 5 })
  .map((grams) => grams.join(''))
  .filter((label) => label.length > 1 && !/^-|-$|^..--/.test(label));
const anyRow: fc.Arbitrary<DomainSeed> = fc.record({
  domain: fc.tuple(anyLabel, fc.constantFrom(...SUFFIXES)).map(([name, tld]) => `${name}.${tld}`),
  wayback: anyScore,
  first_seen: fc.option(fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-02'), { freq: 4 }),
  available: fc.integer({ min: 0, max: 9 }).map((dice) => dice > 0),
  hidden: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const anyRows = fc.uniqueArray(anyRow, { selector: ({ domain }) => domain, maxLength: 150 });
const anyQuery: fc.Arbitrary<DiscoveryQuery> = fc.record({
  q: fc.option(fc.oneof(anyLabel, fc.constantFrom('a', '-', 'om', 'u', 'x', 'z', '1', 'com', 'au-', '-a')), {
    nil: undefined,
  }),
  mode: fc.constantFrom(...MATCH_MODES),
  suffixes: fc.uniqueArray(fc.constantFrom(...SUFFIXES), { maxLength: 3 }),
  minWayback: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: anyScore }),
  limit: fc.integer({ min: 1, max: 60 }),
});
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const anyDay = fc.constantFrom('2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02', '2026-11-03');
const anyRange = <T extends number | string>(arbitrary: fc.Arbitrary<T>) =>
  fc
    .tuple(maybe(arbitrary), maybe(arbitrary))
    .filter(([from, to]) => from === undefined || to === undefined || from <= to);
const anySearch: fc.Arbitrary<DiscoveryQuery> = fc
  .record({
    query: anyQuery,
    scores: anyRange(anyScore),
    lengths: anyRange(fc.integer({ min: 1, max: 12 })),
    days: anyRange(anyDay),
    hyphens: maybe(fc.constantFrom(...TRI_STATES)),
    numbers: maybe(fc.constantFrom(...TRI_STATES)),
    sort: maybe(fc.record({ key: fc.constantFrom(...SORT_KEYS), direction: fc.constantFrom('asc', 'desc') })),
    offset: maybe(fc.integer({ min: 0, max: 20 })),
  })
  .map(({ query, scores, lengths, days, ...rest }) => ({
    ...query,
    ...rest,
    minWayback: scores[0] ?? 0,
    maxWayback: scores[1],
    minLength: lengths[0],
    maxLength: lengths[1],
    firstSeenFrom: days[0],
    firstSeenTo: days[1],
  }));

/** Every way in which this question can be asked. */
function plansFor(query: DiscoveryQuery): DiscoveryPlan[] {
  const { q = '', mode, suffixes, minLength, maxLength, firstSeenFrom, firstSeenTo } = query;
  const every = q === '' ? [] : gramsToLookUp(markPattern(q, mode));
  const others: DiscoveryPlan[] = [
    { strategy: 'order' },
    { strategy: 'order', bound: 1_000 },
    { strategy: 'range', key: 'wayback' },
    { strategy: 'range', key: 'shape' },
  ];
  if (minLength !== undefined || maxLength !== undefined) others.push({ strategy: 'range', key: 'length' });
  if (firstSeenFrom !== undefined || firstSeenTo !== undefined)
    others.push({ strategy: 'range', key: 'first_seen' });
  if (q !== '' && mode === 'prefix') others.push({ strategy: 'range', key: 'domain' });
  const traits = traitsOf(query);
  if (traits.length > 0) others.push({ strategy: 'bands', every: [], some: [], traits });
  if (every.length === 0) return others;
  const suffix = suffixes.length === 1 ? suffixes.map(gramOfSuffix) : [];
  const choices = [every.slice(0, 1), every.slice(-2), [...suffix, ...every]];
  return [
    ...others,
    ...choices.map((choice) => ({ strategy: 'bands', every: choice, some: [] }) as const),
    { strategy: 'bands', every: every.slice(0, 1), some: [], traits },
  ];
}

describe('every way to ask', () => {
  it('finds what a plain list in memory finds, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.array(anyQuery, { minLength: 8, maxLength: 8 }), async (rows, queries) => {
        await fill(rows);
        for (const query of queries) {
          const expected = discover(rows, query);
          for (const plan of plansFor(query))
            expect({ plan, found: await ask(query, plan) }).toEqual({ plan, found: expected });
        }
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('search', () => {
  it('finds, counts and goes on from any row as a plain list in memory does, in every way', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.array(anySearch, { minLength: 8, maxLength: 8 }),
        fc.nat(),
        async (rows, queries, place) => {
          await fill(rows);
          for (const query of queries) {
            const found = passing(rows, query);
            // A row to go on from: mostly one that was found, else one that is only like it.
            const last = (place % 3 === 0 ? rows : found)[place % Math.max(1, found.length)];
            const next = { ...query, after: last && positionOf(last) };
            if (isOfWholeCells(query)) {
              expect({ query, count: await countCells(query) }).toEqual({ query, count: found.length });
              const { rows: cells } = await sessions.query<FacetRow>(cellsStatement(query, 'shapes'));
              expect(shapesIn(cells)).toEqual(shapesOf(found));
            }
            for (const plan of plansFor(query)) {
              expect({ query, plan, found: await ask(query, plan) }).toEqual({
                query,
                plan,
                found: discover(rows, query),
              });
              expect({ next, plan, found: await ask(next, plan) }).toEqual({
                next,
                plan,
                found: discover(rows, next),
              });
              if (plan.strategy === 'order') continue;
              expect({ query, plan, count: await count(query, plan) }).toEqual({
                query,
                plan,
                count: Math.min(40, found.length),
              });
              for (const one of [query, next]) {
                const names = discover(rows, one);
                const total = names.map(() => found.length);
                const shapes = names.map((_, place) => (place === 0 ? shapesOf(found) : null));
                expect({ one, plan, ...(await gather(one, plan)) }).toEqual({
                  one,
                  plan,
                  names,
                  total,
                  shapes,
                });
              }
            }
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });
});

describe('the way chosen', () => {
  // Samples that are missing, true, empty, and of another dataset altogether.
  it('never changes the answer, whatever the sample says', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        anyRows,
        fc.array(fc.oneof(anyQuery, anySearch), { minLength: 8, maxLength: 8 }),
        async (rows, others, queries) => {
          await fill(rows);
          const names = namesOf(rows);
          const samples = [
            null,
            await sampleOf(names, rows.length),
            await sampleOf([], 0),
            await sampleOf(namesOf(others), 10_000_000),
            await sampleOf(names, 10_000_000, await readCellShares(database)),
          ];
          for (const query of queries) {
            const expected = discover(rows, query);
            for (const sample of samples)
              expect(await ask(query, planDiscovery(query, sample).plan)).toEqual(expected);
            for (const sample of samples)
              expect(await count(query, planGathering(query, sample))).toBe(
                Math.min(40, passing(rows, query).length),
              );
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });
});

const namesOf = (rows: DomainSeed[]) =>
  rows.filter(({ available, hidden }) => available && !hidden).map(seedOf);

describe('DiscoveryRepository', () => {
  let reads: ReadDatabase;
  let sampler: NameSampler;
  let repository: DiscoveryRepository;
  beforeAll(() => {
    sampler = new NameSampler(database);
    reads = ReadDatabase.open(database, readConfig({}), () => undefined);
    repository = new DiscoveryRepository(reads, sampler);
  });
  afterAll(() => reads.onApplicationShutdown());

  it('answers from an empty dataset', async () => {
    await fill([]);
    await sampler.refresh();
    expect(await repository.discoverDomains(query({ q: 'coffee' }))).toEqual({
      domains: [],
      timedOut: false,
    });
  });

  it('gives a page with facets as the page, the count and the facets are apart', async () => {
    const rows = Array.from({ length: 60 }, (_, n) =>
      row(`${['tea', 'c0ffee', 'co-op'][n % 3]}${'xyz'[n % 2]}${n}.${SUFFIXES[n % 6]}`, n * 7),
    );
    await fill(rows);
    await sampler.refresh();
    const bare = query({ limit: 10 });
    for (const one of [bare, { ...bare, minWayback: 55 }, { ...bare, q: 'tea' }, { ...bare, q: 'absent' }]) {
      const found = passing(rows, one);
      for (const asked of [one, { ...one, offset: 5 }, { ...one, offset: 1_000 }]) {
        const { facets, counted, ...page } = await repository.discoverPage(asked, undefined, 'shapes');
        expect({ asked, names: page.domains.map(({ domain }) => domain), counted }).toEqual({
          asked,
          names: discover(rows, asked),
          counted: exactly(found.length),
        });
        const shapes = facets.filter(({ month: _, names: __, ...row }) =>
          Object.values(row).some((value) => value !== null),
        );
        expect(shapesIn(shapes)).toEqual(shapesOf(found));
      }
    }
  });

  it('keeps answering truly while its sample is of a dataset that is gone', async () => {
    const rows = ['coffee.com.au', 'coffeecart.au', 'tea.com.au'].map((domain, place) => row(domain, place));
    await fill([row('zzz.com.au', 5)]);
    await sampler.refresh();
    await fill(rows);
    const { domains } = await repository.discoverDomains(query({ q: 'coffee' }));
    expect(domains.map(({ domain }) => domain)).toEqual(['coffeecart.au', 'coffee.com.au']);
  });

  it('finds names before their grams are filed and after', async () => {
    await fill([row('coffee.com.au', 5), row('coffeecart.au', 0)]);
    await sampler.refresh();
    const byGrams = { strategy: 'bands', every: ['coff'], some: [] } as const;
    const expected = ['coffee.com.au', 'coffeecart.au'];
    expect(await ask(query({ q: 'coffee' }), byGrams)).toEqual(expected);
    await filePending(database, SEARCH_INDEXES);
    expect(await ask(query({ q: 'coffee' }), byGrams)).toEqual(expected);
    const pagesLeft = await database.query<{ pages: string }>(
      `SELECT gin_clean_pending_list('domain_band_0') + gin_clean_pending_list('domain_band_1') AS pages`,
    );
    expect(pagesLeft).toEqual([{ pages: '0' }]);
  });

  describe('beside an import', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => row(`name-${n}.com.au`, n));
    const strategyOfRare = () => planDiscovery(query({ q: 'zqxj' }), sampler.current).plan.strategy;

    it('does not take an empty dataset for one that is quickly read through', async () => {
      await fill([]);
      await sampler.refresh();
      await fill(names(2_000));
      expect(strategyOfRare()).toBe('bands');
    });

    it('learns within seconds that a small dataset has become a large one', async () => {
      await fill([]);
      await sampler.refresh();
      await fill(names(2));
      await sampler.refresh();
      expect(strategyOfRare()).toBe('order');
      await fill(names(5_000));
      await until('the sample is of the new dataset', () => strategyOfRare() === 'bands');
    });

    it('keeps its sample for a while when little has changed', async () => {
      await fill(names(100));
      await sampler.refresh();
      const sample = sampler.current;
      await addDomains(database, [row('one-more.com.au', 1)]);
      await sampler.refresh();
      expect(sampler.current === sample).toBe(true);
    });
  });

  it('hands out whole rows', async () => {
    await fill([row('x-24.id.au', 7)]);
    const { domains } = await repository.discoverDomains(query({}));
    expect(domains).toEqual([
      {
        domain: 'x-24.id.au',
        name: 'x-24',
        tld: 'id.au',
        length: 4,
        hyphens: 1,
        digits: 2,
        wayback: 7,
        archive: { status: 'pending', firstCapture: null, lastCapture: null, captures: null },
        firstSeen: '2026-11-01',
        state: 'available',
        droppedAt: expect.any(Date),
        available: true,
        hidden: false,
        checkedAt: VOUCHED_AT,
        confirmedBy: 'vouched:test',
        registryState: null,
        listKind: null,
        listSource: null,
        listedAt: null,
        purgeAt: null,
      },
    ]);
  });
});

describe('domain_grams', () => {
  it('cuts names into the grams that patterns are cut into', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLabel,
        fc.constantFrom(...MATCH_MODES),
        fc.nat(),
        fc.nat(),
        async (name, mode, from, size) => {
          const start = mode === 'prefix' ? 0 : from % name.length;
          const end = mode === 'suffix' ? name.length : start + 1 + (size % (name.length - start));
          const grams = gramsToLookUp(markPattern(name.slice(start, end), mode));
          const [answer] = await database.query<{ cut: boolean }>(
            `SELECT domain_grams($1, 'au') @> $2 AS cut`,
            [name, grams.map(codeOfGram)],
          );
          expect(answer).toEqual({ cut: true });
        },
      ),
      { numRuns: runs(100) },
    );
  });

  const joinings = SUFFIXES.flatMap((suffix) => ['x1$', '1$', '^m'].map((gram) => ({ suffix, gram })));
  it.each(joinings)(
    'joins $gram with $suffix as patterns do, and with no other suffix',
    async ({ suffix, gram }) => {
      const [joined] = joinedGrams(gram, [suffix]) ?? [];
      const [answer] = await database.query<{ suffixes: string[] }>(
        `SELECT coalesce(array_agg(tld ORDER BY tld) FILTER (WHERE domain_grams('max1', tld) @> $2), '{}') AS suffixes
         FROM unnest($1::text[]) AS tld`,
        [SUFFIXES, [joined === undefined ? 0 : codeOfGram(joined)]],
      );
      expect(answer).toEqual({ suffixes: suffix === 'com.au' ? [] : [suffix] });
    },
  );
});

function row(domain: string, wayback: number): DomainSeed {
  return { domain, wayback, first_seen: '2026-11-01', available: true, hidden: false };
}

function query(more: Partial<DiscoveryQuery>): DiscoveryQuery {
  return { mode: 'contains', suffixes: [], minWayback: 0, limit: 10, ...more };
}

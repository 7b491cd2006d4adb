import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { canonicalText } from '../../src/api/search/search.module.js';
import { LABEL_LENGTH, MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import type { ApiError } from '../../src/errors/api-error.js';
import { validationPipe } from '../../src/errors/validation.pipe.js';
import { NameFilterQuery, nameFilterOf } from '../../src/domains/schema/filters/parameters.js';
import { readQuestion } from '../../src/notify/watches/question.js';
import { CappedPool } from '../../src/db/time-cap.js';
import type { DomainRow } from '../../src/domains/schema/domain-row.js';
import {
  type DiscoveryPlan,
  type GatheringPlan,
  nextPlan,
  planDiscovery,
  planGathering,
} from '../../src/domains/search/planner.js';
import { BY_RANK, type DiscoveryQuery, type FacetRow } from '../../src/domains/search/discovery-query.js';
import {
  asksForOtherStates,
  isKnownInMemory,
  isOfWholeCells,
  matchesFilter,
  type NameFilter,
  withImplied,
} from '../../src/domains/schema/filters/filters.js';
import type { Filter, View } from '../../src/domains/schema/filters/filter.js';
import { FILTERS } from '../../src/domains/schema/filters/filter-table.js';
import { ROW } from '../../src/domains/schema/filters/views.js';
import { markedLiterals } from '../../src/domains/schema/filters/glob.js';
import {
  cellsStatement,
  namesStatement,
  gatheringStatement,
  statementOf,
} from '../../src/domains/search/statements.repository.js';
import type { NameSample } from '../../src/domains/search/name-sample.js';
import { sampleOf } from '../support/name-sample.js';
import { traitsOf } from '../../src/domains/search/name-traits.js';
import {
  gramOfSuffix,
  gramsOf,
  joinedGrams,
  gramsToLookUp,
  markPattern,
} from '../../src/domains/search/pattern-grams.js';
import { createTestDatabase, readingUrlOf, type TestDatabase } from '../support/database.js';
import { shapesIn, shapesOf } from '../support/discovery-oracle.js';
import { runs } from '../support/runs.js';
import {
  aloneFilters,
  anyFilter,
  anySort,
  DAYS,
  EVERYTHING,
  FILTER_VALUES,
  fillWithNames,
  pageOf,
  passingNames,
  type PlacedName,
} from '../support/search-oracle.js';

const NAMES = 600;
const SEED = Number(process.env.SEED ?? 24);
const CAP_MS = 20_000;
/** How far names are counted here. */
const MAX = 40;

let test: TestDatabase;
let sessions: CappedPool;
let offered: PlacedName[];
let sample: NameSample;
beforeAll(async () => {
  test = await createTestDatabase();
  sessions = new CappedPool(readingUrlOf(test.url), CAP_MS, 2, () => undefined);
  await fillWithNames(test.database, NAMES, SEED);
  offered = await passingNames(test.database, EVERYTHING);
  sample = await sampleOf(offered, offered.length);
});
afterAll(async () => {
  await sessions.close();
  await test.close();
});

/** Every way in which PostgreSQL can be asked this. */
function plansFor(query: DiscoveryQuery): DiscoveryPlan[] {
  if (asksForOtherStates(query)) return [{ strategy: 'states' }];
  const { q = '', mode, suffixes } = query;
  const keys = [
    'wayback',
    'shape',
    'length',
    'first_seen',
    ...(q !== '' && mode === 'prefix' ? ['domain'] : []),
  ];
  const lookups = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals(query)]
    .map(gramsToLookUp)
    .filter((grams) => grams.length > 0);
  const suffix = suffixes.length === 1 ? suffixes.map(gramOfSuffix) : [];
  const traits = traitsOf(query);
  return [
    { strategy: 'order' },
    ...keys.map((key) => ({ strategy: 'range', key }) as DiscoveryPlan),
    { strategy: 'order', bound: 100_000 },
    { strategy: 'order', isDirect: true },
    { strategy: 'order', isDirect: true, bound: 100_000 },
    { strategy: 'bands', every: [], some: [] },
    ...(traits.length > 0 ? [{ strategy: 'bands', every: suffix, some: [], traits } as const] : []),
    ...traits.map((trait) => ({ strategy: 'bands', every: [], some: [], traits: [trait] }) as const),
    ...lookups.flatMap((every) => [
      { strategy: 'bands', every: [...suffix, ...every], some: [] } as const,
      { strategy: 'bands', every: every.slice(0, 1), some: [], traits } as const,
      ...joinedWays(every.flatMap((gram) => gramsOf(gram, Math.min(3, gram.length))).slice(0, 1), suffixes),
    ]),
  ];
}

const BOUNDED = [{}, { isDirect: true }].map((more) => ({ strategy: 'order', bound: 60, ...more }) as const);

/** Grams of which a name must have one, joined with the suffixes that it may have. */
function joinedWays(grams: readonly string[], suffixes: NameFilter['suffixes']): DiscoveryPlan[] {
  const joined = grams.map((gram) => joinedGrams(gram, suffixes) ?? []);
  return joined.some((list) => list.length === 0)
    ? []
    : [{ strategy: 'bands', every: [], some: joined.flat() } as const];
}

/** The first names of an order, in every way that finds them; each way with one of the limits, in turn. */
function headsOf(query: DiscoveryQuery): DiscoveryPlan[] {
  const heads = headLimits(query);
  return heads.flatMap((head, turn) =>
    plansFor({ ...query, ...head })
      .filter(isGathering)
      .filter((_, place) => place % heads.length === turn)
      .map((plan) => ({ ...plan, head })),
  );
}

function headLimits({
  sort = BY_RANK,
  minLength = 0,
  maxLength = 63,
  minWayback,
  firstSeenFrom = '',
  firstSeenTo = '9',
}: DiscoveryQuery): Partial<DiscoveryQuery>[] {
  const isAscending = sort.direction === 'asc';
  if (sort.key === 'length')
    return [1, 4, 6].map((length) =>
      isAscending ? { maxLength: Math.min(maxLength, length) } : { minLength: Math.max(minLength, length) },
    );
  // Of the last of these days no name was seen beyond, and of the others some were.
  if (sort.key === 'first_seen')
    return DAYS.slice(1).map((day, place) => ({
      firstSeenFrom: [DAYS[place] ?? day, firstSeenFrom].toSorted()[1],
      firstSeenTo: [day, firstSeenTo].toSorted()[0],
      noneBeyond: isAscending ? DAYS[place] : day,
    }));
  const isByScore = sort.key === 'wayback';
  if (isByScore && (!isAscending || minWayback > 0)) return [];
  return ['9', 'a', 'c'].map((initial) => ({
    ...(isByScore && { maxWayback: 0 }),
    initials: isAscending && !isByScore ? ['-', initial] : [initial === '9' ? 'a' : initial, 'z'],
  }));
}

/** A plan and those that follow where it does not fill the page. */
async function follow(query: DiscoveryQuery, plan: DiscoveryPlan): Promise<DomainRow[]> {
  const rows = await ask<DomainRow>(statementOf(query, plan));
  return plan.otherwise && rows.length < query.limit ? follow(query, plan.otherwise) : rows;
}

const isGathering = (plan: DiscoveryPlan): plan is GatheringPlan & DiscoveryPlan => plan.strategy !== 'order';

async function ask<Row extends object>(statement: Parameters<CappedPool['query']>[0]): Promise<Row[]> {
  const { rows, timedOut } = await sessions.query<Row & Record<string, unknown>>(statement);
  if (timedOut) throw new Error('a statement was cut off');
  return rows;
}
const domainsOf = (rows: readonly { domain: string }[]) => rows.map(({ domain }) => domain);

/** `toEqual` for thousands of answers: Jest compares, and builds its matchers, only where one differs. */
function expectSame(asked: object, answer: unknown, expected: unknown): void {
  if (isDeepStrictEqual(answer, expected)) return;
  expect({ ...asked, answer }).toEqual({ ...asked, answer: expected });
}

async function judge(filter: NameFilter, more: Omit<DiscoveryQuery, keyof NameFilter>): Promise<void> {
  await judgeApart(filter);
  await judgeWays(filter, more);
}

/** What is known of a filter without asking for a page. */
async function judgeApart(filter: NameFilter): Promise<void> {
  const passing = await passingNames(test.database, filter);
  const implied = withImplied(filter);
  const impliedNames = implied ? domainsOf(await passingNames(test.database, implied)) : [];
  expectSame({ filter }, impliedNames, domainsOf(passing));
  judgeInMemory(filter, domainsOf(passing));
  await judgeCells(filter, passing);
}

/** Asks in every way for a page, the page behind a name, the count and the facets. */
async function judgeWays(filter: NameFilter, more: Omit<DiscoveryQuery, keyof NameFilter>): Promise<void> {
  const query: DiscoveryQuery = { ...filter, ...more };
  const passing = await passingNames(test.database, query);
  const last = passing[Math.floor(passing.length / 2)] ?? offered[0];
  const next: DiscoveryQuery = {
    ...query,
    offset: 0,
    after: last && {
      domain: last.domain,
      wayback: last.wayback,
      length: last.name.length,
      firstSeen: last.firstSeen,
    },
  };
  const pages = await Promise.all([query, next].map((one) => pageOf(test.database, one)));
  const shapes = shapesOfNames(passing);
  for (const one of [null, sample]) {
    const { plan } = planDiscovery(query, one);
    expectSame({ query, plan }, domainsOf(await follow(query, plan)), pages[0]);
    const [counted] = await ask<{ names: number }>(
      namesStatement(filter, 'count', planGathering(query, one), MAX),
    );
    expectSame({ query }, counted?.names, Math.min(MAX, passing.length));
  }
  for (const [turn, plan] of plansFor(query).entries()) {
    const asked = { query, plan };
    for (const [place, one] of [query, next].entries()) {
      expectSame(asked, domainsOf(await ask<DomainRow>(statementOf(one, plan))), pages[place]);
      // The total and the facets are of all pages: one of the two, in turn.
      if (!isGathering(plan) || (turn + place) % 2 === 1) continue;
      const rows = await ask<DomainRow & { total: number; facets: FacetRow[] | null }>(
        gatheringStatement(one, plan, true),
      );
      expectSame(asked, domainsOf(rows), pages[place]);
      expectSame(
        asked,
        rows.map(({ total }) => total),
        rows.map(() => passing.length),
      );
      if (rows[0]) expectSame(asked, shapesIn(rows[0].facets ?? []), shapes);
    }
    if (!isGathering(plan)) continue;
    const [counted] = await ask<{ names: number }>(namesStatement(filter, 'count', plan, MAX));
    expectSame(asked, counted?.names, Math.min(MAX, passing.length));
    const facets = await ask<FacetRow>(namesStatement(filter, 'months', plan, 1_000));
    expectSame(asked, linesOf(facets), [...shapes, ...monthsOf(passing)].sort());
  }
  if (asksForOtherStates(query)) return;
  // What was read is the head of the answer, and asked otherwise where it is too short.
  for (const [place, one] of [query, next].entries())
    for (const plan of [...BOUNDED, ...headsOf(query)]) {
      const head = domainsOf(await ask<DomainRow>(statementOf(one, plan)));
      expectSame({ one, plan }, head, pages[place]?.slice(0, head.length));
    }
}

const shapesOfNames = (names: readonly PlacedName[]) =>
  shapesOf(
    names.map(({ domain, wayback, firstSeen }) => ({
      domain,
      wayback,
      first_seen: firstSeen,
      available: true,
      hidden: false,
    })),
  );

/** What the cube counts. */
async function judgeCells(filter: NameFilter, passing: readonly PlacedName[]): Promise<void> {
  if (!isOfWholeCells(filter)) return;
  const count = passing.length;
  const shapes = shapesOfNames(passing);
  const [cells] = await ask<{ names: number }>(cellsStatement(filter, 'count'));
  expect({ filter, count: cells?.names }).toEqual({ filter, count });
  expect({ filter, shapes: shapesIn(await ask(cellsStatement(filter, 'shapes'))) }).toEqual({
    filter,
    shapes,
  });
  const facets = linesOf(await ask<FacetRow>(cellsStatement(filter, 'months')));
  expect({ filter, facets }).toEqual({ filter, facets: [...shapes, ...monthsOf(passing)].sort() });
}

/** Facets as lines, months as well. */
function linesOf(facets: readonly FacetRow[]): string[] {
  const isMonth = ({ tld, length, hyphens, numbers, score }: FacetRow) =>
    [tld, length, hyphens, numbers, score].every((value) => value === null);
  const months = facets.filter(isMonth).map(({ month, names }) => `month ${month} ${names}`);
  return [...shapesIn(facets.filter((row) => !isMonth(row))), ...months].sort();
}

/** How many names were first seen in each month. */
function monthsOf(passing: readonly PlacedName[]): string[] {
  const counts = new Map<string, number>();
  for (const { firstSeen } of passing) {
    const month = firstSeen?.slice(0, 7) ?? 'null';
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  return [...counts].map(([month, names]) => `month ${month} ${names}`);
}

/** What watches and samples make of it; of some filters only the database knows. */
function judgeInMemory(filter: NameFilter, passing: readonly string[]): void {
  if (!isKnownInMemory(filter)) return;
  const matching = offered
    .filter((name) => matchesFilter(filter, name))
    .map(({ name, tld }) => `${name}.${tld}`);
  expect({ filter, matching: matching.sort() }).toEqual({ filter, matching: passing.toSorted() });
  expect({ filter, guess: sample.guess(filter).total }).toEqual({ filter, guess: passing.length });
}

describe('a filter alone', () => {
  it.each(aloneFilters(2, SEED).map((filter, place) => ({ filter, text: JSON.stringify(filter), place })))(
    '$text',
    async ({ filter, place }) => {
      const [sort] = fc.sample(anySort, { numRuns: 1, seed: JSON.stringify(filter).length + SEED });
      if (place % 2 === 0) await judge(filter, { limit: 20 });
      await judge(filter, { sort, limit: 30, offset: 3 });
    },
  );
});

describe('a keyword in suffixes', () => {
  it.each(SUFFIXES)('is found in %s, and in that and the next', async (suffix) => {
    const next = SUFFIXES[(SUFFIXES.indexOf(suffix) + 1) % SUFFIXES.length] ?? suffix;
    for (const [q, mode] of [
      ['ab', 'contains'],
      ['com', 'prefix'],
      ['offe', 'contains'],
      ['1', 'suffix'],
    ] as const)
      for (const suffixes of [[suffix], [suffix, next]])
        await judge({ q, mode, suffixes, minWayback: 0 }, { limit: 20 });
  });
});

describe('a former title', () => {
  const query: DiscoveryQuery = { ...EVERYTHING, formerTitle: 'coffee', limit: 3 };

  it('that more sites have than are looked up is read in the order', async () => {
    const { plan } = planDiscovery(query, sample);
    const broad: DiscoveryPlan = { ...plan, bound: 2 };
    const answer = await sessions.query<DomainRow>(statementOf(query, broad));
    expect(answer).toMatchObject({ isTooBroad: true, rows: [] });
    const next = nextPlan(broad, answer, query.limit);
    expect(next).toEqual({ strategy: 'order' });
    const page = await pageOf(test.database, query);
    expect(page).toHaveLength(query.limit);
    expect(domainsOf(await ask<DomainRow>(statementOf(query, plan)))).toEqual(page);
    expect(domainsOf(await ask<DomainRow>(statementOf(query, next ?? plan)))).toEqual(page);
  });
});

describe('limits that a keyword just meets', () => {
  it.each([
    { q: '24', maxLength: 2 },
    { q: '24', maxDigits: 2 },
    { q: '24', maxLength: 1 },
    { q: '24', maxDigits: 1 },
    { q: 'a1', numbers: 'only', minLength: 2 },
    { q: '-a', hyphens: 'exclude' },
  ] as const)('%p', async (limits) => {
    await judge({ mode: 'contains', suffixes: [], minWayback: 0, ...limits }, { limit: 20 });
  });
});

describe('filters together', () => {
  it('find, order, count and match what one plain statement finds, in every way', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        anySort,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 9 }),
        (filter, sort, limit, offset) => judge(filter, { sort, limit, offset }),
      ),
      { numRuns: runs(25), seed: SEED, endOnFailure: true },
    );
  });

  it('have one text in cursors where they are the same, and another where they are not', () => {
    const texts = new Map<string, NameFilter>();
    // Any text is as good as none, and so are no digits or more.
    const meant = (filter: NameFilter) =>
      JSON.stringify({
        ...filter,
        suffixes: filter.suffixes.toSorted(),
        without: filter.without?.toSorted(),
        offeredUnder: filter.offeredUnder?.toSorted(),
        ...(filter.minDigits === 0 && { minDigits: undefined }),
        ...(filter.glob === '*' && { glob: undefined }),
      });
    for (const filter of [...aloneFilters(20, SEED), ...fc.sample(anyFilter, { numRuns: 200, seed: SEED })]) {
      const text = canonicalText({ ...filter, sort: BY_RANK });
      expect(canonicalText({ ...filter, suffixes: filter.suffixes.toReversed(), sort: BY_RANK })).toBe(text);
      expect(meant(texts.get(text) ?? filter)).toBe(meant(filter));
      texts.set(text, filter);
    }
  });
});

describe('a filter in an address', () => {
  const filters = [...aloneFilters(3, SEED), ...fc.sample(anyFilter, { numRuns: 100, seed: SEED })].filter(
    ({ q, reading, glob, without, offeredUnder, states = ['available'] }) =>
      !(q && reading) &&
      !glob &&
      !without &&
      !offeredUnder &&
      (states.length === 1 || states.join() === 'available,stale'),
  );

  it('is read as it was meant, by search and by watches', async () => {
    for (const filter of filters) {
      const address = addressOf(filter);
      const given = Object.fromEntries(new URLSearchParams(address));
      const query = await validationPipe().transform(given, { type: 'query', metatype: NameFilterQuery });
      const passing = domainsOf(await passingNames(test.database, filter));
      const read = nameFilterOf(query as NameFilterQuery);
      expect({ address, names: domainsOf(await passingNames(test.database, read)) }).toEqual({
        address,
        names: passing,
      });
      const { confirmedSince, formerTitle, states = ['available'] } = filter;
      if (confirmedSince !== undefined || formerTitle !== undefined || states.length !== 1) continue;
      const question = await readQuestion(address).catch((error: ApiError) => error.message);
      if (typeof question === 'string')
        expect(question).toMatch(/^(Narrow the search|A search for names in the state)/);
      else {
        const watched = { ...question.filter, states };
        expect({ address, names: domainsOf(await passingNames(test.database, watched)) }).toEqual({
          address,
          names: passing,
        });
        expect(new URLSearchParams(question.text).toString()).toBe((await readQuestion(question.text)).text);
      }
    }
  });
});

/** One aspect of one entry, forgotten or wrong. */
interface Mutant {
  readonly key: keyof typeof FILTERS;
  readonly aspect: string;
  readonly change: Partial<Filter<unknown>>;
}

/** Each limit without the value itself. */
const narrower = (texts: string[]) => texts.map((text) => text.replace(/([<>])=/, '$1'));
const LIMITS = /^(min|max|firstSeen)/;

// What only decides how a question is asked (enters, isCommon, shares) changes no answer.
const MUTANTS: Mutant[] = (Object.entries(FILTERS) as unknown as [Mutant['key'], Filter<unknown>][]).flatMap(
  ([key, { sql, matches, cells, needs, having, implies }]) => {
    const isOfSql = key !== 'mode' && key !== 'states';
    const where = (isForgotten: (view: View) => boolean): Partial<Filter<unknown>> => ({
      sql: (value, view, ...more) => (isForgotten(view) ? [] : sql(value, view, ...more)),
    });
    const aspects: Record<string, Partial<Filter<unknown>>> = {
      ...(isOfSql && {
        'sql of a row': where(({ label }) => label === ROW.label),
        'sql of an index': where(({ label }) => label !== ROW.label),
      }),
      ...(LIMITS.test(key) && {
        'sql at its limit': { sql: (...given) => narrower(sql(...given)) },
        // No month begins on its last day, and cells tell only whether there are digits.
        ...(cells &&
          !/firstSeenTo|Digits/.test(key) && {
            'cells.sql at its limit': {
              cells: { ...cells, sql: (...given) => narrower(cells.sql(...given)) },
            },
          }),
      }),
      ...(key !== 'mode' && { isFree: { isFree: () => true } }),
      ...(key !== 'mode' && matches && { matches: { matches: () => true } }),
      ...(key !== 'mode' && cells && { 'cells.sql': { cells: { ...cells, sql: () => [] } } }),
      ...(cells && !isAlwaysExact(key) && { 'cells.isExact': { cells: { ...cells, isExact: () => true } } }),
      ...(needs && { needs: { needs: undefined } }),
      ...(having && { having: { having: () => null } }),
      ...(implies && { implies: { implies: () => ({ length: LABEL_LENGTH.max }) } }),
      text: { text: () => null },
      read: { read: () => undefined },
    };
    return Object.entries(aspects).map(([aspect, change]) => ({ key, aspect, change }));
  },
);

function isAlwaysExact(key: string): boolean {
  return ['mode', 'suffixes', 'minLength', 'maxLength', 'hyphens', 'numbers'].includes(key);
}

describe('an aspect that is forgotten or wrong is noticed', () => {
  it.each(MUTANTS)('$key: $aspect', async ({ key, aspect, change }) => {
    const entry: object = FILTERS[key];
    const whole = { ...entry };
    const values =
      key === 'mode'
        ? MATCH_MODES.map((mode) => ({ q: 'co', mode }))
        : fc
            .sample(FILTER_VALUES[key], { numRuns: 12, seed: SEED })
            // Only a keyword says something of other filters.
            .map((value) => (aspect === 'having' ? { q: 'a', ...value } : value));
    const ways = values.map(wayTo);
    Object.assign(entry, change);
    try {
      // Every source can be asked for a former title: that one index lists them decides the way alone.
      const isOfWay = key === 'formerTitle' && aspect === 'needs';
      const isNoticed = isOfWay ? !isDeepStrictEqual(values.map(wayTo), ways) : await isNoticedBy(values);
      expect({ key, aspect, isNoticed }).toEqual({
        key,
        aspect,
        isNoticed: true,
      });
    } finally {
      Object.assign(entry, whole);
    }
  });
});

const wayTo = (value: Partial<NameFilter>) => planGathering({ ...EVERYTHING, ...value }, null);

/** What costs least comes first, for all the values. */
async function isNoticedBy(values: readonly Partial<NameFilter>[]): Promise<boolean> {
  const filters = values.map((value) => ({ ...EVERYTHING, ...value }));
  try {
    judgeTexts(filters);
    for (const filter of filters) await judgeReading(filter);
    for (const filter of filters) await judgeApart(filter);
    for (const filter of filters) await judgeWays(filter, { limit: 20 });
  } catch {
    return true;
  }
  return false;
}

/** That filters have one text where they are the same. */
function judgeTexts(filters: readonly NameFilter[]): void {
  const texts = new Map<string, string>();
  for (const filter of filters) {
    const text = canonicalText({ ...filter, sort: BY_RANK });
    const value = JSON.stringify(filter);
    const known = texts.get(text) ?? value;
    if (!isNothing(filter)) expectSame({ text }, value, known);
    texts.set(text, known);
  }
}

/** That a filter is read from an address as it was meant. */
async function judgeReading(filter: NameFilter): Promise<void> {
  const { glob, without: exclude, offeredUnder: available_in } = filter;
  const given = Object.fromEntries(new URLSearchParams(addressOf(filter)));
  const query = await validationPipe().transform(given, { type: 'query', metatype: NameFilterQuery });
  const read = nameFilterOf({
    ...(query as NameFilterQuery),
    ...defined({ glob, exclude, available_in }),
  });
  expectSame(
    { filter },
    domainsOf(await passingNames(test.database, { ...read, suffixes: read.suffixes ?? [] })),
    domainsOf(await passingNames(test.database, filter)),
  );
}

/** As good as left out, or two spellings of one list. */
const isNothing = ({ glob, minDigits, suffixes, without = [], offeredUnder = [] }: NameFilter) =>
  glob === '*' || minDigits === 0 || suffixes.length > 1 || without.length > 1 || offeredUnder.length > 1;
const defined = (given: object) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** The parameters of a filter, written by hand. */
function addressOf(filter: NameFilter): string {
  const { states = ['available'] } = filter;
  const parameters = {
    q: filter.reading?.typed ?? filter.q,
    match: filter.reading && 'words',
    mode: filter.mode,
    tld: filter.suffixes.length > 0 ? filter.suffixes.join(',') : undefined,
    min_length: filter.minLength,
    max_length: filter.maxLength,
    hyphens: filter.hyphens,
    numbers: filter.numbers,
    min_digits: filter.minDigits,
    max_digits: filter.maxDigits,
    min_wayback: filter.minWayback,
    max_wayback: filter.maxWayback,
    first_seen_from: filter.firstSeenFrom,
    first_seen_to: filter.firstSeenTo,
    state: states[0],
    stale: states.includes('stale') && states.length > 1 ? 'include' : undefined,
    confirmed_since: filter.confirmedSince,
    pattern: filter.pattern,
    starts_with_digit: filter.startsWithDigit,
    dictionary: filter.dictionary,
    min_words: filter.minWords,
    max_words: filter.maxWords,
    min_years: filter.minYears,
    max_years: filter.maxYears,
    former_title: filter.formerTitle,
  } satisfies Partial<Record<keyof NameFilterQuery, unknown>>;
  const set = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(set as [string, string][]).toString();
}

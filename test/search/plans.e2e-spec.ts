import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { Database, type PreparedStatement } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { generateNames } from '../../src/demo/name-generator.js';
import { type DiscoveryQuery, MAX_LIMIT, SORT_KEYS } from '../../src/domains/search/discovery-query.js';
import { MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import { TRI_STATES } from '../../src/domains/schema/filters/filter.js';
import type { DomainRow } from '../../src/domains/schema/domain-row.js';
import { SCORE_TIERS } from '../../src/domains/schema/filters/score-bands.js';
import { recountNames } from '../../src/domains/search/cube/cube.repository.js';
import { NameSampler } from '../../src/domains/search/name-sampler.js';
import { planDiscovery, planGathering } from '../../src/domains/search/planner.js';
import {
  cellsStatement,
  gatheringStatement,
  statementOf,
} from '../../src/domains/search/statements.repository.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomains } from '../support/domains.js';
import { explainSearch, namesRead } from '../support/query-plans.js';
import { runs } from '../support/runs.js';
import { anySort } from '../support/search-oracle.js';

const NAMES = 20_000;
const CAP_MS = 60_000;
const QUESTIONS = 100;
/** Names read for each that was planned, and for few of them. */
const TOLERANCE = 6;
const SLACK = 500;
const BOUND = 300;

let url: string;
let dataSource: DataSource;
let sessions: CappedPool;
beforeAll(async () => {
  url = await cloneTemplate();
  dataSource = createDataSource(url, 2, () => undefined);
  await dataSource.initialize();
  sessions = new CappedPool(url, CAP_MS, 1, () => undefined);
  const rows = [...generateNames(NAMES, 3)].map(({ domain, wayback, firstSeen }) => ({
    ...{ domain, wayback, first_seen: firstSeen },
    ...{ available: true, hidden: false },
  }));
  await addDomains(new Database(dataSource), rows);
  await dataSource.query('VACUUM (ANALYZE) domain');
});
afterAll(async () => {
  await sessions.close();
  await dataSource.destroy();
  dropDatabase(url);
});

const query = (more: Partial<DiscoveryQuery>): DiscoveryQuery => ({
  ...{ mode: 'contains', suffixes: [], minWayback: 0, limit: 51 },
  ...more,
});

describe('a statement that reads names in their order', () => {
  const filters: Partial<DiscoveryQuery>[] = [
    {},
    { q: 'qz', minWayback: 500 },
    { suffixes: ['id.au'], minWayback: 3, maxWayback: 99, maxLength: 18 },
    { minLength: 18, maxLength: 22 },
    { firstSeenFrom: '2026-10-01', hyphens: 'only' },
  ];
  const sorts = SORT_KEYS.flatMap((key) =>
    (['asc', 'desc'] as const).map((direction) => ({ key, direction })),
  );

  const bound = 30_000;
  const ways = [{}, { bound }, { isDirect: true }, { isDirect: true, bound }].map(
    (more) => ({ strategy: 'order', ...more }) as const,
  );

  // Without values PostgreSQL took domain_length and sorted 3.2 of ten million names for the second of these filters.
  it.each(sorts)('never sorts, by $key $direction', async (sort) => {
    for (const filter of filters) {
      for (const plan of ways) {
        const nodes = await explainSearch(sessions, statementOf(query({ ...filter, sort }), plan));
        const types = nodes.map((node) => node['Node Type']);
        expect({ filter, plan, types }).toEqual({ filter, plan, types: inOrder(types) });
      }
    }
  });
});

describe('a question of the common shape', () => {
  const preparedIn = async (statements: readonly PreparedStatement[]) => {
    const fresh = new CappedPool(url, CAP_MS, 1, () => undefined);
    for (const statement of statements) await fresh.query(statement);
    const { rows } = await fresh.query<{ count: number }>({
      text: 'SELECT count(*)::int AS count FROM pg_prepared_statements',
      values: [],
    });
    await fresh.close();
    return rows[0]?.count;
  };
  const coffee = query({ q: 'coffee', minWayback: 3 });
  const byGrams = (gram: string) => ({ strategy: 'bands', every: [gram], some: [] }) as const;
  const gathering = (gram: string, more: Partial<DiscoveryQuery> = {}) =>
    gatheringStatement({ ...coffee, ...more }, byGrams(gram), false);

  // Half of the CPU time of a search was to plan the statement that counts.
  it.each([
    { what: 'the page with its count', asked: [gathering('coff'), gathering('toff', { q: 'toffee' })] },
    {
      what: 'the count of cells',
      asked: [1, 10].map((minWayback) => cellsStatement(query({ minWayback }), 'count')),
    },
    {
      what: 'their facets',
      asked: [1, 10].map((minWayback) => cellsStatement(query({ minWayback }), 'shapes')),
    },
  ])('is prepared once in a session: $what', async ({ asked }) => {
    expect(await preparedIn(asked)).toBe(1);
  });

  it('has few texts, as another is not kept', async () => {
    expect(await preparedIn([gathering('coff', { hyphens: 'only' })])).toBe(0);
  });
});

describe('a question that nobody chose', () => {
  // Another seed each run: one that fails is asked again with SEED.
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  let sampler: NameSampler;
  let questions: DiscoveryQuery[];
  beforeAll(async () => {
    const database = new Database(dataSource);
    await database.transaction(recountNames);
    await database.query(`UPDATE dataset SET refreshed = now(), available_records = $1`, [NAMES]);
    sampler = new NameSampler(database);
    await sampler.refresh();
    questions = fc.sample(anyQuestion(sampler.current?.firstNames(NAMES) ?? []), {
      numRuns: runs(QUESTIONS),
      seed,
    });
  });

  it('reads about as many names as its plan says, and sorts none that come in order', async () => {
    for (const asked of questions) {
      const { plan, reads, names } = planDiscovery(asked, sampler.current);
      const nodes = await explainSearch(sessions, statementOf(asked, plan));
      // To skip in an index costs as much as to read so many names, and a small table is read instead. The names of the
      // answer are read once more, as whole rows.
      const planned = plan.strategy === 'range' ? names : reads;
      const most = TOLERANCE * planned + asked.limit + SLACK;
      const read = namesRead(nodes);
      const what = { seed, asked, plan, planned, read };
      expect({ ...what, isPlanned: read <= most }).toEqual({ ...what, isPlanned: true });
      const types = nodes.map((node) => node['Node Type']);
      if (plan.strategy === 'order') expect({ seed, asked, types }).toMatchObject({ types: inOrder(types) });
    }
  });

  it('reads no further in an order than the bound', async () => {
    for (const asked of questions) {
      const nodes = await explainSearch(sessions, statementOf(asked, { strategy: 'order', bound: BOUND }));
      const read = namesRead(nodes);
      // Each is looked up once more where the index lacks its first day. Each suffix has a row of its own to begin with.
      const most = 2 * BOUND + SUFFIXES.length + MAX_LIMIT;
      const what = { seed, asked, read };
      expect({ ...what, isBounded: read <= most }).toEqual({ ...what, isBounded: true });
    }
  });

  it('reads no more names of a list or a range than the bound, and says where there are more', async () => {
    let broad = 0;
    for (const asked of questions) {
      const plan = planGathering(asked, sampler.current);
      const statement = statementOf(asked, { ...plan, bound: BOUND });
      const { rows, isTooBroad } = await sessions.query<DomainRow>(statement);
      const whole = await sessions.query<DomainRow>(statementOf(asked, { ...plan, bound: undefined }));
      if (isTooBroad) broad += 1;
      else expect({ seed, asked, plan, rows }).toEqual({ seed, asked, plan, rows: whole.rows });
      // A statement that ends itself has no counters.
      const text = statement.text.replaceAll(/end_statement\([^)]*\)/g, 'true');
      const nodes = await explainSearch(sessions, { ...statement, text });
      // A small table is read instead of skipping to the names of a range.
      const read = namesRead(
        plan.strategy === 'range' ? nodes.map((node) => ({ ...node, 'Rows Removed by Filter': 0 })) : nodes,
      );
      const sources = plan.strategy === 'bands' ? SCORE_TIERS.length : 1;
      const what = { seed, asked, plan, read };
      // What the index lacks is looked up, and the names of the answer are read as whole rows.
      const isBounded = read <= 2 * sources * (BOUND + 1) + asked.limit;
      expect({ ...what, isBounded }).toEqual({ ...what, isBounded: true });
    }
    expect(broad).toBeGreaterThan(0);
  });
});

/** Patterns from the labels, absent ones, and every filter, in every order. */
function anyQuestion(labels: readonly string[]): fc.Arbitrary<DiscoveryQuery> {
  const piece = fc
    .tuple(fc.constantFrom(...labels), fc.nat(), fc.integer({ min: 1, max: 8 }))
    .map(([label, at, length]) => label.slice(at % label.length).slice(0, length))
    .map((text) => text.replace(/^-|-$/g, '') || 'qx');
  const mode = fc.constantFrom(...MATCH_MODES);
  const floor = fc.constantFrom(0, 0, 1, 10, 100, 500, 1_000);
  const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 3 });
  const day = fc.integer({ min: 0, max: 700 }).map((back) => dayBefore(back));
  return fc
    .record({
      q: fc.option(fc.oneof({ weight: 6, arbitrary: piece }, fc.constantFrom('qzx', 'xq', '7j-')), {
        nil: undefined,
      }),
      ...{ mode, minWayback: floor, sort: maybe(anySort), limit: fc.constantFrom(10, 51) },
      suffixes: fc.uniqueArray(fc.constantFrom(...SUFFIXES), { maxLength: 2 }),
      ...{ maxWayback: maybe(fc.constantFrom(9, 99, 999)), hyphens: maybe(fc.constantFrom(...TRI_STATES)) },
      ...{ numbers: maybe(fc.constantFrom(...TRI_STATES)), minDigits: maybe(fc.integer({ min: 0, max: 3 })) },
      ...{
        minLength: maybe(fc.integer({ min: 2, max: 14 })),
        maxLength: maybe(fc.integer({ min: 6, max: 30 })),
      },
      ...{ firstSeenFrom: maybe(day), firstSeenTo: maybe(day) },
    })
    .map((question) =>
      Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined)),
    )
    .map((question) => question as unknown as DiscoveryQuery);
}

function dayBefore(days: number): string {
  return new Date(Date.UTC(2026, 10, 20) - days * 86_400_000).toISOString().slice(0, 10);
}

function inOrder(types: readonly string[]): string[] {
  return types.filter((type) => type !== 'Sort' && type !== 'Incremental Sort');
}

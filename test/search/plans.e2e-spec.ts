import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { Database, type PreparedStatement } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { generateNames } from '../../src/demo/name-generator.js';
import { type DiscoveryQuery, SORT_KEYS } from '../../src/domains/search/discovery-query.js';
import { asksForOtherStates } from '../../src/domains/schema/filters/filters.js';
import { NameSampler } from '../../src/domains/search/name-sampler.js';
import { planPage } from '../../src/domains/search/planner.js';
import {
  cellsStatement,
  gatheringStatement,
  shapesOfCells,
  statementOf,
} from '../../src/domains/search/statements.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomains } from '../support/domains.js';
import { explainSearch, namesRead } from '../support/query-plans.js';
import { anyFilter, anySort } from '../support/search-oracle.js';

const NAMES = 4_000;
const CAP_MS = 10_000;
const QUESTIONS = 60;
/** Names read for each that was planned. */
const TOLERANCE = 10;

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
  await dropDatabase(url);
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

  // Without values PostgreSQL took domain_length and sorted 3.2 of ten million names for the second of these filters.
  it.each(sorts)('never sorts, by $key $direction', async (sort) => {
    for (const filter of filters) {
      for (const plan of [{ strategy: 'order' }, { strategy: 'order', bound: 30_000 }] as const) {
        const nodes = await explainSearch(sessions, statementOf(query({ ...filter, sort }), plan));
        const types = nodes.map((node) => node['Node Type']);
        expect({ filter, plan, types }).toEqual({
          ...{ filter, plan },
          types: types.filter((type) => type !== 'Sort' && type !== 'Incremental Sort'),
        });
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
    { what: 'the count of cells', asked: [1, 10].map((minWayback) => cellsStatement(query({ minWayback }))) },
    { what: 'their facets', asked: [1, 10].map((minWayback) => shapesOfCells(query({ minWayback }))) },
  ])('is prepared once in a session: $what', async ({ asked }) => {
    expect(await preparedIn(asked)).toBe(1);
  });

  it('has few texts, as another is not kept', async () => {
    expect(await preparedIn([gathering('coff', { hyphens: 'only' })])).toBe(0);
  });
});

describe('the plan of a question that nobody chose', () => {
  it('reads about as many names as it was planned to', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    const database = new Database(dataSource);
    await database.query(`UPDATE dataset SET refreshed = now(), available_records = $1`, [NAMES]);
    const sampler = new NameSampler(database);
    await sampler.refresh();
    const questions = fc.sample(
      fc.record({ filter: anyFilter, sort: anySort, limit: fc.constantFrom(10, 51) }),
      {
        numRuns: QUESTIONS,
        seed,
      },
    );
    let [planned, read] = [0, 0];
    for (const { filter, sort, limit } of questions.filter(({ filter }) => !asksForOtherStates(filter))) {
      const asked = { ...filter, sort, limit };
      const { plan, names } = planPage(asked, sampler.current);
      planned += names;
      read += namesRead(await explainSearch(sessions, statementOf(asked, plan)));
    }
    expect({ seed, planned, read, isPlanned: read <= TOLERANCE * planned }).toEqual({
      ...{ seed, planned, read },
      isPlanned: true,
    });
  });
});

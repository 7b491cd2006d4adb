import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { generateNames } from '../../src/demo/name-generator.js';
import { type DiscoveryQuery, SORT_KEYS } from '../../src/domains/search/discovery-query.js';
import { statementOf } from '../../src/domains/search/discovery-statements.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomains } from '../support/domains.js';
import { explainSearch } from '../support/query-plans.js';

const NAMES = 4_000;
const CAP_MS = 10_000;

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
      const nodes = await explainSearch(
        sessions,
        statementOf(query({ ...filter, sort }), { strategy: 'order' }),
      );
      const types = nodes.map((node) => node['Node Type']);
      expect({ filter, types }).toEqual({
        filter,
        types: expect.not.arrayContaining(['Sort', 'Incremental Sort']),
      });
    }
  });
});

import { readConfig } from '../../src/config/read-config.js';
import type { ListKind } from '../../src/config/product.js';
import { LIST_HEADER, type SandboxLists, startSandboxLists } from '../../src/demo/sandbox-lists.js';
import { ListFetchRepository } from '../../src/ingest/lists/list-fetch.repository.js';
import { type ListFetcher, createListFetcher } from '../../src/ingest/lists/list-fetcher.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export interface ListsTest extends TestDatabase {
  readonly lists: SandboxLists;
  readonly fetches: ListFetchRepository;
  /** Of the part "deleted" only, unless the environment says otherwise. */
  fetcher(environment?: Record<string, string>): ListFetcher;
}

/** A dataset of one's own, and a publisher of lists on loopback. */
export async function startListsTest(): Promise<ListsTest> {
  const [test, lists] = await Promise.all([createTestDatabase(), startSandboxLists({ port: 0 })]);
  const fetches = new ListFetchRepository(test.database);
  return {
    ...test,
    lists,
    fetches,
    fetcher(environment = { LIST_DELETED_URLS: lists.urls.deleted }) {
      const config = readConfig({ LIST_TIMEOUT_MS: '20000', ...environment });
      return createListFetcher(test.database, config);
    },
    async close() {
      await lists.close();
      await test.close();
    },
  };
}

/** A list of names that may be purged from that time of that day on. */
export function listOf(day: string, names: readonly string[], time = '01:00:00'): string {
  return `${LIST_HEADER}\n${names.map((name) => `${day},${time},${name}\n`).join('')}`;
}

/** So many names that belong to the day and the kind. */
export function namesOf(day: string, count: number, kind: ListKind = 'deleted'): string[] {
  return Array.from({ length: count }, (_, place) => `${kind}-${day}-${place}.com.au`);
}

import { Module } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import type { Database } from '../../db/database.js';
import { createLifecycle, DomainsModule } from '../../domains/domains.module.js';
import { ListFetchRepository } from '../list-records/list-fetch.repository.js';
import { ListFetcher } from './list-fetcher.js';

@Module({ imports: [DomainsModule], providers: [ListFetcher], exports: [ListFetcher] })
export class ListsModule {}

/** The fetcher as the module has it, for commands. */
export function createListFetcher(database: Database, config: Config): ListFetcher {
  const fetches = new ListFetchRepository(database);
  return new ListFetcher(config, database, fetches, createLifecycle(database, config));
}

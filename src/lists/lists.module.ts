import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { ListFetcher } from './list-fetcher.js';

@Module({ imports: [DomainsModule], providers: [ListFetcher], exports: [ListFetcher] })
export class ListsModule {}

import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ArchiveHealthReader } from './archive-health.js';
import { ArchiveQueue } from './archive-queue.repository.js';
import { ArchiveScoreRepository } from './archive-score.repository.js';
import { ArchiveScorer } from './archive-scorer.js';
import { ArchiveClient } from './archive-client.js';
import { ArchiveTurns } from './archive-turns.repository.js';
import { CdxClient } from './cdx-client.js';

@Module({
  imports: [DomainsModule],
  providers: [
    ArchiveTurns,
    ArchiveQueue,
    ArchiveScoreRepository,
    ArchiveScorer,
    ArchiveHealthReader,
    { provide: ArchiveClient, inject: [Config], useFactory: createArchiveClient },
  ],
  exports: [ArchiveScorer, ArchiveScoreRepository, ArchiveHealthReader],
})
export class ArchiveModule {}

/** With the archive off no question is sent: ArchiveScorer checks the configuration first. */
export function createArchiveClient({ archive, links }: Config): ArchiveClient {
  return new CdxClient({
    cdxUrl: archive.cdxUrl ?? 'http://archive.invalid/',
    timeoutMs: archive.timeoutMs,
    contactUrl: links.baseUrl,
  });
}

import { Module, type Type } from '@nestjs/common';
import { ArchiveScoreJob } from '../archive/archive.module.js';
import { FormerSiteJob, FormerSiteModule } from '../archive/former-site/former-sites.js';
import { BackupModule } from '../backup/backup.module.js';
import {
  CubeCheckJob,
  EventPurgeJob,
  GramFilingJob,
  MissedAnswerJob,
  PurgeJob,
  RecheckSweepJob,
  RecheckUpkeepJob,
  StaleJob,
} from '../domains/dataset-jobs.js';
import { WordFillJob } from '../domains/words/word-fill.job.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ExportMakingModule, ExportJob } from '../exports/exports.module.js';
import { ListFetchJob, ListFetchPurgeJob } from '../ingest/lists/list-fetch.job.js';
import { ListsModule } from '../ingest/lists/list-fetcher.js';
import { QuestionFailureRepository } from '../registry/question-failure.repository.js';
import { QuestionJob } from '../registry/question.job.js';
import { RegistryModule } from '../registry/registry.module.js';
import { TruthSampleJob } from '../registry/truth-sample.job.js';
import { type NamedKind, WorkKinds } from '../work/kind.js';

/** Every job of the dataset, one line each. */
const JOBS: readonly Type<NamedKind>[] = [
  ArchiveScoreJob,
  CubeCheckJob,
  EventPurgeJob,
  ExportJob,
  FormerSiteJob,
  GramFilingJob,
  ListFetchJob,
  ListFetchPurgeJob,
  MissedAnswerJob,
  PurgeJob,
  QuestionJob,
  RecheckSweepJob,
  RecheckUpkeepJob,
  StaleJob,
  TruthSampleJob,
  WordFillJob,
];
const ADDED = Symbol('jobs of the dataset');

/** Keeps the dataset true, and backs it up: in the service, and alone in a process of its own. */
@Module({
  imports: [BackupModule, DomainsModule, ExportMakingModule, FormerSiteModule, ListsModule, RegistryModule],
  providers: [
    QuestionFailureRepository,
    ...JOBS,
    {
      provide: ADDED,
      inject: [WorkKinds, ...JOBS],
      useFactory: (kinds: WorkKinds, ...jobs: NamedKind[]) => kinds.add(...jobs),
    },
  ],
})
export class JobsModule {}

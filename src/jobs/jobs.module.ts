import { Module } from '@nestjs/common';
import { ArchiveModule } from '../archive/archive.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ExportMakingModule } from '../exports/exports.module.js';
import { ListsModule } from '../ingest/lists/lists.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { ArchiveScoreJob } from './archive-score.job.js';
import { CubeCheckJob } from './cube-check.job.js';
import { ExportJob } from './export.job.js';
import { GramFilingJob } from './gram-filing.job.js';
import { type Job, JobSet } from './job.js';
import { ListFetchJob } from './list-fetch.job.js';
import { MissedAnswerJob } from './missed-answer.job.js';
import { PurgeJob } from './purge.job.js';
import { QuestionFailureRepository } from './questions/question-failure.repository.js';
import { QuestionJob } from './questions/question.job.js';
import { RecheckSweepJob } from './recheck-sweep.job.js';
import { RecheckUpkeepJob } from './recheck-upkeep.job.js';
import { JobLeaseRepository } from './runner/job-lease.repository.js';
import { JobLoop } from './runner/job-loop.js';
import { JobRunner } from './runner/job-runner.js';
import { JobStateRepository } from './runner/job-state.repository.js';
import { StaleJob } from './stale.job.js';
import { TruthSampleJob } from './truth-sample.job.js';

/** Every job, one line each. */
const JOBS = [
  ArchiveScoreJob,
  CubeCheckJob,
  ExportJob,
  GramFilingJob,
  ListFetchJob,
  MissedAnswerJob,
  PurgeJob,
  QuestionJob,
  RecheckSweepJob,
  RecheckUpkeepJob,
  StaleJob,
  TruthSampleJob,
];

/** Keeps the dataset true: in the service, and alone in a process of its own. */
@Module({
  imports: [ArchiveModule, DomainsModule, ExportMakingModule, ListsModule, RegistryModule],
  providers: [
    JobLeaseRepository,
    JobStateRepository,
    QuestionFailureRepository,
    ...JOBS,
    { provide: JobSet, useFactory: (...jobs: Job[]) => new JobSet(jobs), inject: JOBS },
    JobRunner,
    JobLoop,
  ],
  exports: [JobRunner, JobStateRepository],
})
export class JobsModule {}

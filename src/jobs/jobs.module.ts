import { Module } from '@nestjs/common';
import { ListsModule } from '../lists/lists.module.js';
import { type Job, JobSet } from './job.js';
import { ListFetchJob } from './list-fetch.job.js';
import { JobLeaseRepository } from './runner/job-lease.repository.js';
import { JobLoop } from './runner/job-loop.js';
import { JobRunner } from './runner/job-runner.js';
import { JobStateRepository } from './runner/job-state.repository.js';

/** Keeps the dataset true: in the service, and alone in a process of its own. */
@Module({
  imports: [ListsModule],
  providers: [
    JobLeaseRepository,
    JobStateRepository,
    ListFetchJob,
    { provide: JobSet, useFactory: (...jobs: Job[]) => new JobSet(jobs), inject: [ListFetchJob] },
    JobRunner,
    JobLoop,
  ],
  exports: [JobStateRepository],
})
export class JobsModule {}

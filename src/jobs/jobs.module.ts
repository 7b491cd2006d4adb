import { Module } from '@nestjs/common';
import { JobSet } from './job.js';
import { JobLeaseRepository } from './runner/job-lease.repository.js';
import { JobLoop } from './runner/job-loop.js';
import { JobRunner } from './runner/job-runner.js';
import { JobStateRepository } from './runner/job-state.repository.js';

/** Keeps the dataset true: in the service, and alone in a process of its own. */
@Module({
  providers: [
    JobLeaseRepository,
    JobStateRepository,
    { provide: JobSet, useValue: new JobSet([]) },
    JobRunner,
    JobLoop,
  ],
  exports: [JobStateRepository],
})
export class JobsModule {}

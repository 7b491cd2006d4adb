import { Injectable, Module } from '@nestjs/common';
import { Clock } from '../db/clock.js';
import { type Reading, ReadingSource, secondsBetween } from '../observe/metrics/readings.js';
import { JobStateRepository } from './runner/job-state.repository.js';

const GAUGES = {
  job_failures: { help: 'Failures of the job since its last success.', label: 'job' },
  job_last_success_seconds: { help: 'Since the last success of the job.', label: 'job' },
  job_overdue_seconds: { help: 'For how long the job has been due; 0: it is not.', label: 'job' },
} as const;

@Injectable()
class JobReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'jobs';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly jobs: JobStateRepository,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const now = await this.clock.now();
    return (await this.jobs.list()).flatMap(({ name: label, failures, lastSuccessAt, nextDue }) => [
      { gauge: 'job_failures', label, value: failures },
      {
        gauge: 'job_last_success_seconds',
        label,
        value: lastSuccessAt && secondsBetween(lastSuccessAt, now),
      },
      { gauge: 'job_overdue_seconds', label, value: secondsBetween(nextDue, now) },
    ]);
  }
}

/** How the jobs of the installation stand. Also of an instance that does none: a worker has no /metrics. */
@Module({ providers: [JobStateRepository, JobReadings] })
export class JobReadingsModule {}

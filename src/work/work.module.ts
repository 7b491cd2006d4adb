import { Global, Injectable, Module } from '@nestjs/common';
import { Clock, Database, readClockSkewMs } from '../db/database.js';
import { type Reading, ReadingSource, secondsBetween, ProgressWatch } from '../observe/readings.js';
import { Engine } from './engine.js';
import { JobStateRepository } from './job-state.repository.js';
import { maintenance, WorkKinds } from './kind.js';
import { ProcessTimers } from './process-timers.js';
import { WorkLoop } from './work-loop.js';
import { WorkQueue } from './work-queue.js';
import { WorkRepository } from './work.repository.js';

const GAUGES = {
  job_failures: { help: 'Failures of the kind of work since its last success.', label: 'job' },
  job_last_success_seconds: { help: 'Since the last success of the kind of work.', label: 'job' },
  job_past_deadline: {
    help: '1 while a run of the kind of work is past its deadline, or had to be ended and none has succeeded since.',
    label: 'job',
  },
  clock_ahead_seconds: {
    help: "How far the clock of this process is ahead of the database's; behind it, less than 0.",
  },
  job_overdue_seconds: { help: 'For how long the kind of work has been due; 0: it is not.', label: 'job' },
} as const;

@Injectable()
class WorkReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'jobs';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly states: JobStateRepository,
    private readonly database: Database,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const ahead = await readClockSkewMs(this.database);
    const now = await this.clock.now();
    const jobs = (await this.states.list()).flatMap<Reading<keyof typeof GAUGES>>(
      ({ name: label, failures, lastSuccessAt, nextDue, overranAt }) => [
        { gauge: 'job_failures', label, value: failures },
        {
          gauge: 'job_last_success_seconds',
          label,
          value: lastSuccessAt && secondsBetween(lastSuccessAt, now),
        },
        { gauge: 'job_past_deadline', label, value: Number(overranAt !== null) },
        { gauge: 'job_overdue_seconds', label, value: secondsBetween(nextDue, now) },
      ],
    );
    return [{ gauge: 'clock_ahead_seconds', value: ahead / 1_000 }, ...jobs];
  }
}

const PURGE_EVERY_MS = 10 * 60_000;

/** The engine of all background work. Needs ScheduleModule.forRoot() in the application, which drives its loop. */
@Global()
@Module({
  providers: [
    WorkQueue,
    ProcessTimers,
    WorkKinds,
    WorkRepository,
    Engine,
    WorkLoop,
    JobStateRepository,
    WorkReadings,
    ProgressWatch,
  ],
  exports: [WorkQueue, ProcessTimers, WorkKinds, Engine, WorkLoop, JobStateRepository, ProgressWatch],
})
export class WorkModule {
  constructor(
    kinds: WorkKinds,
    repository: WorkRepository,
    states: JobStateRepository,
    watch: ProgressWatch,
  ) {
    watch.add(async () =>
      (await states.list())
        .filter(({ overranAt }) => overranAt !== null)
        .map(({ name }) => `The job ${name} has run past its deadline.`),
    );
    kinds.add(maintenance('work-purge', PURGE_EVERY_MS, (now) => repository.deleteIdle(now)));
  }
}

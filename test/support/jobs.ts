import { Logger } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { readConfig } from '../../src/config/read-config.js';
import { ConfigModule } from '../../src/config/config.js';
import { Clock } from '../../src/db/clock.js';
import { Database } from '../../src/db/database.js';
import { DatabaseModule } from '../../src/db/database.module.js';
import { ReplicasModule } from '../../src/db/replicas/replicas.module.js';
import { type Job, JobSet } from '../../src/jobs/job.js';
import { JobsModule } from '../../src/jobs/jobs.module.js';
import { JobLeaseRepository } from '../../src/jobs/runner/job-lease.repository.js';
import { JobRunner } from '../../src/jobs/runner/job-runner.js';
import { type JobState, JobStateRepository } from '../../src/jobs/runner/job-state.repository.js';
import { HandedClock } from './clock.js';

/** A runner with jobs of the test's own. Several on one database are several processes. */
export function createRunner(database: Database, ...jobs: Job[]): JobRunner {
  return new JobRunner(new JobSet(jobs), new JobLeaseRepository(database), new JobStateRepository(database));
}

/** The jobs of one process as they are, without the loop: nothing happens but what the test has them do. */
export interface StartedJobs {
  readonly runner: JobRunner;
  readonly clock: HandedClock;
  readonly database: Database;
  /** Does at that time all that is due then; what becomes due by it too. */
  runAll(now: Date): Promise<void>;
  /** Lets time pass: does whatever is due in it, at the moment when it is due. */
  play(from: Date, to: Date): Promise<void>;
  /** One of its jobs, for a runner that does nothing else. */
  job(name: string): Job;
  /** The process ends as it should. */
  close(): Promise<void>;
}

/** What waits for a lease looks for it so often. */
const LOOK_EVERY_SECONDS = 5;
/** A batch that always has more to do is a mistake. */
const MAX_BATCHES = 1_000;

export async function startJobs(
  databaseUrl: string,
  environment: Record<string, string> = {},
  clock: HandedClock = new HandedClock(),
): Promise<StartedJobs> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    REGISTRY_BOOTSTRAP_URL: 'off',
    REGISTRY_CANARIES: '',
    // Questions about offers drawn by lot would come between those that a test counts.
    SAMPLE_PER_DAY: '0',
    ARCHIVE_CDX_URL: 'off',
    ...environment,
  });
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.with(config),
      DatabaseModule,
      ReplicasModule,
      ScheduleModule.forRoot(),
      JobsModule,
    ],
  })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  Logger.overrideLogger(false);
  const runner = module.get(JobRunner);
  return {
    runner,
    clock,
    database: module.get(Database),
    async runAll(now) {
      clock.set(now);
      for (let batches = 0; await runner.runDue(now); batches += 1)
        if (batches === MAX_BATCHES) throw new Error(`jobs have more to do after ${MAX_BATCHES} batches`);
    },
    async play(from, to) {
      for (let now = from; now < to;) {
        clock.set(now);
        const { batches, nextDue } = await runner.startDue(now);
        await Promise.all(batches);
        if (batches.length === 0) now = nextDue && nextDue > now ? nextDue : after(now, LOOK_EVERY_SECONDS);
      }
      clock.set(to);
    },
    job(name) {
      const job = module.get(JobSet).jobs.find((one) => one.name === name);
      if (!job) throw new Error(`there is no job ${name}`);
      return job;
    },
    close: () => module.close(),
  };
}

export async function stateOf(database: Database, name: string): Promise<JobState | undefined> {
  return (await new JobStateRepository(database).list()).find((state) => state.name === name);
}

/** A moment so many seconds after another. */
export function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

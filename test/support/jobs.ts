import { Logger } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { readConfig } from '../../src/config/read-config.js';
import { ConfigModule } from '../../src/config/config.js';
import { Clock, Database } from '../../src/db/database.js';
import { DatabaseModule } from '../../src/db/open-database.js';
import { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';
import { ReplicasModule } from '../../src/db/replicas/read-database.js';
import { JobsModule } from '../../src/app/jobs.module.js';
import { Engine } from '../../src/work/engine.js';
import { type JobState, JobStateRepository } from '../../src/work/job-state.repository.js';
import { type Kind, type NamedKind, WorkKinds } from '../../src/work/kind.js';
import { WorkModule } from '../../src/work/work.module.js';
import { WorkRepository } from '../../src/work/work.repository.js';
import { HandedClock, PATIENCE } from './clock.js';

/** An engine with kinds of the test's own, by any name. Several on one database are several processes. */
export function createEngine(database: Database, ...kinds: Kind[]): Engine {
  const known = new WorkKinds();
  known.add(...(kinds as NamedKind[]));
  return new Engine(known, new WorkRepository(database));
}

/** The jobs of one process as they are, without the loop: nothing happens but what the test has them do. */
export interface StartedJobs {
  readonly engine: Engine;
  readonly clock: HandedClock;
  readonly database: Database;
  /** Does at that time all that is due then; what becomes due by it too. */
  runAll(now: Date): Promise<void>;
  /** Lets time pass: does whatever is due in it, at the moment when it is due. */
  play(from: Date, to: Date): Promise<void>;
  /** One of its jobs, for an engine that does nothing else. */
  job(name: string): Kind;
  /** The process ends as it should. */
  close(): Promise<void>;
}

/** What waits for a lease looks for it so often. */
const LOOK_EVERY_SECONDS = 5;
/** A run that always has more to do is a mistake. */
const MAX_RUNS = 1_000;
/** A slow machine is no lock that is held for long: it would put a run off by seconds of the clock that is handed in. */
const MAX_LOCK_MS = 60_000;

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
    ...PATIENCE,
    // As many jobs as begin at once open a connection each, which learns the tables anew.
    DATABASE_POOL_SIZE: '4',
    DATABASE_TIMEOUT_MS: String(MAX_LOCK_MS),
    ...environment,
  });
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.with(config),
      DatabaseModule,
      ReplicasModule,
      ScheduleModule.forRoot(),
      WorkModule,
      JobsModule,
    ],
  })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  Logger.overrideLogger(false);
  Object.assign(module.get(Lifecycle), { lockTimeoutMs: MAX_LOCK_MS });
  const engine = module.get(Engine);
  return {
    engine,
    clock,
    database: module.get(Database),
    async runAll(now) {
      clock.set(now);
      for (let runs = 0; await engine.runDue(now); runs += 1)
        if (runs === MAX_RUNS) throw new Error(`jobs have more to do after ${MAX_RUNS} runs`);
    },
    async play(from, to) {
      for (let now = from; now < to;) {
        clock.set(now);
        const { begun, nextDue } = await engine.step(now);
        await Promise.all(begun);
        if (begun.length === 0) now = nextDue && nextDue > now ? nextDue : after(now, LOOK_EVERY_SECONDS);
      }
      clock.set(to);
    },
    job(name) {
      return module.get(WorkKinds).get(name);
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

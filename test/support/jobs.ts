import type { Database } from '../../src/database/database.js';
import { type Job, JobSet } from '../../src/jobs/job.js';
import { JobLeaseRepository } from '../../src/jobs/runner/job-lease.repository.js';
import { JobRunner } from '../../src/jobs/runner/job-runner.js';
import { type JobState, JobStateRepository } from '../../src/jobs/runner/job-state.repository.js';

/** A runner as one process has it, driven step by step; several on one database are several processes. */
export function createRunner(database: Database, ...jobs: Job[]): JobRunner {
  return new JobRunner(new JobSet(jobs), new JobLeaseRepository(database), new JobStateRepository(database));
}

export async function stateOf(database: Database, name: string): Promise<JobState | undefined> {
  return (await new JobStateRepository(database).list()).find((state) => state.name === name);
}

/** A moment so many seconds after another. */
export function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

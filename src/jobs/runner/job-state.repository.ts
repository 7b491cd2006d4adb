import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { JobCursor } from '../job.js';
import { type JobLease, LEASE_NAME, LeaseLostError } from './job-lease.repository.js';

/** How a job stands. */
export interface JobState {
  readonly name: string;
  readonly nextDue: Date;
  /** When its last piece was begun. */
  readonly lastRunAt: Date | null;
  readonly lastSuccessAt: Date | null;
  /** Since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  readonly cursor: JobCursor | null;
}

/** All SQL on the state of jobs. */
@Injectable()
export class JobStateRepository {
  constructor(private readonly database: Database) {}

  /** Every job that has ever run. */
  async list(): Promise<JobState[]> {
    return this.database.query<JobState & Record<string, unknown>>(
      `SELECT name, next_due AS "nextDue", last_run_at AS "lastRunAt", last_success_at AS "lastSuccessAt", failures,
              last_error AS "lastError", last_error_at AS "lastErrorAt", cursor
         FROM job_state ORDER BY name`,
    );
  }

  /** The four that follow throw {LeaseLostError} when the lease has changed hands, and write nothing then. */
  async begin(lease: JobLease, name: string, now: Date): Promise<void> {
    await this.write(
      lease,
      `INSERT INTO job_state (name, next_due, last_run_at) SELECT $4, $5, $5 FROM lease
       ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
       RETURNING name`,
      [name, now],
    );
  }

  /** @param cursor left out, it stays as it is */
  async succeed(
    lease: JobLease,
    name: string,
    now: Date,
    nextDue: Date,
    cursor: JobCursor | undefined,
  ): Promise<void> {
    await this.write(
      lease,
      `UPDATE job_state SET last_success_at = $5, next_due = $6, failures = 0, cursor = coalesce($7::jsonb, cursor)
         FROM lease WHERE job_state.name = $4
       RETURNING job_state.name`,
      [name, now, nextDue, cursor && JSON.stringify(cursor)],
    );
  }

  async fail(lease: JobLease, name: string, now: Date, nextDue: Date, error: string): Promise<void> {
    await this.write(
      lease,
      `UPDATE job_state SET failures = failures + 1, next_due = $6, last_error = $7, last_error_at = $5
         FROM lease WHERE job_state.name = $4
       RETURNING job_state.name`,
      [name, now, nextDue, error],
    );
  }

  /** Neither a success nor a failure: the piece was not done. */
  async putOff(lease: JobLease, name: string, nextDue: Date): Promise<void> {
    await this.write(
      lease,
      `UPDATE job_state SET next_due = $5 FROM lease WHERE job_state.name = $4 RETURNING job_state.name`,
      [name, nextDue],
    );
  }

  // One statement, for it is written twice a piece: the lease cannot change hands before it has committed.
  private async write(lease: JobLease, statement: string, parameters: readonly unknown[]): Promise<void> {
    const rows = await this.database.query(
      `WITH lease AS MATERIALIZED (
         SELECT FROM job_lease WHERE name = $1 AND holder = $2 AND fence = $3 FOR KEY SHARE
       )
       ${statement}`,
      [LEASE_NAME, lease.holder, lease.fence, ...parameters],
    );
    if (rows.length === 0) throw new LeaseLostError();
  }
}

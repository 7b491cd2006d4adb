import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { JobCursor } from '../job.js';
import { type JobLease, LEASE_NAME, LeaseLostError } from './job-lease.repository.js';

/** How a job stands. */
export interface JobState {
  readonly name: string;
  readonly nextDue: Date;
  /** When its last batch was begun. */
  readonly lastRunAt: Date | null;
  readonly lastSuccessAt: Date | null;
  /** Since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  readonly cursor: JobCursor | null;
  /** Since when an operator has it paused; null: it is not. */
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  /** When an operator last wanted a batch of it. */
  readonly wantedAt: Date | null;
}

/** All SQL on the state of jobs. */
@Injectable()
export class JobStateRepository {
  constructor(private readonly database: Database) {}

  /** Every job that has ever run. */
  async list(): Promise<JobState[]> {
    return this.database.query<JobState & Record<string, unknown>>(
      `SELECT name, next_due AS "nextDue", last_run_at AS "lastRunAt", last_success_at AS "lastSuccessAt", failures,
              last_error AS "lastError", last_error_at AS "lastErrorAt", cursor, paused_at AS "pausedAt",
              paused_by AS "pausedBy", pause_reason AS "pauseReason", wanted_at AS "wantedAt"
         FROM job_state ORDER BY name`,
    );
  }

  /** The process that does the jobs; null: nobody does. */
  async readHolder(now: Date): Promise<{ holder: string; until: Date } | null> {
    const [row] = await this.database.query<{ holder: string; until: Date }>(
      'SELECT holder, until FROM job_lease WHERE name = $1 AND until > $2',
      [LEASE_NAME, now],
    );
    return row ?? null;
  }

  /** No batch is begun from then on; one under way is finished. @returns whether there is such a job */
  async pause(
    name: string,
    { by, reason }: { by: string; reason: string },
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    return this.steer(
      'paused_at = coalesce(paused_at, $2), paused_by = $3, pause_reason = $4',
      [name, at, by, reason],
      transaction,
    );
  }

  /** @returns whether there is such a job */
  async resume(name: string, transaction: Queryable): Promise<boolean> {
    return this.steer('paused_at = NULL, paused_by = NULL, pause_reason = NULL', [name], transaction);
  }

  /** Has one batch begun as soon as may be, also of a job that is paused. @returns whether there is such a job */
  async want(name: string, at: Date, transaction: Queryable): Promise<boolean> {
    return this.steer('wanted_at = $2', [name, at], transaction);
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

  /** Neither a success nor a failure: the batch was not done. */
  async putOff(lease: JobLease, name: string, nextDue: Date): Promise<void> {
    await this.write(
      lease,
      `UPDATE job_state SET next_due = $5 FROM lease WHERE job_state.name = $4 RETURNING job_state.name`,
      [name, nextDue],
    );
  }

  private async steer(
    columns: string,
    parameters: readonly unknown[],
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.query(
      `UPDATE job_state SET ${columns} WHERE name = $1 RETURNING name`,
      parameters,
    );
    return rows.length > 0;
  }

  // One statement, for it is written twice a batch: the lease cannot change hands before it has committed.
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

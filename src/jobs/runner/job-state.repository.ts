import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { JobCursor } from '../job.js';

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

/** All SQL on the state of jobs. What a piece writes, it writes inside `fenced(...)`. */
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

  async begin(name: string, now: Date): Promise<void> {
    await this.write(
      `INSERT INTO job_state (name, next_due, last_run_at) VALUES ($1, $2, $2)
       ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at`,
      [name, now],
    );
  }

  /** @param cursor left out, it stays as it is */
  async succeed(name: string, now: Date, nextDue: Date, cursor?: JobCursor): Promise<void> {
    await this.write(
      `UPDATE job_state SET last_success_at = $2, next_due = $3, failures = 0, cursor = coalesce($4::jsonb, cursor)
        WHERE name = $1`,
      [name, now, nextDue, cursor && JSON.stringify(cursor)],
    );
  }

  async fail(name: string, now: Date, nextDue: Date, error: string): Promise<void> {
    await this.write(
      `UPDATE job_state SET failures = failures + 1, next_due = $3, last_error = $4, last_error_at = $2 WHERE name = $1`,
      [name, now, nextDue, error],
    );
  }

  private async write(sql: string, parameters: readonly unknown[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(sql, parameters);
    });
  }
}

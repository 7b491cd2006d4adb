import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';

/** A lease that is held. */
export interface JobLease {
  readonly holder: string;
  /** As decimal digits: a bigint. */
  readonly fence: string;
  readonly until: Date;
}

/** Thrown inside work whose lease has gone to another. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease on the jobs has gone to another process');
  }
}

/** One row for the dataset's jobs; another kind of work would have a row of its own. */
export const LEASE_NAME = 'dataset';
/** A holder that stands still in mid-transaction loses it: its locks must not keep the lease from its successor. */
const MAX_IDLE_IN_TRANSACTION = '10s';

const IS_HELD = `lease.until > $3 AND lease.until <= $3 + make_interval(secs => 2 * $4::float8 / 1000)`;

/** All SQL on the lease. */
@Injectable()
export class JobLeaseRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the lease. One that ends twice as far ahead as any can is free: the clock was set back.
   *
   * @returns null while another holds it
   */
  async take(holder: string, now: Date, leaseMs: number): Promise<JobLease | null> {
    const [row] = await this.database.query<{ fence: string; until: Date }>(
      // Looked at before it is locked: the lock would wait for the work of whoever holds it.
      `INSERT INTO job_lease AS lease (name, holder, fence, until)
       SELECT $1, $2, 1, $3::timestamptz + make_interval(secs => $4::float8 / 1000)
        WHERE NOT EXISTS (SELECT FROM job_lease AS lease WHERE name = $1 AND ${IS_HELD})
       ON CONFLICT (name) DO UPDATE
         SET holder = excluded.holder, until = excluded.until, fence = lease.fence + 1
         WHERE NOT (${IS_HELD})
       RETURNING fence, until`,
      [LEASE_NAME, holder, now, leaseMs],
    );
    return row ? { holder, fence: row.fence, until: row.until } : null;
  }

  /**
   * Holds a lease for longer: nobody has taken it, though its time may be over.
   *
   * @returns null when somebody has
   */
  async renew({ holder, fence }: JobLease, now: Date, leaseMs: number): Promise<JobLease | null> {
    // In a statement of its own, which leaves the key alone: it does not wait for work that locks the lease.
    const [row] = await this.database.query<{ until: Date }>(
      `UPDATE job_lease SET until = $4::timestamptz + make_interval(secs => $5::float8 / 1000)
        WHERE name = $1 AND holder = $2 AND fence = $3
       RETURNING until`,
      [LEASE_NAME, holder, fence, now, leaseMs],
    );
    return row ? { holder, fence, until: row.until } : null;
  }

  /** Lets another have it at once. */
  async release({ holder, fence }: JobLease): Promise<void> {
    await this.database.query(
      `UPDATE job_lease SET until = '-infinity' WHERE name = $1 AND holder = $2 AND fence = $3`,
      [LEASE_NAME, holder, fence],
    );
  }

  /**
   * Keeps the lease from changing hands until the transaction ends.
   *
   * @throws {LeaseLostError} when it has changed hands
   */
  async lock(transaction: Queryable, { holder, fence }: JobLease): Promise<void> {
    const rows = await transaction.query(
      `SELECT set_config('idle_in_transaction_session_timeout', $4, true)
         FROM job_lease WHERE name = $1 AND holder = $2 AND fence = $3 FOR KEY SHARE`,
      [LEASE_NAME, holder, fence, MAX_IDLE_IN_TRANSACTION],
    );
    if (rows.length === 0) throw new LeaseLostError();
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { BudgetClock } from './budget-clock.js';
import { type BudgetCounts, longerPeriod } from './budget-window.js';

/** What a statement granted, and the counts after it. */
export interface Grant extends BudgetCounts {
  readonly granted: number;
}

/** Records that are held for work under way. */
export interface Reservation extends Grant {
  readonly id: string | null;
}

/** Longer than any request takes. What a killed process has reserved is free again after that. */
const RESERVATION_SECONDS = 60;

/** All that is counted of callers. PostgreSQL counts, or nobody. */
@Injectable()
export class BudgetRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: BudgetClock,
  ) {}

  /**
   * Charges as many of these records as every window has left.
   *
   * @throws {DatabaseUnavailable} where the connection is lost meanwhile, it may have been charged: nobody can know
   */
  charge(caller: Caller, records: number): Promise<Grant> {
    return this.run<Grant>('budget_charge', CHARGE, caller, [records]);
  }

  /** The same for records that were reserved: the reservation ends with it. */
  settle(caller: Caller, records: number, reservationId: string | null): Promise<Grant> {
    return this.run<Grant>('budget_settle', SETTLE, caller, [records, reservationId]);
  }

  /** Reserves as many of these records as every window has left. */
  reserve(caller: Caller, records: number): Promise<Reservation> {
    return this.run<Reservation>('budget_reserve', RESERVE, caller, [records, null]);
  }

  async read({ id, tier }: Caller): Promise<BudgetCounts> {
    const values = [id, longerPeriod(tier).period, this.clock.at];
    const [counts] = await this.database.prepared<BudgetCounts>({ name: 'budget_read', text: READ, values });
    if (!counts) throw new Error('the moment of a statement is always a row');
    return counts;
  }

  /** Removes the rows of callers who have not come back since their windows ended. */
  async purge(): Promise<void> {
    await this.database.query(
      `DELETE FROM record_budget
        WHERE period_start + interval '10 minutes' < date_trunc(period, coalesce($1::timestamptz, now()), 'UTC')`,
      [this.clock.at],
    );
  }

  private async run<Row extends Grant>(
    name: string,
    text: string,
    { id, tier }: Caller,
    amounts: readonly unknown[],
  ): Promise<Row> {
    const { period, records } = longerPeriod(tier);
    const values = [id, period, this.clock.at, tier.recordsPerMinute, records, ...amounts];
    const [row] = await this.database.prepared<Row>({ name, text, values });
    if (!row) throw new Error('an upsert always has a row');
    return row;
  }
}

/**
 * Everything in one statement, in the order in which the lock of the caller's row lets the statements through: the sum of what
 * they grant is never more than a window holds, on however many instances. `granted` is min(wanted, what the tightest window
 * has left). Nobody waits for the disk (0.06 ms instead of 0.40): a server that crashes may forget the last second of counting.
 *
 * $1 caller, $2 longer period, $3 moment or null, $4 limit of the minute, $5 limit of the period, $6 records; and $7 a
 * reservation, where reservations end
 *
 * @param used what is charged, @param reserved what is reserved, @param ended what is reserved no longer
 */
function counting(used: 'granted' | '0', reserved: 'granted' | '0', ended: string): string {
  return `
    INSERT INTO record_budget AS row
      (caller, period, minute_start, minute_used, period_start, period_used, reserved, reserved_until, granted)
    SELECT $1, $2, date_trunc('minute', now, 'UTC'), ${used}, date_trunc($2, now, 'UTC'), ${used},
           ${reserved}, now + interval '${RESERVATION_SECONDS} seconds' * sign(${reserved}), granted
      FROM coalesce($3::timestamptz, now()) AS now, least($6::int, $4::int, $5::int) AS granted,
           set_config('synchronous_commit', 'off', true)
    ON CONFLICT (caller, period) DO UPDATE
    SET (minute_start, minute_used, period_start, period_used, reserved, reserved_until, granted) = (
      SELECT minute_start, minute_used + ${used}, period_start, period_used + ${used},
             reserved + ${reserved}, greatest(row.reserved_until, excluded.reserved_until), granted
        FROM (
          -- A clock that steps back stays in the window that was begun.
          SELECT greatest(row.minute_start, excluded.minute_start) AS minute_start,
                 CASE WHEN row.minute_start >= excluded.minute_start THEN row.minute_used ELSE 0 END AS minute_used,
                 greatest(row.period_start, excluded.period_start) AS period_start,
                 CASE WHEN row.period_start >= excluded.period_start THEN row.period_used ELSE 0 END AS period_used,
                 row.reserved - ${ended} AS reserved
        ) AS before,
        LATERAL (SELECT CASE WHEN row.reserved_until > ${NOW} THEN reserved ELSE 0 END AS held) AS holding,
        greatest(0, least($6::int, $4::int - minute_used - held, $5::int - period_used - held)) AS granted
    )`;
}

const NOW = 'coalesce($3::timestamptz, now())';
const COUNTS = `
  greatest(${NOW}, minute_start) AS now, minute_used AS "minuteUsed", period, period_used AS "periodUsed",
  CASE WHEN reserved_until > ${NOW} THEN reserved ELSE 0 END AS reserved, granted`;

const CHARGE = `${counting('granted', '0', '0')} RETURNING ${COUNTS}`;

// What has ended is looked for with the caller's row locked, where every statement waits for the one before it, so nothing
// is given back twice.
const ENDED = `
  ended AS (
    DELETE FROM record_reservation
     WHERE caller = $1 AND period = $2 AND (id = $7::bigint OR ends_at <= ${NOW})
    RETURNING records
  )`;
const SUM_OF_ENDED = '(SELECT coalesce(sum(records), 0) FROM ended)::int';

const SETTLE = `WITH ${ENDED} ${counting('granted', '0', SUM_OF_ENDED)} RETURNING ${COUNTS}`;

const RESERVE = `
  WITH ${ENDED}, counted AS (${counting('0', 'granted', SUM_OF_ENDED)} RETURNING *), kept AS (
    INSERT INTO record_reservation (caller, period, records, ends_at)
    SELECT $1, $2, granted, ${NOW} + interval '${RESERVATION_SECONDS} seconds' FROM counted WHERE granted > 0
    RETURNING id
  )
  SELECT ${COUNTS}, id FROM counted LEFT JOIN kept ON true`;

// Says the same without counting anything, also of a caller who has no row.
const READ = `
  SELECT greatest(now, minute_start) AS now,
         CASE WHEN minute_start >= date_trunc('minute', now, 'UTC') THEN minute_used ELSE 0 END AS "minuteUsed",
         $2 AS period,
         CASE WHEN period_start >= date_trunc($2, now, 'UTC') THEN period_used ELSE 0 END AS "periodUsed",
         CASE WHEN reserved_until > now THEN reserved ELSE 0 END AS reserved
    FROM ${NOW} AS now LEFT JOIN record_budget ON caller = $1 AND period = $2`;

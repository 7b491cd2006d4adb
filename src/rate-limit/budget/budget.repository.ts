import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { BudgetClock } from './budget-clock.js';
import { BudgetStore, type Reservation, RESERVATION_SECONDS } from './budget-store.js';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import { type Charge, gatherCharges, type Grant, type RowCharge, shareOut } from './charges.js';
import { StatementBatch } from './statement-batch.js';

/** All that PostgreSQL counts of callers: every window of theirs. */
@Injectable()
export class BudgetRepository extends BudgetStore {
  private readonly charges = new StatementBatch<Charge, Grant>((charges) => this.chargeTogether(charges));

  constructor(
    private readonly database: Database,
    private readonly clock: BudgetClock,
  ) {
    super();
  }

  /**
   * What others charge meanwhile goes with it.
   *
   * @throws {DatabaseUnavailable} where the connection is lost meanwhile, it may have been charged: nobody can know
   */
  charge(caller: Caller, records: number): Promise<Grant> {
    return this.charges.run({ caller, records });
  }

  async reserve(caller: Caller, records: number): Promise<Reservation> {
    const row = await this.run<Grant & { id: string | null }>('budget_reserve', RESERVE, caller, [
      records,
      null,
    ]);
    const { id, ...grant } = row;
    return { ...grant, settle: (used) => this.run<Grant>('budget_settle', SETTLE, caller, [used, id]) };
  }

  async read({ id, tier }: Caller): Promise<BudgetCounts> {
    const values = [id, longerPeriod(tier).period, this.clock.at];
    const [counts] = await this.database.prepared<BudgetCounts>({ name: 'budget_read', text: READ, values });
    if (!counts) throw new Error('the moment of a statement is always a row');
    return counts;
  }

  /**
   * Removes the rows of callers who have not come back since their windows ended. Those who come back just now keep theirs:
   * charges lock several rows, and who waited for one of them would lock in another order.
   */
  async purge(): Promise<void> {
    await this.database.query(
      `DELETE FROM record_budget
        WHERE (caller, period) IN (
          SELECT caller, period FROM record_budget
           WHERE period_start + interval '10 minutes' < date_trunc(period, coalesce($1::timestamptz, now()), 'UTC')
             FOR UPDATE SKIP LOCKED
        )`,
      [this.clock.at],
    );
  }

  private async chargeTogether(charges: readonly Charge[]): Promise<Grant[]> {
    const grants: Grant[] = [];
    for (const rows of gatherCharges(charges)) {
      const found = await this.chargeRows(rows);
      for (const { caller, period, parts } of rows) {
        const grant = found.find((row) => row.caller === caller && row.period === period);
        if (!grant) throw new Error('an upsert always has a row');
        for (const [place, shared] of shareOut(grant, parts)) grants[place] = shared;
      }
    }
    return grants;
  }

  private chargeRows(rows: readonly RowCharge[]): Promise<(Grant & { caller: string })[]> {
    const values = [
      rows.map(({ caller }) => caller),
      rows.map(({ period }) => period),
      this.clock.at,
      rows.map(({ perMinute }) => perMinute),
      rows.map(({ perPeriod }) => perPeriod),
      rows.map(({ parts }) => parts.reduce((sum, { records }) => sum + records, 0)),
    ];
    return this.database.prepared({ name: 'budget_charge', text: CHARGE, values });
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
 * @param wish where caller, period, limits and records are read, @param used what is charged, @param reserved what is reserved,
 * @param ended what is reserved no longer
 */
function counting(wish: string, used: 'granted' | '0', reserved: 'granted' | '0', ended: string): string {
  return `
    INSERT INTO record_budget AS row
      (caller, period, minute_start, minute_used, period_start, period_used, reserved, reserved_until, granted)
    SELECT caller, period, date_trunc('minute', now, 'UTC'), ${used}, date_trunc(period, now, 'UTC'), ${used},
           ${reserved}, now + interval '${RESERVATION_SECONDS} seconds' * sign(${reserved}), granted
      FROM ${wish}, ${NOW} AS now, least(records, per_minute, per_period) AS granted,
           set_config('synchronous_commit', 'off', true)
     -- All who lock several rows lock them in this order.
     ORDER BY caller, period
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
        ${wish},
        greatest(0, least(records, per_minute - minute_used - held, per_period - period_used - held)) AS granted
       WHERE wish.caller = excluded.caller AND wish.period = excluded.period
    )`;
}

const NOW = 'coalesce($3::timestamptz, now())';
const COUNTS = `
  greatest(${NOW}, minute_start) AS now, minute_used AS "minuteUsed", period, period_used AS "periodUsed",
  CASE WHEN reserved_until > ${NOW} THEN reserved ELSE 0 END AS reserved, granted`;

const CHARGE = `
  WITH wish AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $4::int[], $5::int[], $6::int[])
                  AS wish (caller, period, per_minute, per_period, records)
  )
  ${counting('wish', 'granted', '0', '0')} RETURNING caller, ${COUNTS}`;

const ONE = `(
  SELECT $1::text AS caller, $2::text AS period, $4::int AS per_minute, $5::int AS per_period, $6::int AS records
) AS wish`;

// What has ended is looked for with the caller's row locked, where every statement waits for the one before it, so nothing
// is given back twice.
const ENDED = `
  ended AS (
    DELETE FROM record_reservation
     WHERE caller = $1 AND period = $2 AND (id = $7::bigint OR ends_at <= ${NOW})
    RETURNING records
  )`;
const SUM_OF_ENDED = '(SELECT coalesce(sum(records), 0) FROM ended)::int';

const SETTLE = `WITH ${ENDED} ${counting(ONE, 'granted', '0', SUM_OF_ENDED)} RETURNING ${COUNTS}`;

const RESERVE = `
  WITH ${ENDED}, counted AS (${counting(ONE, '0', 'granted', SUM_OF_ENDED)} RETURNING *), kept AS (
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

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import {
  BudgetClock,
  BudgetStore,
  type Grant,
  HOLD_SECONDS,
  type Holder,
  type Reservation,
  rowOf,
  type Settlement,
} from './budget-store.js';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import { accountOf, type Caller, chargedKeyOf } from './caller.js';

/** Retention of accounts' usage. */
const USAGE_MONTHS = 25;

/** Budgets in PostgreSQL: every window of every caller. */
@Injectable()
export class BudgetRepository extends BudgetStore {
  constructor(
    private readonly database: Database,
    private readonly clock: BudgetClock,
  ) {
    super();
  }

  async settle({ id, turn }: Holder, settlements: readonly Settlement[]): Promise<Grant[]> {
    return this.run(id, turn, HOLD_SECONDS, settlements);
  }

  async reserve(caller: Caller, records: number, seconds: number): Promise<Reservation> {
    const id = randomUUID();
    const wish = { caller, sent: 0, grantedAt: null, held: 0, wanted: records };
    const [grant] = await this.run(id, 0, seconds, [wish]);
    if (!grant) throw new Error('an upsert always has a row');
    return { ...grant, id };
  }

  async draw(caller: Caller, reservation: string, total: number, kept: number): Promise<Grant> {
    const { id, tier } = caller;
    const values = [
      ...[id, longerPeriod(tier).period, this.clock.at, reservation, total, kept],
      ...[accountOf(caller), chargedKeyOf(caller)],
    ];
    const [grant] = await this.database.prepared<Grant>({ name: 'budget_draw', text: DRAW, values });
    return grant ?? { ...(await this.read(caller)), granted: 0 };
  }

  async read({ id, tier }: Caller): Promise<BudgetCounts> {
    const values = [id, longerPeriod(tier).period, this.clock.at];
    const [counts] = await this.database.prepared<BudgetCounts>({ name: 'budget_read', text: READ, values });
    if (!counts) throw new Error('the moment of a statement is always a row');
    return counts;
  }

  /** Deletes callers whose windows and reservations have ended. A row locked by a new charge is kept. */
  async purge(): Promise<void> {
    await this.database.query(
      `DELETE FROM record_budget WHERE (caller, period) IN (
         SELECT caller, period FROM record_budget
          WHERE period_start + interval '10 minutes' < date_trunc(period, coalesce($1::timestamptz, now()), 'UTC')
            AND NOT EXISTS (SELECT FROM jsonb_each(reservations) AS every (id, held)
                             WHERE (held ->> 2)::timestamptz > coalesce($1::timestamptz, now()))
            FOR UPDATE SKIP LOCKED)`,
      [this.clock.at],
    );
  }

  /** Deletes usage past its retention, and usage recorded for accounts that were deleted meanwhile. */
  async purgeUsage(): Promise<void> {
    await this.database.query(
      `DELETE FROM usage_day
        WHERE day < (coalesce($1::timestamptz, now()) AT TIME ZONE 'UTC')::date
                    - make_interval(months => ${USAGE_MONTHS})`,
      [this.clock.at],
    );
    // Skips from account to account along the index, since each may have two years of days.
    await this.database.query(
      `WITH RECURSIVE noted (id) AS (
         (SELECT account_id FROM usage_day ORDER BY account_id LIMIT 1)
         UNION ALL
         SELECT (SELECT account_id FROM usage_day WHERE account_id > noted.id ORDER BY account_id LIMIT 1)
           FROM noted WHERE noted.id IS NOT NULL)
       DELETE FROM usage_day
        WHERE account_id = ANY(ARRAY(
          SELECT id FROM noted
           WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM account WHERE account.id = noted.id)))`,
    );
  }

  private async run(
    holder: string,
    turn: number,
    seconds: number,
    settlements: readonly Settlement[],
  ): Promise<Grant[]> {
    const column = <Value>(valueOf: (settlement: Settlement) => Value) => settlements.map(valueOf);
    const values = [
      column(({ caller }) => caller.id),
      column(({ caller }) => longerPeriod(caller.tier).period),
      this.clock.at,
      column(({ caller }) => caller.tier.recordsPerMinute),
      column(({ caller }) => longerPeriod(caller.tier).records),
      ...[column(({ sent }) => sent), column(({ grantedAt }) => grantedAt)],
      ...[column(({ held }) => held), column(({ wanted }) => wanted)],
      ...[column(({ caller }) => accountOf(caller)), column(({ caller }) => chargedKeyOf(caller))],
      ...[holder, turn, seconds],
    ];
    const found = await this.database.prepared<Grant & { caller: string }>({
      name: 'budget_settle',
      text: SETTLE,
      values,
    });
    const grants = new Map(found.map((grant) => [`${grant.caller} ${grant.period}`, grant]));
    return settlements.map(({ caller }) => {
      const grant = grants.get(rowOf(caller));
      if (!grant) throw new Error('an upsert always has a row');
      return grant;
    });
  }
}

const NOW = 'coalesce($3::timestamptz, now())';
const windowOf = (window: string, now: string) =>
  `CASE WHEN ${window}_start >= ${now} THEN ${window}_used ELSE 0 END`;
/** Records of unexpired reservations without those already charged. Each is [records, charged, end, turn]. */
const held = (reservations: string) => `
  CASE WHEN ${reservations} = '{}' THEN 0 ELSE (
    SELECT coalesce(sum((one->>0)::int - (one->>1)::int), 0)::int FROM jsonb_each(${reservations}) AS every (id, one)
     WHERE (one->>2)::timestamptz > ${NOW}) END`;
const unexpired = (reservations: string) => `
  CASE WHEN ${reservations} = '{}' THEN '{}' ELSE (
    SELECT coalesce(jsonb_object_agg(id, one), '{}') FROM jsonb_each(${reservations}) AS every (id, one)
     WHERE (one->>2)::timestamptz > ${NOW}) END`;

/**
 * The next state of a row. `granted` is the smaller of the records wanted and those left in the tightest window.
 * Records that were sent count in the windows in which they were granted. A statement that arrives after a newer one
 * of its holder charges, but leaves the hold as it is and grants nothing.
 */
const next = (known: string) => `
  SELECT minute_start, minute_used, period_start, period_used, granted,
         CASE WHEN mine + granted > 0
              THEN others || jsonb_build_object($12::text, jsonb_build_array(
                     mine + granted, 0, ${NOW} + $14::int * interval '1 second', greatest($13::bigint, own_turn)))
              ELSE others END AS reservations
    FROM (
      -- After the clock steps back, the current window goes on.
      SELECT greatest(minute_start, this_minute) AS minute_start,
             ${windowOf('minute', 'this_minute')}
               + CASE WHEN granted_at >= greatest(minute_start, this_minute) THEN sent ELSE 0 END AS minute_used,
             greatest(period_start, this_period) AS period_start,
             ${windowOf('period', 'this_period')}
               + CASE WHEN granted_at >= greatest(period_start, this_period) THEN sent ELSE 0 END AS period_used,
             ${unexpired('(reservations - $12::text)')} AS others, ${held('(reservations - $12::text)')} AS theirs,
             (reservations->$12::text->>3)::bigint AS own_turn,
             CASE WHEN (reservations->$12::text->>3)::bigint > $13::bigint
                  THEN (reservations->$12::text->>0)::int ELSE held END AS mine
        FROM ${known},
             LATERAL (SELECT date_trunc('minute', ${NOW}, 'UTC') AS this_minute,
                             date_trunc(wish.period, ${NOW}, 'UTC') AS this_period) AS moment
    ) AS before,
    LATERAL (SELECT CASE WHEN own_turn > $13::bigint THEN 0
                         ELSE greatest(0, least(wanted, per_minute - minute_used - theirs - mine,
                                                per_period - period_used - theirs - mine))
                    END AS granted) AS granting`;

const EMPTY = `'-infinity'::timestamptz AS minute_start, 0 AS minute_used,
               '-infinity'::timestamptz AS period_start, 0 AS period_used, '{}'::jsonb AS reservations`;
const CURRENT = 'row.minute_start, row.minute_used, row.period_start, row.period_used, row.reservations';
const COUNTS = `caller, greatest(${NOW}, minute_start) AS now, minute_used AS "minuteUsed", period,
            period_used AS "periodUsed", ${held('reservations')} AS reserved`;
/** Usage is written in the same statement, so that its sum equals what the budgets charged, also after a kill. */
const noteUsage = (charged: string) => `
  INSERT INTO usage_day AS known (account_id, key_id, day, records)
  ${charged}
  ON CONFLICT (account_id, key_id, day) DO UPDATE SET records = known.records + excluded.records`;

/**
 * One statement, serialised by the lock of the caller's row, so that all instances together never grant more than a
 * window has. Without waiting for the disk (0.06 ms instead of 0.40): a server crash may lose the last second of
 * counts.
 *
 * $1 callers, $2 longer periods, $3 moment or null, $4 limits of the minute, $5 limits of the period, $6 records sent,
 * $7 when they were granted, $8 records held, $9 records wanted, $10 accounts, $11 keys, $12 the holder, $13 its turn,
 * $14 seconds until the hold ends.
 */
const SETTLE = `
  WITH wish AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $4::int[], $5::int[], $6::int[], $7::timestamptz[], $8::int[],
                         $9::int[], $10::uuid[], $11::uuid[])
                  AS wish (caller, period, per_minute, per_period, sent, granted_at, held, wanted, account, key)
  ), counted AS (
  INSERT INTO record_budget AS row
    (caller, period, minute_start, minute_used, period_start, period_used, granted, reservations)
  SELECT caller, period, next.*
    FROM wish, set_config('synchronous_commit', 'off', true),
         LATERAL (${next(`(SELECT ${EMPTY}) AS row`)}) AS next
   -- Every statement locks rows in this order.
   ORDER BY caller, period
  ON CONFLICT (caller, period) DO UPDATE
  SET (minute_start, minute_used, period_start, period_used, granted, reservations) = (
    SELECT next.* FROM wish,
           LATERAL (${next(`(SELECT ${CURRENT}) AS row`)}) AS next
     WHERE wish.caller = excluded.caller AND wish.period = excluded.period)
  RETURNING ${COUNTS}, granted
  ), used AS (${noteUsage(`
  SELECT account, key, (granted_at AT TIME ZONE 'UTC')::date AS day, sum(sent)
    FROM wish WHERE account IS NOT NULL AND sent > 0
   GROUP BY account, key, day
   ORDER BY account, key, day`)}
  )
  SELECT * FROM counted`;

/**
 * Charges part of a reservation, in the windows of the moment; the records count in them already.
 *
 * $1 caller, $2 its longer period, $3 moment or null, $4 the reservation, $5 records charged in all by now, $6 records
 * that it keeps, $7 account, $8 key.
 */
const DRAW = `
  WITH counted AS (
  UPDATE record_budget AS row
     SET (minute_start, minute_used, period_start, period_used, granted, reservations) = (
    SELECT greatest(minute_start, this_minute), ${windowOf('minute', 'this_minute')} + drawn,
           greatest(period_start, this_period), ${windowOf('period', 'this_period')} + drawn, drawn,
           CASE WHEN own IS NULL THEN reservations
                WHEN rest.records > charged + drawn
                THEN jsonb_set(reservations, ARRAY[$4], jsonb_build_array(rest.records, charged + drawn, own->2))
                ELSE reservations - $4 END
      FROM (SELECT date_trunc('minute', ${NOW}, 'UTC') AS this_minute, date_trunc($2, ${NOW}, 'UTC') AS this_period,
                   row.reservations->$4 AS own, (row.reservations->$4->>0)::int AS records,
                   (row.reservations->$4->>1)::int AS charged) AS before,
           LATERAL (SELECT CASE WHEN (own->>2)::timestamptz > ${NOW}
                                THEN greatest(0, least($5::int, records) - charged) ELSE 0 END AS drawn) AS drawing,
           LATERAL (SELECT least(records, $6::int) AS records) AS rest)
    FROM set_config('synchronous_commit', 'off', true)
   WHERE caller = $1 AND period = $2
  RETURNING ${COUNTS}, granted
  ), used AS (${noteUsage(`
  SELECT $7::uuid, $8::uuid, (now AT TIME ZONE 'UTC')::date, granted FROM counted
   WHERE $7::uuid IS NOT NULL AND granted > 0`)}
  )
  SELECT * FROM counted`;

// The same counts without a charge, also for a caller without a row.
const READ = `
  SELECT greatest(now, minute_start) AS now, $2 AS period, ${held("coalesce(reservations, '{}')")} AS reserved,
         ${windowOf('minute', `date_trunc('minute', now, 'UTC')`)} AS "minuteUsed",
         ${windowOf('period', `date_trunc($2, now, 'UTC')`)} AS "periodUsed"
    FROM ${NOW} AS now LEFT JOIN record_budget ON caller = $1 AND period = $2`;

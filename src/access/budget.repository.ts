import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import {
  BudgetClock,
  BudgetStore,
  type Charge,
  gatherCharges,
  type Grant,
  type Reservation,
  RESERVATION_SECONDS,
  type RowCharge,
  shareOut,
} from './budget-store.js';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import type { Caller } from './caller.js';

/** Parameters are arrays, so the statement has one text. A larger batch would delay the next one. */
const MAX_BATCH = 200;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Batches items into statements: items that arrive while one runs go together into the next. There is no timer, so a
 * single item runs at once. Results are in the order of the items.
 */
export class StatementBatch<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private isRunning = false;

  /** @param runTogether the statement; returns a result for each item, in their order */
  constructor(private readonly runTogether: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.runWaiting();
    });
  }

  private async runWaiting(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) await this.runBatch(this.waiting.splice(0, MAX_BATCH));
    this.isRunning = false;
  }

  private async runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runTogether(batch.map(({ item }) => item));
      for (const [place, { resolve, reject }] of batch.entries()) {
        const result = results[place];
        if (result === undefined) reject(new Error('a batch has a result for each item'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** `end` charges instead of a reservation, `draw` charges part of it, `close` also releases the rest. */
interface Operation {
  readonly what: 'charge' | 'begin' | 'end' | 'draw' | 'close';
  readonly reservation?: string;
  readonly seconds?: number;
}

/** Retention of accounts' usage. */
const USAGE_MONTHS = 25;

/** Budgets in PostgreSQL: every window of every caller. */
@Injectable()
export class BudgetRepository extends BudgetStore {
  private readonly charges = new StatementBatch<Charge, Grant>((charges) => this.count(charges));

  constructor(
    private readonly database: Database,
    private readonly clock: BudgetClock,
  ) {
    super();
  }

  /** Batched with other charges. If the connection is lost, it is unknown whether the charge was made. */
  charge(caller: Caller, records: number): Promise<Grant> {
    return this.charges.run({ caller, records });
  }

  async reserve(caller: Caller, records: number, seconds = RESERVATION_SECONDS): Promise<Reservation> {
    const id = randomUUID();
    const grant = await this.countOne({ caller, records }, { what: 'begin', reservation: id, seconds });
    const settle = (used: number) =>
      this.countOne({ caller, records: used }, { what: 'end', reservation: id });
    return { ...grant, id, settle };
  }

  draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Grant> {
    return this.countOne({ caller, records: total }, { what: isLast ? 'close' : 'draw', reservation });
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

  private async countOne(charge: Charge, operation: Operation): Promise<Grant> {
    const [grant] = await this.count([charge], operation);
    if (!grant) throw new Error('an upsert always has a row');
    return grant;
  }

  private async count(
    charges: readonly Charge[],
    operation: Operation = { what: 'charge' },
  ): Promise<Grant[]> {
    const grants: Grant[] = [];
    for (const rows of gatherCharges(charges)) {
      const found = await this.countRows(rows, operation);
      for (const { caller, period, parts } of rows) {
        const grant = found.find((row) => row.caller === caller && row.period === period);
        if (!grant) throw new Error('an upsert always has a row');
        for (const [place, shared] of shareOut(grant, parts)) grants[place] = shared;
      }
    }
    return grants;
  }

  private countRows(
    rows: readonly RowCharge[],
    { what, reservation = '', seconds = 0 }: Operation,
  ): Promise<(Grant & { caller: string })[]> {
    const values = [
      ...[rows.map(({ caller }) => caller), rows.map(({ period }) => period), this.clock.at],
      ...[rows.map(({ perMinute }) => perMinute), rows.map(({ perPeriod }) => perPeriod)],
      rows.map(({ parts }) => parts.reduce((sum, { records }) => sum + records, 0)),
      ...[what, reservation, seconds],
      ...[rows.map(({ account }) => account), rows.map(({ key }) => key)],
    ];
    return this.database.prepared({ name: 'budget_count', text: COUNT, values });
  }
}

const NOW = 'coalesce($3::timestamptz, now())';
const windowOf = (window: string, now: string) =>
  `CASE WHEN ${window}_start >= ${now} THEN ${window}_used ELSE 0 END`;
/** Records of unexpired reservations without those already charged. Each is [records, charged, end]. */
const held = (reservations: string, but: string) => `
  CASE WHEN ${reservations} = '{}' THEN 0 ELSE (
    SELECT coalesce(sum((one->>0)::int - (one->>1)::int), 0)::int FROM jsonb_each(${reservations}) AS every (id, one)
     WHERE (one->>2)::timestamptz > ${NOW} AND id <> ${but}) END`;

/**
 * The next state of a row. `granted` is the smaller of the records wanted and those left in the tightest window; a draw
 * is counted in every window already. Ended reservations count nothing; the next reservation removes them.
 */
const next = (known: string) => `
  SELECT minute_start, minute_used + charged, period_start, period_used + charged, granted,
         CASE $7 WHEN 'charge' THEN reservations
                 WHEN 'begin' THEN (SELECT coalesce(jsonb_object_agg(id, one), '{}')
                                      FROM jsonb_each(reservations) AS every (id, one)
                                     WHERE (one->>2)::timestamptz > ${NOW})
                                || jsonb_build_object(
                                     $8, jsonb_build_array(granted, 0, ${NOW} + $9 * interval '1 second'))
                 WHEN 'draw' THEN CASE WHEN own IS NULL THEN reservations ELSE
                   jsonb_set(reservations, ARRAY[$8, '1'], to_jsonb((own->>1)::int + granted)) END
                 ELSE reservations - $8 END AS reservations
    FROM (
      -- After the clock steps back, the current window goes on.
      SELECT greatest(minute_start, this_minute) AS minute_start, ${windowOf('minute', 'this_minute')} AS minute_used,
             greatest(period_start, this_period) AS period_start, ${windowOf('period', 'this_period')} AS period_used,
             reservations, reservations->$8 AS own, ${held('reservations', '$8')} AS held
        FROM ${known},
             LATERAL (SELECT date_trunc('minute', ${NOW}, 'UTC') AS this_minute,
                             date_trunc(wish.period, ${NOW}, 'UTC') AS this_period) AS moment
    ) AS before,
    LATERAL (SELECT CASE WHEN $7 NOT IN ('draw', 'close')
                         THEN greatest(0, least(records, per_minute - minute_used - held,
                                                per_period - period_used - held))
                         WHEN (own->>2)::timestamptz > ${NOW}
                         THEN greatest(0, least(records, (own->>0)::int) - (own->>1)::int)
                         ELSE 0 END AS granted) AS granting,
    LATERAL (SELECT CASE $7 WHEN 'begin' THEN 0 ELSE granted END AS charged) AS charging`;

const EMPTY = `'-infinity'::timestamptz AS minute_start, 0 AS minute_used,
               '-infinity'::timestamptz AS period_start, 0 AS period_used, '{}'::jsonb AS reservations`;
const CURRENT = 'row.minute_start, row.minute_used, row.period_start, row.period_used, row.reservations';

/**
 * One statement, serialised by the lock of the caller's row, so that all instances together never grant more than a
 * window has. Without waiting for the disk (0.06 ms instead of 0.40): a server crash may lose the last second of
 * counts.
 *
 * $1 callers, $2 longer periods, $3 moment or null, $4 limits of the minute, $5 limits of the period, $6 records,
 * $7 operation, $8 its reservation, $9 its seconds, $10 accounts, $11 keys. Usage is written in the same statement, so
 * that its sum equals what the budgets charged, also after a kill.
 */
const COUNT = `
  WITH wish AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $4::int[], $5::int[], $6::int[], $10::uuid[], $11::uuid[])
                  AS wish (caller, period, per_minute, per_period, records, account, key)
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
  RETURNING caller, greatest(${NOW}, minute_start) AS now, minute_used AS "minuteUsed", period,
            period_used AS "periodUsed", ${held('reservations', "''")} AS reserved, granted
  ), used AS (
  INSERT INTO usage_day AS known (account_id, key_id, day, records)
  SELECT account, key, (now AT TIME ZONE 'UTC')::date AS day, sum(granted)
    FROM counted JOIN wish USING (caller, period)
   WHERE account IS NOT NULL AND granted > 0 AND $7 <> 'begin'
   GROUP BY account, key, day
   ORDER BY account, key
  ON CONFLICT (account_id, key_id, day) DO UPDATE SET records = known.records + excluded.records
  )
  SELECT * FROM counted`;

// The same counts without a charge, also for a caller without a row.
const READ = `
  SELECT greatest(now, minute_start) AS now, $2 AS period, ${held("coalesce(reservations, '{}')", "''")} AS reserved,
         ${windowOf('minute', `date_trunc('minute', now, 'UTC')`)} AS "minuteUsed",
         ${windowOf('period', `date_trunc($2, now, 'UTC')`)} AS "periodUsed"
    FROM ${NOW} AS now LEFT JOIN record_budget ON caller = $1 AND period = $2`;

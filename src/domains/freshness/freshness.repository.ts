import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { DAYS_COMPARED } from '../truth/truth-windows.js';
import type { RecheckDay } from '../truth/recheck-change.js';
import type { OfferedName } from '../lifecycle/lifecycle.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { EARLY_MINUTES, type EarlyEvidence } from './early-rates.js';
import type { Threshold } from './next-ask.js';
import { AGE_BUCKETS, cellOf, type EvidenceShare, RATE_CELLS, startOfBucket } from './rate-table.js';

export interface ScheduledName extends OfferedName {
  readonly domain: string;
  readonly nextCheckAt: Date;
}

export interface MovedMoment {
  readonly domain: string;
  /** What it was when it was read. */
  readonly from: Date;
  readonly to: Date;
}

type Row = { domain: string; ask_at: Date; checked_at: Date; dropped_at: Date | null; wayback: number };

const COLUMNS = 'recheck.domain, recheck.ask_at, recheck.checked_at, domain.dropped_at, domain.wayback';

/** What our own answers say of each cell (see cellOf); those of long ago count less. */
export interface Evidence {
  readonly exposureDays: Float64Array<ArrayBuffer>;
  readonly taken: Float64Array<ArrayBuffer>;
  /** When the last answer came in; null before the first. */
  readonly observedAt: Date | null;
}

interface Cell {
  readonly ageFrom: number;
  readonly scoreFrom: number;
}

/** Takers change their ways: after so long an answer counts half. */
const HALF_LIFE_SECONDS = 180 * 86_400;

const CELLS: readonly Cell[] = SCORE_BANDS.flatMap(({ from }) =>
  Array.from({ length: AGE_BUCKETS }, (_, bucket) => ({ ageFrom: startOfBucket(bucket), scoreFrom: from })),
);
const EARLY_CELLS_LIMITS: readonly Cell[] = SCORE_BANDS.flatMap(({ from }) =>
  EARLY_MINUTES.map((minutes) => ({ ageFrom: minutes, scoreFrom: from })),
);
const EARLY_PLACES = new Map(EARLY_CELLS_LIMITS.map((cell, place) => [keyOf(cell), place]));
const PLACES = new Map(CELLS.map((cell, place) => [keyOf(cell), place]));

/** All SQL on when names on offer are asked about, the threshold that they follow, and how fast names are taken. */
@Injectable()
export class FreshnessRepository {
  constructor(private readonly database: Database) {}

  /** When the name is or was due that is due first; null when none is on offer. */
  async findFirstMoment(): Promise<Date | null> {
    const [row] = await this.database.query<{ ask_at: Date }>(
      'SELECT ask_at FROM recheck WHERE offered ORDER BY ask_at LIMIT 1',
    );
    return row?.ask_at ?? null;
  }

  /** Names that are due, the earliest first. */
  async listDue(now: Date, limit: number): Promise<ScheduledName[]> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS}
         FROM (SELECT * FROM recheck WHERE offered AND ask_at <= $1 ORDER BY ask_at LIMIT $2) AS recheck
         JOIN domain USING (domain)
        ORDER BY recheck.ask_at`,
      [now, limit],
    );
    return rows.map(toScheduledName);
  }

  /**
   * Those behind `after` in the order of the alphabet, and where the next ones begin. Names that the registry gave
   * no answer for are left out: they wait for another reason.
   */
  async listBehind(after: string, limit: number): Promise<{ names: ScheduledName[]; last: string | null }> {
    const rows = await this.database.query<Row & { is_failing: boolean }>(
      `SELECT ${COLUMNS}, EXISTS (SELECT FROM question_failure WHERE domain = recheck.domain) AS is_failing
         FROM (SELECT * FROM recheck WHERE offered AND domain > $1 ORDER BY domain LIMIT $2) AS recheck
         JOIN domain USING (domain)
        ORDER BY recheck.domain`,
      [after, limit],
    );
    return {
      names: rows.filter((row) => !row.is_failing).map(toScheduledName),
      last: rows.length < limit ? null : (rows.at(-1)?.domain ?? null),
    };
  }

  /** Moves times, except where an answer has moved one since it was read. */
  async move(moments: readonly MovedMoment[]): Promise<void> {
    if (moments.length === 0) return;
    await this.database.transaction(async (transaction) => {
      // To the millisecond, which is as far as a Date goes.
      await transaction.query(
        `UPDATE recheck SET ask_at = moved.ask_at
           FROM (SELECT recheck.domain, moment.ask_at
                   FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS moment (domain, before, ask_at)
                   JOIN recheck ON recheck.domain = moment.domain
                     AND date_trunc('milliseconds', recheck.ask_at) = moment.before
                  ORDER BY recheck.domain FOR UPDATE OF recheck SKIP LOCKED) AS moved
          WHERE recheck.domain = moved.domain`,
        [moments.map(({ domain }) => domain), moments.map(({ from }) => from), moments.map(({ to }) => to)],
      );
    });
  }

  /** Null before the first adjustment. */
  async readThreshold(): Promise<(Threshold & { readonly adjustedAt: Date }) | null> {
    const [row] = await this.database.query<{ steady: number; current: number; adjusted_at: Date }>(
      'SELECT steady, current, adjusted_at FROM freshness_threshold',
    );
    return row ? { steady: row.steady, current: row.current, adjustedAt: row.adjusted_at } : null;
  }

  async saveThreshold({ steady, current }: Threshold, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO freshness_threshold (steady, current, adjusted_at) VALUES ($1, $2, $3)
         ON CONFLICT (singleton) DO UPDATE
           SET steady = excluded.steady, current = excluded.current, adjusted_at = excluded.adjusted_at`,
        [steady, current, at],
      );
    });
  }

  async addEvidence(shares: readonly EvidenceShare[], at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO taken_rate AS known (age_from, score_from, exposure_days, taken, observed_at)
         SELECT age_from, score_from, exposure_days, taken, $5
           FROM unnest($1::int[], $2::int[], $3::float8[], $4::float8[])
             AS share (age_from, score_from, exposure_days, taken)
          ORDER BY age_from, score_from
         ON CONFLICT (age_from, score_from) DO UPDATE
           SET ${ADDED}`,
        [
          shares.map(({ cell }) => CELLS[cell]?.ageFrom),
          shares.map(({ cell }) => CELLS[cell]?.scoreFrom),
          shares.map(({ exposureDays }) => exposureDays),
          shares.map(({ taken }) => taken),
          at,
        ],
      );
    });
  }

  /** The same for the first two days, by minutes. */
  async addEarlyEvidence(suffix: string, shares: readonly EvidenceShare[], at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO early_taken_rate AS known (age_from_minutes, score_from, suffix, exposure_days, taken, observed_at)
         SELECT age_from_minutes, score_from, $1, exposure_days, taken, $6
           FROM unnest($2::int[], $3::int[], $4::float8[], $5::float8[])
             AS share (age_from_minutes, score_from, exposure_days, taken)
          ORDER BY age_from_minutes, score_from
         ON CONFLICT (age_from_minutes, score_from, suffix) DO UPDATE SET ${ADDED}`,
        [
          suffix,
          shares.map(({ cell }) => EARLY_CELLS_LIMITS[cell]?.ageFrom),
          shares.map(({ cell }) => EARLY_CELLS_LIMITS[cell]?.scoreFrom),
          shares.map(({ exposureDays }) => exposureDays),
          shares.map(({ taken }) => taken),
          at,
        ],
      );
    });
  }

  /** @param expected the chance that it was taken, as it was believed */
  async addRecheck(isTaken: boolean, expected: number, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `WITH gone AS (DELETE FROM recheck_hour WHERE hour < $3::timestamptz - make_interval(days => $4))
         INSERT INTO recheck_hour AS known (hour, asked, taken, expected_taken)
         VALUES (date_trunc('hour', $3::timestamptz, 'UTC'), 1, $1::boolean::int, $2)
         ON CONFLICT (hour) DO UPDATE
           SET asked = known.asked + 1, taken = known.taken + excluded.taken,
               expected_taken = known.expected_taken + excluded.expected_taken`,
        [isTaken, expected, at, DAYS_COMPARED + 1],
      );
    });
  }

  /** Re-checks of names on offer, by the day before now. */
  countRechecks(now: Date): Promise<RecheckDay[]> {
    return this.database.query<RecheckDay & Record<string, unknown>>(
      `SELECT floor(extract(epoch FROM $1::timestamptz - hour) / 86400)::int AS day, sum(asked)::int AS asked,
              sum(taken)::int AS taken, sum(expected_taken) AS expected
         FROM recheck_hour WHERE hour <= $1 AND hour > $1::timestamptz - make_interval(days => $2)
        GROUP BY day ORDER BY day`,
      [now, DAYS_COMPARED],
    );
  }

  async readEarlyEvidence(): Promise<EarlyEvidence[]> {
    const rows = await this.database.query<{
      age_from_minutes: number;
      score_from: number;
      suffix: string;
      exposure_days: number;
      taken: number;
    }>('SELECT age_from_minutes, score_from, suffix, exposure_days, taken FROM early_taken_rate');
    return rows.flatMap((row) => {
      const cell = EARLY_PLACES.get(keyOf({ ageFrom: row.age_from_minutes, scoreFrom: row.score_from }));
      const { suffix, exposure_days: exposureDays, taken } = row;
      return cell === undefined ? [] : [{ suffix, cell, exposureDays, taken }];
    });
  }

  async readEvidence(): Promise<Evidence> {
    const rows = await this.database.query<{
      age_from: number;
      score_from: number;
      exposure_days: number;
      taken: number;
      observed_at: Date;
    }>('SELECT age_from, score_from, exposure_days, taken, observed_at FROM taken_rate');
    const [exposureDays, taken] = [new Float64Array(RATE_CELLS), new Float64Array(RATE_CELLS)];
    let observedAt: Date | null = null;
    for (const row of rows) {
      // Rows of a table that was cut otherwise in an earlier release are left alone.
      const cell = PLACES.get(keyOf({ ageFrom: row.age_from, scoreFrom: row.score_from }));
      if (cell === undefined) continue;
      exposureDays[cell] = row.exposure_days;
      taken[cell] = row.taken;
      if (observedAt === null || row.observed_at > observedAt) observedAt = row.observed_at;
    }
    return { exposureDays, taken, observedAt };
  }
}

function toScheduledName(row: Row): ScheduledName {
  return {
    domain: row.domain,
    nextCheckAt: row.ask_at,
    checkedAt: row.checked_at,
    droppedAt: row.dropped_at,
    wayback: row.wayback,
  };
}

// The remaining evidence of the row; a late answer takes nothing away.
const LEFT = `power(0.5,
  greatest(0, extract(epoch FROM excluded.observed_at - known.observed_at)::float8) / ${HALF_LIFE_SECONDS})`;

const ADDED = `exposure_days = known.exposure_days * ${LEFT} + excluded.exposure_days,
               taken = known.taken * ${LEFT} + excluded.taken,
               observed_at = greatest(known.observed_at, excluded.observed_at)`;

function keyOf({ ageFrom, scoreFrom }: Cell): string {
  return `${ageFrom}/${scoreFrom}`;
}

/** The first score and the first day of a cell, as the table has it. */
export function limitsOf(ageBucket: number, band: number): Cell {
  return CELLS[cellOf(ageBucket, band)] ?? { ageFrom: 0, scoreFrom: 0 };
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import type { SampleOutcome, Stratum } from './sample-plan.js';
import { SUFFIXES } from '../schema/domain.js';
import { AGE_GROUPS, type AgeGroup, DAYS_COMPARED, PERIOD_HOURS, type PeriodCount } from './truth-windows.js';

/** How many offers of a stratum and a band had that outcome. */
export interface SampleCount {
  readonly stratum: Stratum;
  /** The least score of the band. */
  readonly scoreFrom: number;
  readonly outcome: SampleOutcome;
  readonly count: number;
}

/** Samples are kept for so many days: a little more than a year, to compare with. */
const DAYS_KEPT = 400;

@Injectable()
export class TruthSampleRepository {
  constructor(private readonly database: Database) {}

  async add(offer: DrawnOffer, stratum: Stratum, outcome: SampleOutcome, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO truth_sample (domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [offer.domain, stratum, offer.wayback, offer.droppedAt, offer.offeredSince, at, outcome],
      );
      await transaction.query(
        `DELETE FROM truth_sample WHERE asked_at < $1::timestamptz - make_interval(days => $2)`,
        [at, DAYS_KEPT],
      );
    });
  }

  async count(since: Date): Promise<SampleCount[]> {
    return this.database.query<SampleCount & Record<string, unknown>>(
      `SELECT stratum, outcome, count(*)::int AS count,
              (SELECT max(band) FROM unnest($2::int[]) AS band WHERE band <= wayback) AS "scoreFrom"
         FROM truth_sample
        WHERE asked_at >= $1
        GROUP BY stratum, outcome, "scoreFrom"`,
      [since, SCORE_BANDS.map(({ from }) => from)],
    );
  }

  /** The samples that windows and the comparison of the last day rest on. */
  async countByPeriod(now: Date): Promise<PeriodCount[]> {
    return this.database.query<PeriodCount & Record<string, unknown>>(
      `SELECT stratum, outcome, count(*)::int AS count,
              floor(extract(epoch FROM $1::timestamptz - asked_at) / ($2 * 3600))::int AS period,
              (SELECT max(age) FROM unnest($3::int[]) AS age
                -- A clock that was behind makes no age below the first.
                WHERE dropped_at IS NOT NULL
                  AND (age = 0 OR asked_at - dropped_at >= make_interval(days => age))) AS "ageFrom"
         FROM truth_sample
        WHERE asked_at > $1::timestamptz - make_interval(days => $4) AND asked_at <= $1
        GROUP BY stratum, outcome, period, "ageFrom"`,
      [now, PERIOD_HOURS, AGE_GROUPS.flatMap(({ from }) => from ?? []), DAYS_COMPARED],
    );
  }
}

/** An offer as it stands before the question. */
export interface DrawnOffer {
  readonly domain: string;
  readonly wayback: number;
  readonly droppedAt: Date | null;
  /** When the answer was given that the offer rests on. */
  readonly offeredSince: Date;
}

/** From 0 up to and without 1. Math.random; tests hand in their own. */
export type Random = () => number;

type Row = { domain: string; wayback: number; dropped_at: Date | null; checked_at: Date };

const COLUMNS = 'domain, wayback, dropped_at, checked_at';
const OFFERED = 'available AND NOT hidden';

/** A page of 8 kB has no more rows, however short they are (MaxHeapTuplesPerPage). */
const MAX_ROWS_A_PAGE = 291;
const PLACES_A_ROUND = 200;
const MAX_ROUNDS = 20;
/** An index has offers of up to so many days by their first day, except where the drop became known late. */
const YOUNG_DAYS = 7;

// The rank index alone is read, one run a suffix and the runs merged, and the one name that is drawn from the
// table. The order is asked of each run, so that they are merged and not gathered and sorted.
const IN_ORDER = 'ORDER BY wayback DESC, domain';
const RUNS = SUFFIXES.map(
  (suffix) =>
    `(SELECT wayback, domain FROM domain WHERE ${OFFERED} AND tld = '${suffix}' ${IN_ORDER} LIMIT $1)`,
);
const FROM_TOP = `
  SELECT domain.domain, domain.wayback, domain.dropped_at, domain.checked_at
    FROM (SELECT domain FROM (${RUNS.join(' UNION ALL ')}) AS top ${IN_ORDER}
          -- There may be fewer offers than ranks.
          OFFSET (SELECT floor($2::float8 * least($1::bigint, available_records))::bigint FROM dataset)
            LIMIT 1) AS drawn
    JOIN domain USING (domain)`;

const OF_AGE = `dropped_at <= $1::timestamptz - make_interval(days => $2)
  AND ($3::int IS NULL OR dropped_at > $1::timestamptz - make_interval(days => $3))`;
const YOUNG = `
  FROM domain WHERE ${OFFERED} AND ${OF_AGE}
   AND first_seen >= ($1::timestamptz AT TIME ZONE 'UTC')::date - $3::int - 1`;
const FROM_YOUNG = `
  SELECT ${COLUMNS} ${YOUNG} OFFSET (SELECT floor($4::float8 * count(*))::int ${YOUNG}) LIMIT 1`;

/** Draws offers by lot, each with the same chance. */
@Injectable()
export class OfferSampler {
  constructor(private readonly database: Database) {}

  async countOffers(): Promise<number> {
    const [row] = await this.database.query<{ offers: number }>(
      'SELECT available_records::float8 AS offers FROM dataset',
    );
    return row?.offers ?? 0;
  }

  /** One of all offers; null when there is none. */
  async drawFromAll(random: Random): Promise<DrawnOffer | null> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const drawn = await this.drawPlaces(random);
      if (drawn) return drawn;
    }
    return this.drawByCount(random);
  }

  /** One of the offers of the first ranks, by score. */
  async drawFromTop(ranks: number, random: Random): Promise<DrawnOffer | null> {
    const [row] = await this.database.query<Row>(FROM_TOP, [ranks, random()]);
    return row ? toDrawnOffer(row) : null;
  }

  /** One of the offers of that age; null when there is none, or they are a few among many others. */
  async drawFromAge(group: AgeGroup, now: Date, random: Random): Promise<DrawnOffer | null> {
    const dropped = [now, group.from, group.to];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const drawn = await this.drawPlaces(random, `AND ${OF_AGE}`, dropped);
      if (drawn) return drawn;
    }
    if (group.to === null || group.to > YOUNG_DAYS) return null;
    const [row] = await this.database.query<Row>(FROM_YOUNG, [...dropped, random()]);
    return row ? toDrawnOffer(row) : null;
  }

  /** The offer of that name; null when it is not offered any more. */
  async find(domain: string): Promise<DrawnOffer | null> {
    const [row] = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM domain WHERE domain = $1 AND ${OFFERED}`,
      [domain],
    );
    return row ? toDrawnOffer(row) : null;
  }

  /**
   * Some places of the table by lot, and the offer in the first of them that holds one. Most hold none, so each
   * offer is as likely as the other, however full its page is. TABLESAMPLE would take whole pages, or read the
   * whole table.
   */
  private async drawPlaces(
    random: Random,
    condition = '',
    values: readonly unknown[] = [],
  ): Promise<DrawnOffer | null> {
    const [size] = await this.database.query<{ pages: number }>(
      `SELECT (pg_relation_size('domain') / current_setting('block_size')::int)::int AS pages`,
    );
    const pages = size?.pages ?? 0;
    if (pages === 0) return null;
    const places = Array.from(
      { length: PLACES_A_ROUND },
      () => `(${Math.floor(random() * pages)},${1 + Math.floor(random() * MAX_ROWS_A_PAGE)})`,
    );
    const rows = await this.database.query<Row & { place: string }>(
      `SELECT ${COLUMNS}, ctid::text AS place FROM domain
        WHERE ctid = ANY ($${values.length + 1}::tid[]) AND ${OFFERED} ${condition}`,
      [...values, places],
    );
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    const first = places.find((place) => byPlace.has(place));
    const row = first === undefined ? undefined : byPlace.get(first);
    return row ? toDrawnOffer(row) : null;
  }

  /** Where offers are few among many other names: counted, and one of them taken. */
  private async drawByCount(random: Random): Promise<DrawnOffer | null> {
    const [row] = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM domain WHERE ${OFFERED}
       OFFSET (SELECT floor($1::float8 * count(*))::int FROM domain WHERE ${OFFERED}) LIMIT 1`,
      [random()],
    );
    return row ? toDrawnOffer(row) : null;
  }
}

function toDrawnOffer(row: Row): DrawnOffer {
  return {
    domain: row.domain,
    wayback: row.wayback,
    droppedAt: row.dropped_at,
    offeredSince: row.checked_at,
  };
}

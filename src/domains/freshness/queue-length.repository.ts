import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { FRESH_MS } from './next-turn.js';

/** `at_least`: more wait than are counted, and PostgreSQL's statistics know of no more. */
export const LENGTH_PRECISIONS = ['exact', 'estimated', 'at_least'] as const;
export type LengthPrecision = (typeof LENGTH_PRECISIONS)[number];

export interface QueueLength {
  readonly waiting: number;
  readonly precision: LengthPrecision;
  /** Since when the first of them has waited; null when none waits, or unknown. */
  readonly oldest: Date | null;
}

/** `older`: purged before FRESH_MS. */
export const MEASURED_QUEUES = ['drops', 'older', 'unconfirmed', 'retry', 'recheck'] as const;
export type MeasuredQueue = (typeof MEASURED_QUEUES)[number];

export interface MeasuredQueues {
  readonly lengths: Readonly<Record<MeasuredQueue, QueueLength>>;
  /** Of the names that wait as drops. */
  readonly newestPurge: Date | null;
  /** Names that are listed for the next day's purge, or wait since the last one. */
  readonly dropsPerDay: number;
  /** Whether answers are not written, or the registry is left alone after failures. */
  readonly isStopped: boolean;
}

/** More are estimated: a count would take longer than a page of figures may. */
export const MAX_COUNTED = 100_000;
const ESTIMATED_DIGITS = 3;
/** Names of one purge; more drop in a day only after a mistaken list. */
const MAX_DROPS = 20_000;

interface CountRow extends Record<string, unknown> {
  queue: MeasuredQueue;
  waiting: number;
  oldest: Date | null;
}
interface DayRow extends Record<string, unknown> {
  newest: Date | null;
  ahead: number;
  behind: number;
  stopped: boolean;
}

/** All SQL on how long the registry's queues are. */
@Injectable()
export class QueueLengthRepository {
  constructor(private readonly database: Database) {}

  /** @param limit more are not counted in one queue; their number is then estimated */
  async measure(now: Date, limit = MAX_COUNTED): Promise<MeasuredQueues> {
    const fresh = new Date(now.getTime() - FRESH_MS);
    const rows = await this.database.query<CountRow>(COUNTS, [now, fresh, limit + 1]);
    const lengths: Partial<Record<MeasuredQueue, QueueLength>> = {};
    for (const queue of MEASURED_QUEUES)
      lengths[queue] = await this.lengthOf(
        queue,
        rows.find((row) => row.queue === queue),
        { now, fresh, limit },
      );
    const [day] = await this.database.query<DayRow>(DAY, [now, fresh, MAX_DROPS]);
    if (!day) throw new Error('a row of figures is missing');
    return {
      lengths: lengths as Record<MeasuredQueue, QueueLength>,
      newestPurge: day.newest,
      dropsPerDay: Math.max(day.ahead, day.behind),
      isStopped: day.stopped,
    };
  }

  private async lengthOf(
    queue: MeasuredQueue,
    row: CountRow | undefined,
    { now, fresh, limit }: { now: Date; fresh: Date; limit: number },
  ): Promise<QueueLength> {
    const { waiting, oldest } = row ?? { waiting: 0, oldest: null };
    if (waiting <= limit) return { waiting, precision: 'exact', oldest };
    const estimate = await this.estimate(queue, now, fresh);
    // Statistics from before an import know less than was counted.
    return estimate > limit
      ? { waiting: Number(estimate.toPrecision(ESTIMATED_DIGITS)), precision: 'estimated', oldest }
      : { waiting: limit, precision: 'at_least', oldest };
  }

  private async estimate(queue: MeasuredQueue, now: Date, fresh: Date): Promise<number> {
    const { from, at } = QUEUES[queue];
    const values = { $1: now, $2: fresh };
    const [row] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `EXPLAIN (FORMAT JSON) SELECT FROM ${at === null ? from : from.replaceAll(at, '$1')}`,
      at === null ? [] : [values[at]],
    );
    return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  }
}

interface QueueSql {
  readonly from: string;
  /** What an index has, beside it; PostgreSQL's estimate would take it for another condition. */
  readonly byIndex?: string;
  /** The time that it depends on: $1 now, $2 since when a purge counts as the day's. */
  readonly at: '$1' | '$2' | null;
  readonly since: string;
  /** Where an index has them in that order. */
  readonly isOrdered?: true;
}

const PURGE_DAY = "(purge_at AT TIME ZONE 'UTC')::date";
const FRESH_DAY = "($2::timestamptz AT TIME ZONE 'UTC')::date";
const PURGED = "domain WHERE state = 'purged' AND ask_at IS NULL";
const QUEUES: Readonly<Record<MeasuredQueue, QueueSql>> = {
  // A name on a late list waits since it was listed.
  drops: {
    from: `${PURGED} AND purge_at > $2::timestamptz`,
    byIndex: `AND ${PURGE_DAY} >= ${FRESH_DAY}`,
    at: '$2',
    since: 'greatest(purge_at, listed_at)',
  },
  older: {
    from: `${PURGED} AND purge_at <= $2::timestamptz`,
    byIndex: `AND ${PURGE_DAY} <= ${FRESH_DAY}`,
    at: '$2',
    since: 'purge_at',
  },
  unconfirmed: {
    from: "domain WHERE state = 'unconfirmed' AND ask_at IS NULL",
    at: null,
    since: 'listed_at',
  },
  retry: {
    from: 'domain WHERE ask_at IS NOT NULL AND NOT available AND ask_at <= $1::timestamptz',
    at: '$1',
    since: 'ask_at',
    isOrdered: true,
  },
  recheck: {
    from: 'recheck WHERE offered AND ask_at <= $1::timestamptz',
    at: '$1',
    since: 'ask_at',
    isOrdered: true,
  },
};

const COUNTS = MEASURED_QUEUES.map((queue) => {
  const { from, byIndex = '', since, isOrdered } = QUEUES[queue];
  const order = isOrdered ? `ORDER BY ${since}` : '';
  return `
  SELECT '${queue}' AS queue, count(*)::int AS waiting, min(since) AS oldest
    FROM (SELECT ${since} AS since FROM ${from} ${byIndex} ${order} LIMIT $3) AS names`;
}).join(' UNION ALL ');

const DROPS = `${QUEUES.drops.from} ${QUEUES.drops.byIndex ?? ''}`;
const DAY = `
  SELECT (SELECT max(purge_at) FROM ${DROPS}) AS newest,
         (SELECT count(*) FROM (SELECT FROM domain
           WHERE state = 'listed' AND purge_at <= $1::timestamptz + interval '1 day' LIMIT $3) AS ahead)::int AS ahead,
         (SELECT count(*) FROM (SELECT FROM ${DROPS} AND purge_at > $1::timestamptz - interval '1 day'
           LIMIT $3) AS behind)::int AS behind,
         EXISTS (SELECT FROM lifecycle_guard WHERE writes_stopped_at IS NOT NULL)
           OR (SELECT coalesce(bool_and(open_until > $1), false) FROM registry_health
                WHERE source <> 'availability_service') AS stopped`;

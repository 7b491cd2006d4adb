import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { Question } from '../lifecycle/question-queue.repository.js';
import { SUFFIXES } from '../schema/domain.js';
import { EARLY_DAYS } from './early-rates.js';

interface Head {
  readonly domain: string;
  readonly at: Date;
}

/** The first name of each queue but those of offers. */
export interface QueueHeads {
  /** With the time at which it is due. */
  readonly retry: Head | null;
  /** Of the newest purge day, the best score; with its purge. */
  readonly newest: Head | null;
  readonly backlog: Question | null;
  /** Not offered for want of an answer. */
  readonly stale: string | null;
}

export interface PlannedOffer {
  readonly domain: string;
  readonly suffix: string;
  readonly wayback: number;
  /** Its purge, where a list gave it. */
  readonly droppedAt: Date | null;
  readonly checkedAt: Date;
  /** Whether it is one of the first that are shown. */
  readonly isTop: boolean;
}

/** Young offers that a plan looks at; more drop in two days only after a mistaken list. */
const MAX_YOUNG = 20_000;

type HeadRow = {
  retry: string | null;
  retry_at: Date | null;
  newest: string | null;
  purge_at: Date | null;
  purged: string | null;
  unconfirmed: string | null;
  stale: string | null;
};
type OfferRow = {
  domain: string;
  tld: string;
  wayback: number;
  dropped: Date | null;
  checked_at: Date;
  is_top: boolean;
};

/** All SQL that the choice of the next question reads. */
@Injectable()
export class TurnQueueRepository {
  constructor(private readonly database: Database) {}

  /** Null while the guard has stopped the writing of answers. */
  async readHeads(now: Date): Promise<QueueHeads | null> {
    const [row] = await this.database.query<HeadRow>(HEADS, [now]);
    if (!row) return null;
    const confirmation =
      row.purged === null ? null : ({ domain: row.purged, reason: 'confirmation' } as const);
    const unconfirmed =
      row.unconfirmed === null ? null : ({ domain: row.unconfirmed, reason: 'unconfirmed' } as const);
    return {
      retry: headOf(row.retry, row.retry_at),
      newest: headOf(row.newest, row.purge_at),
      backlog: confirmation ?? unconfirmed,
      stale: row.stale,
    };
  }

  /** Offers of the last two days, and those of the first ranks; none whose question was postponed. */
  async listPlannable(now: Date, ranks: number): Promise<PlannedOffer[]> {
    const rows = await this.database.query<OfferRow>(PLANNABLE, [now, EARLY_DAYS + 1, MAX_YOUNG, ranks]);
    return rows.map(toPlannedOffer);
  }

  /** Names on offer, the earliest question first. */
  async listFirstRechecks(
    now: Date,
    limit: number,
  ): Promise<(PlannedOffer & { readonly nextCheckAt: Date })[]> {
    const rows = await this.database.query<OfferRow & { ask_at: Date }>(FIRST_RECHECKS, [now, limit]);
    return rows.map((row) => ({ ...toPlannedOffer(row), nextCheckAt: row.ask_at }));
  }
}

function headOf(domain: string | null, at: Date | null): Head | null {
  return domain === null || at === null ? null : { domain, at };
}

function toPlannedOffer(row: OfferRow): PlannedOffer {
  return {
    domain: row.domain,
    suffix: row.tld,
    wayback: row.wayback,
    droppedAt: row.dropped,
    checkedAt: row.checked_at,
    isTop: row.is_top,
  };
}

// Each part reads the first entry of one index.
const HEADS = `
  SELECT retry.domain AS retry, retry.ask_at AS retry_at, newest.domain AS newest, newest.purge_at,
         (SELECT domain FROM domain WHERE state = 'purged' AND ask_at IS NULL
           ORDER BY wayback DESC, domain LIMIT 1) AS purged,
         (SELECT domain FROM domain WHERE state = 'unconfirmed' AND ask_at IS NULL
           ORDER BY wayback DESC, domain LIMIT 1) AS unconfirmed,
         (SELECT domain FROM recheck WHERE NOT offered AND ask_at <= $1 ORDER BY ask_at LIMIT 1) AS stale
    FROM (SELECT WHERE NOT EXISTS (SELECT FROM lifecycle_guard WHERE writes_stopped_at IS NOT NULL)) AS unguarded
    LEFT JOIN (SELECT domain, ask_at FROM domain
                WHERE ask_at IS NOT NULL AND NOT available AND ask_at <= $1 ORDER BY ask_at LIMIT 1) AS retry ON true
    LEFT JOIN (SELECT domain, purge_at FROM domain WHERE state = 'purged' AND ask_at IS NULL
                ORDER BY (purge_at AT TIME ZONE 'UTC')::date DESC, wayback DESC, domain LIMIT 1) AS newest ON true`;

const COLUMNS = 'domain, tld, wayback, coalesce(purge_at, dropped_at) AS dropped, checked_at';
const OFFERED = 'available AND NOT hidden';
const TOP_RUNS = SUFFIXES.map(
  (suffix) =>
    `(SELECT ${COLUMNS} FROM domain WHERE ${OFFERED} AND tld = '${suffix}' ORDER BY wayback DESC, domain LIMIT $4)`,
);
// A name that was left without an answer waits until its next time.
const isPostponed = (row: string) => `
  EXISTS (SELECT FROM question_failure JOIN recheck AS failed USING (domain)
           WHERE question_failure.domain = ${row}.domain AND failed.ask_at > $1)`;
const PLANNABLE = `
  WITH top AS MATERIALIZED (
    SELECT * FROM (${TOP_RUNS.join(' UNION ALL ')}) AS runs ORDER BY wayback DESC, domain LIMIT $4
  ), young AS MATERIALIZED (
    SELECT ${COLUMNS} FROM domain
     WHERE ${OFFERED} AND first_seen >= ($1::timestamptz AT TIME ZONE 'UTC')::date - $2::int LIMIT $3
  )
  SELECT offer.*
    FROM (SELECT *, true AS is_top FROM top
           UNION ALL
          SELECT *, false FROM young WHERE NOT EXISTS (SELECT FROM top WHERE top.domain = young.domain)) AS offer
   WHERE NOT ${isPostponed('offer')}`;

const FIRST_RECHECKS = `
  SELECT first.domain, domain.tld, domain.wayback, coalesce(domain.purge_at, domain.dropped_at) AS dropped,
         first.checked_at, first.ask_at, false AS is_top
    FROM (SELECT domain, checked_at, ask_at FROM recheck WHERE offered ORDER BY ask_at LIMIT $2) AS first
    JOIN domain USING (domain)
   WHERE NOT ${isPostponed('first')}`;

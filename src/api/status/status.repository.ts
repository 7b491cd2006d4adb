import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { MAX_COUNTED, type QueueLength } from '../../domains/freshness/queue-length.repository.js';
import { typesLeavingIn } from '../../domains/schema/events.js';

/** Events that end the wait of a name for the word of the registry on its purge. */
export const PURGE_ENDS = typesLeavingIn('available', 'rescued', 'taken');

/** Times in seconds; null: nothing was confirmed. */
export interface ConfirmationTimes {
  readonly confirmed: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface OfferCounts {
  readonly offered: number;
  /** Exact up to MAX_COUNTED, beyond it the planner's estimate; null when it has none. */
  readonly stale: number | null;
}

/** The newest events among which those of the last days are looked for: two weeks of an ordinary dataset. */
const MAX_EVENTS = 100_000;

@Injectable()
export class StatusRepository {
  constructor(private readonly database: Database) {}

  async countOffers(): Promise<OfferCounts> {
    const [row] = await this.database.query<{ offered: number; stale: number; estimate: number }>(
      `SELECT (SELECT available_records FROM dataset)::float8 AS offered,
              (SELECT count(*) FROM (SELECT FROM recheck WHERE NOT offered LIMIT $1) AS stale)::int AS stale,
              (SELECT reltuples FROM pg_class WHERE oid = 'recheck_stale'::regclass)::float8 AS estimate`,
      [MAX_COUNTED + 1],
    );
    if (!row) throw new Error('dataset has lost its row');
    const isCounted = row.stale <= MAX_COUNTED;
    const estimate = row.estimate > MAX_COUNTED ? Math.round(row.estimate) : null;
    return { offered: row.offered, stale: isCounted ? row.stale : estimate };
  }

  /** How long names waited from their purge until the registry said what had become of them. */
  async readConfirmationTimes(since: Date): Promise<ConfirmationTimes> {
    const [row] = await this.database.query<ConfirmationTimes & Record<string, unknown>>(
      `SELECT count(*)::int AS confirmed,
              percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95
         FROM (SELECT extract(epoch FROM event.occurred_at - domain.purge_at)::float8 AS seconds
                 FROM domain_event AS event JOIN domain USING (domain)
                WHERE event.number > (SELECT last_event FROM dataset) - $2
                  AND event.type = ${typesLeavingIn('available', 'rescued')}
                  AND event.occurred_at >= $1
                  -- A purge that is older was waited for by somebody who was not here; a later one is the next.
                  AND domain.purge_at BETWEEN $1 AND event.occurred_at) AS wait`,
      [since, MAX_EVENTS],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return { confirmed: row.confirmed, p50: row.p50, p95: row.p95 };
  }

  /** Names whose purge has passed and is not recorded yet. */
  async readPurgeQueue(now: Date): Promise<QueueLength> {
    const [row] = await this.database.query<{ waiting: number; oldest: Date | null }>(
      `SELECT count(*)::int AS waiting, min(purge_at) AS oldest
         FROM (SELECT purge_at FROM domain WHERE state = 'listed' AND purge_at <= $1
                ORDER BY purge_at LIMIT $2) AS due`,
      [now, MAX_COUNTED + 1],
    );
    const { waiting, oldest } = row ?? { waiting: 0, oldest: null };
    return waiting > MAX_COUNTED
      ? { waiting: MAX_COUNTED, precision: 'at_least', oldest }
      : { waiting, precision: 'exact', oldest };
  }
}

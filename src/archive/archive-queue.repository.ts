import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** For so long a drop is new. */
const NEW_DROP_DAYS = 7;
/** More are not counted but estimated: counting them would take longer than a page of figures may. */
export const MAX_COUNTED = 10_000;

export interface ArchiveQueueSize {
  /** Names that were never looked up: exact up to MAX_COUNTED, then the planner's estimate; null when it has none. */
  readonly waiting: number | null;
  readonly precision: 'exact' | 'estimated';
  /** Names whose look-up failed and is to be tried again; null when they are more than MAX_COUNTED. */
  readonly retries: number | null;
  /** The purge of the new drop that has waited for longest; null when no new drop waits. */
  readonly oldest: Date | null;
}

/** Selects the next name to ask the archive about. An observation removes a name from the queue. */
@Injectable()
export class ArchiveQueue {
  constructor(private readonly database: Database) {}

  /**
   * New drops first, the latest of them before the others; then listed names, whose purge is next; then what failed;
   * then the rest.
   */
  async next(now: Date): Promise<string | null> {
    const [row] = await this.database.query<{ domain: string }>(NEXT, [now]);
    return row?.domain ?? null;
  }

  async size(now: Date): Promise<ArchiveQueueSize> {
    const [row] = await this.database.query<{
      counted: number;
      estimated: number | null;
      retries: number;
      oldest: Date | null;
    }>(SIZE, [now, MAX_COUNTED]);
    if (!row) throw new Error('a SELECT without FROM gives one row');
    const { counted, estimated, retries, oldest } = row;
    return {
      waiting: counted <= MAX_COUNTED ? counted : estimateAbove(estimated),
      precision: counted <= MAX_COUNTED ? 'exact' : 'estimated',
      retries: retries <= MAX_COUNTED ? retries : null,
      oldest,
    };
  }
}

/** A smaller count than the last one was estimated before the names were imported. */
function estimateAbove(estimated: number | null): number | null {
  return estimated !== null && estimated > MAX_COUNTED ? Math.round(estimated) : null;
}

// Each branch reads the first entry of one index (domain_unscored, domain_archive_ask_at); a branch is not begun when
// one before it gave a row: PostgreSQL appends in the order written, and LIMIT stops there.
const UNSCORED = `SELECT domain FROM domain WHERE archive_status = 'pending' AND NOT hidden`;
const LATEST = 'ORDER BY purge_at DESC NULLS LAST LIMIT 1';
const NEW_DROPS = ['purged', 'available'];
/** Names without a score: first names that are or may be on offer, then the others. */
const REST = ['purged', 'available', 'unconfirmed', 'stale', 'taken', 'rescued', 'delisted'];
const branches = [
  ...NEW_DROPS.map(
    (state) =>
      `${UNSCORED} AND state = '${state}' AND purge_at > $1::timestamptz - interval '${NEW_DROP_DAYS} days' ${LATEST}`,
  ),
  `${UNSCORED} AND state = 'listed' ORDER BY purge_at NULLS FIRST LIMIT 1`,
  `SELECT domain FROM domain_archive WHERE ask_at <= $1::timestamptz ORDER BY ask_at LIMIT 1`,
  ...REST.map((state) => `${UNSCORED} AND state = '${state}' ${LATEST}`),
];
const NEXT = `SELECT domain FROM (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}) queue LIMIT 1`;

const oldest = NEW_DROPS.map(
  (state) =>
    `(SELECT purge_at FROM domain
       WHERE archive_status = 'pending' AND NOT hidden AND state = '${state}'
         AND purge_at > $1::timestamptz - interval '${NEW_DROP_DAYS} days' AND purge_at <= $1
       ORDER BY purge_at NULLS FIRST LIMIT 1)`,
).join(', ');
const SIZE = `
  SELECT (SELECT count(*)::int FROM (${UNSCORED} LIMIT $2::int + 1) names) AS counted,
         -- -1: never analysed.
         (SELECT nullif(reltuples, -1)::float8 FROM pg_class WHERE oid = to_regclass('domain_unscored')) AS estimated,
         (SELECT count(*)::int
          FROM (SELECT FROM domain_archive WHERE ask_at IS NOT NULL LIMIT $2::int + 1) names) AS retries,
         least(${oldest}) AS oldest`;

import type { Queryable } from '../../db/database.js';
import type { FeedType } from '../schema/events.js';
import type { DomainState } from '../schema/states.js';

/** A move that needs nothing but time; a job notes it. */
export interface TimeMove {
  readonly from: DomainState;
  /** In words, for the README; the statement that makes the move says the same in SQL. */
  readonly when: string;
  readonly to: DomainState;
  readonly event?: FeedType;
}

/** The time of the purge has come. */
export const PURGE: TimeMove = {
  from: 'listed',
  when: 'its purge has passed',
  to: 'purged',
  event: 'domain.purged',
};
/** The last answer is older than the operator allows. */
export const STALENESS: TimeMove = {
  from: 'available',
  when: 'nobody has asked about it for OFFER_MAX_AGE_DAYS',
  to: 'stale',
};

export const TIME_MOVES: readonly TimeMove[] = [PURGE, STALENESS];

/**
 * Names whose purge has passed wait for their confirmation now. What a registry said of them before is forgotten,
 * so that it causes no event when the answer is fresh. Rows locked by another worker are skipped until the next
 * run.
 *
 * @returns how many there were, and those of them that are news: neither withheld, nor of a list that came long after
 */
export async function markPurged(
  transaction: Queryable,
  now: Date,
  limit: number,
): Promise<{ count: number; news: string[] }> {
  const [row] = await transaction.query<{ count: number; news: string[] }>(
    `WITH due AS (
       SELECT domain FROM domain WHERE state = '${PURGE.from}' AND purge_at <= $1
        ORDER BY purge_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ), purged AS (
       UPDATE domain SET state = '${PURGE.to}', ask_at = NULL FROM due WHERE domain.domain = due.domain
       RETURNING domain.domain, domain.purge_at, NOT domain.hidden AND domain.news_until >= $1 AS is_news
     ), forgotten AS (
       DELETE FROM registry_answer AS answer USING purged
        WHERE answer.domain = purged.domain AND answer.checked_at < purged.purge_at
     )
     SELECT count(*)::int AS count,
       coalesce(array_agg(domain ORDER BY domain) FILTER (WHERE is_news), '{}') AS news FROM purged`,
    [now, limit],
  );
  return row ?? { count: 0, news: [] };
}

/** Tells that the purges of these names have passed. Last in its transaction, as it holds the row of the dataset. */
export async function tellOfPurges(
  transaction: Queryable,
  names: readonly string[],
  at: Date,
): Promise<void> {
  await transaction.query(
    `WITH ledger AS (
       UPDATE dataset SET last_event = last_event + cardinality($1::text[]), last_event_at = greatest($2, last_event_at)
       RETURNING last_event, last_event_at
     )
     INSERT INTO domain_event (number, type, domain, occurred_at)
     SELECT last_event - cardinality($1::text[]) + purged.place, 'domain.purged', purged.name, last_event_at
       FROM ledger CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS purged (name, place)`,
    [names, at],
  );
}

/**
 * Withdraws names whose last answer is from before `before`.
 *
 * @returns how many there were, and those of them that discovery showed
 */
export async function markStale(
  transaction: Queryable,
  before: Date,
  limit: number,
): Promise<{ count: number; shown: string[] }> {
  // The two tables change in one transaction, so what does not agree is a row of recheck that an import has left
  // behind: it goes, and is scheduled again.
  const [row] = await transaction.query<{ count: number; shown: string[] }>(
    `WITH old AS MATERIALIZED (
       SELECT domain FROM recheck WHERE offered AND checked_at < $1 ORDER BY checked_at LIMIT $2
     ), held AS MATERIALIZED (
       SELECT domain.domain FROM domain JOIN old USING (domain)
        WHERE domain.state = '${STALENESS.from}' AND domain.checked_at < $1 FOR UPDATE OF domain SKIP LOCKED
     ), marked AS (
       UPDATE domain SET state = '${STALENESS.to}', available = false FROM held WHERE domain.domain = held.domain
       RETURNING domain.domain, domain.hidden
     ), withdrawn AS (
       UPDATE recheck SET offered = false FROM held WHERE recheck.domain = held.domain
     ), left_behind AS (
       DELETE FROM recheck USING old
        WHERE recheck.domain = old.domain
          AND NOT EXISTS (SELECT FROM domain WHERE domain.domain = old.domain AND available AND domain.checked_at < $1)
     )
     SELECT count(*)::int AS count, coalesce(array_agg(domain) FILTER (WHERE NOT hidden), '{}') AS shown FROM marked`,
    [before, limit],
  );
  return row ?? { count: 0, shown: [] };
}

/**
 * Counts names that left discovery without an event. Nearly last in its transaction, as every change of the dataset
 * row.
 */
export async function withdraw(transaction: Queryable, shown: number): Promise<void> {
  await transaction.query('UPDATE dataset SET available_records = available_records - $1', [shown]);
}

/** Sets when names are asked about next, in any state. */
export async function writeNextQuestion(
  transaction: Queryable,
  domains: readonly string[],
  at: Date,
): Promise<void> {
  await transaction.query(
    `WITH waiting AS (
       UPDATE domain SET ask_at = $2 WHERE domain = ANY ($1) AND state NOT IN ('available', 'stale')
     )
     UPDATE recheck SET ask_at = $2 WHERE domain = ANY ($1)`,
    [domains, at],
  );
}

/** A name on offer without a scheduled question, as a vouched import leaves it. */
export interface UnscheduledName {
  readonly domain: string;
  readonly wayback: number;
  readonly droppedAt: Date | null;
  readonly checkedAt: Date;
}

/**
 * The unscheduled names among the next `limit` names in the order of the alphabet.
 *
 * @returns with the last name that was looked at; null when there was none
 */
export async function findUnscheduled(
  source: Queryable,
  after: string,
  limit: number,
): Promise<{ names: UnscheduledName[]; last: string | null }> {
  const rows = await source.query<{
    domain: string;
    wayback: number;
    dropped_at: Date | null;
    checked_at: Date | null;
    is_unscheduled: boolean;
  }>(
    `SELECT domain, wayback, dropped_at, checked_at, is_unscheduled
       FROM (SELECT domain, wayback, dropped_at, checked_at,
                    available
                      AND NOT EXISTS (SELECT FROM recheck WHERE recheck.domain = domain.domain) AS is_unscheduled,
                    row_number() OVER (ORDER BY domain DESC) = 1 AS is_last
               FROM (SELECT * FROM domain WHERE domain > $1 ORDER BY domain LIMIT $2) AS domain) AS looked_at
      WHERE is_unscheduled OR is_last
      ORDER BY domain`,
    [after, limit],
  );
  const names = rows.flatMap((row) =>
    row.is_unscheduled && row.checked_at
      ? [{ domain: row.domain, wayback: row.wayback, droppedAt: row.dropped_at, checkedAt: row.checked_at }]
      : [],
  );
  return { names, last: rows.at(-1)?.domain ?? null };
}

/** Schedules names on offer; one that has left the offer meanwhile is not scheduled. */
export async function writeSchedule(
  transaction: Queryable,
  names: readonly { domain: string; nextCheckAt: Date }[],
): Promise<number> {
  const rows = await transaction.query(
    `INSERT INTO recheck (domain, ask_at, checked_at)
     SELECT domain.domain, schedule.ask_at, domain.checked_at
       FROM unnest($1::text[], $2::timestamptz[]) AS schedule (domain, ask_at)
       JOIN domain USING (domain)
      WHERE domain.available
        FOR SHARE OF domain
     ON CONFLICT (domain) DO NOTHING
     RETURNING domain`,
    [names.map(({ domain }) => domain), names.map(({ nextCheckAt }) => nextCheckAt)],
  );
  return rows.length;
}

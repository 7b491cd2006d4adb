import type { Queryable } from '../../db/database.js';
import { countingOneName } from '../search/cube/cube.repository.js';
import type { KnownName, ObservedAnswer, Verdict } from './answer-moves.js';
import type { FeedType } from '../schema/events.js';
import { isPending, REGISTRY_STATES } from '../schema/states.js';

/** A row that is held until the end of the transaction. */
export interface HeldName extends KnownName {
  readonly suffix: string;
  readonly wayback: number;
  readonly droppedAt: Date | null;
  /** Whether the operator's guard has stopped the writing of answers. */
  readonly isStopped: boolean;
  /** Whether a list of the operator holds the name back now. */
  readonly isOnHold: boolean;
}

type HeldRow = {
  state: KnownName['state'];
  checked_at: Date | null;
  registry_state: KnownName['registryState'];
  free_seen_at: Date | null;
  list_kind: KnownName['listKind'];
  purge_at: Date | null;
  news_until: Date | null;
  announced: boolean;
  hidden: boolean;
  tld: string;
  wayback: number;
  dropped_at: Date | null;
  is_stopped: boolean;
  is_on_hold: boolean;
};

/** The row of a name, held against every other writer; null when the dataset does not have it. */
export async function holdName(transaction: Queryable, domain: string): Promise<HeldName | null> {
  const [row] = await transaction.prepared<HeldRow>({ name: 'hold_name', text: HOLD_NAME, values: [domain] });
  if (!row) return null;
  return {
    state: row.state,
    checkedAt: row.checked_at,
    registryState: row.registry_state,
    freeSeenAt: row.free_seen_at,
    listKind: row.list_kind,
    purgeAt: row.purge_at,
    newsUntil: row.news_until,
    announced: row.announced,
    hidden: row.hidden,
    suffix: row.tld,
    wayback: row.wayback,
    droppedAt: row.dropped_at,
    isStopped: row.is_stopped,
    isOnHold: row.is_on_hold,
  };
}

/**
 * Whether the word of one service is too little for "available": it contradicts the dataset, or puts the name on offer,
 * or keeps it there on its first day.
 *
 * @param minScore of offers; contradictions count at any score
 */
export async function restsMuch(
  database: Queryable,
  domain: string,
  minScore: number,
  now: Date,
): Promise<boolean> {
  const [row] = await database.query<{ rests: boolean }>(
    `SELECT (wayback >= $2 AND (state <> 'available' OR dropped_at > $3::timestamptz - interval '1 day'))
            OR (state IN ('taken', 'rescued', 'unconfirmed')
                AND (state <> 'unconfirmed' OR registry_state IS NOT NULL)
                AND (free_seen_at IS NOT NULL OR coalesce(registry_state <> ALL ($4), true))) AS rests
       FROM domain WHERE domain = $1`,
    [domain, minScore, now, REGISTRY_STATES.filter((state) => isPending(state))],
  );
  return row?.rests === true;
}

/**
 * Writes what an answer made of a name. A name that stays available changes no column that an index has, so its new
 * version lies in the page of the old one (HOT).
 *
 * @param newDropAt when the drop was confirmed that the name is available since; null: it is the one that is known
 * @param recheckAt when the name is asked about again if it is available now
 */
export async function writeVerdict(
  transaction: Queryable,
  domain: string,
  answer: ObservedAnswer,
  verdict: Verdict,
  newDropAt: Date | null,
  recheckAt: Date | null,
): Promise<void> {
  const { to, event, confirms, needsSecondAnswer, freeSeenAt, nextCheckAt } = verdict;
  // A first answer that has to be borne out is no evidence yet: the row goes on resting on what it rested on.
  const isEvidence = !needsSecondAnswer;
  await transaction.prepared({
    name: 'write_verdict',
    text: WRITE_VERDICT,
    values: [
      domain,
      to,
      answer.state,
      answer.checkedAt,
      isEvidence,
      freeSeenAt,
      nextCheckAt,
      confirms ? answer.source : null,
      newDropAt,
      event,
      recheckAt,
    ],
  });
}

/**
 * Brings the dataset row up to date, writes the event if there is one, and counts the name where it comes on offer
 * or leaves it. Last in its transaction: from here to the commit it holds the dataset row, which keeps events in
 * order, and the cells of the cube apart. An event has the time at which it was observed, but never one before the
 * last event's.
 */
export async function publish(
  transaction: Queryable,
  domain: string,
  event: FeedType | null,
  availableDelta: number,
  at: Date,
): Promise<void> {
  await transaction.prepared({
    name: 'publish_answer',
    text: PUBLISH,
    values: [domain, event, availableDelta, at],
  });
}

// Planned once a connection: to weigh all indexes of the table for each of them took a quarter of the CPU time of
// an answer (3.1 ms instead of 2.3 for one that takes a name from offer, ten million names on a busy machine).
const HOLD_NAME = `
  SELECT state, checked_at, registry_state, free_seen_at, list_kind, purge_at, news_until, announced, hidden, tld,
         wayback, dropped_at, (SELECT writes_stopped_at IS NOT NULL FROM lifecycle_guard) AS is_stopped,
         EXISTS (SELECT FROM name_hold WHERE name_hold.domain = domain.domain) AS is_on_hold
    FROM domain WHERE domain = $1 FOR UPDATE`;

const WRITE_VERDICT = `
  WITH written AS (
       UPDATE domain
          SET state = $2, available = $2 = 'available', registry_state = $3, free_seen_at = $6, ask_at = $7,
              checked_at = CASE WHEN $5 THEN $4 ELSE checked_at END,
              confirmed_by = CASE WHEN $8::text IS NOT NULL THEN $8
                WHEN $5 AND $2 NOT IN ('taken', 'rescued') THEN NULL ELSE confirmed_by END,
              -- A name that dropped once more has another life behind it, of which the archive may know.
              archive_status = CASE WHEN $9::timestamptz IS NOT NULL AND state IN ('taken', 'rescued')
                THEN 'pending' ELSE archive_status END,
              dropped_at = coalesce($9, dropped_at), announced = CASE $10::text
                WHEN 'domain.dropped' THEN true WHEN 'domain.taken' THEN false ELSE announced END
        WHERE domain = $1
     ), gone AS (
       DELETE FROM recheck WHERE domain = $1 AND $11::timestamptz IS NULL
     )
     INSERT INTO recheck (domain, ask_at, checked_at) SELECT $1, $11, $4 WHERE $11 IS NOT NULL
     ON CONFLICT (domain) DO UPDATE SET ask_at = excluded.ask_at, checked_at = excluded.checked_at, offered = true`;

const PUBLISH = `
  WITH ledger AS (
       UPDATE dataset
          SET available_records = available_records + $3::integer, refreshed = greatest(refreshed, $4),
              last_event = last_event + ($2::text IS NOT NULL)::int,
              last_event_at = CASE WHEN $2 IS NULL THEN last_event_at ELSE greatest($4, last_event_at) END
       RETURNING last_event, last_event_at
     ), announced AS (
       INSERT INTO domain_event (number, type, domain, occurred_at)
       SELECT last_event, $2, $1, last_event_at FROM ledger WHERE $2 IS NOT NULL
     )
     ${countingOneName('ledger', '$1', '$3')}`;

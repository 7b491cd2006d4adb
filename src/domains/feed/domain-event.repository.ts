import { Injectable } from '@nestjs/common';
import { Database, nameOf, type Queryable } from '../../db/database.js';
import { ReadDatabase, type Seen } from '../../db/replicas/read-database.js';
import { ApiError } from '../../errors/api-error.js';
import { type DomainName, parseDomainName } from '../name/domain-name.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from '../schema/domain-row.js';
import type { Domain } from '../schema/domain.js';
import { FEED_TYPES, type FeedType, LIFE_TYPES, type LifeType } from '../schema/events.js';

/** How long events are kept; then the feed, the history of a name and past days end there. */
export const EVENTS_KEPT_MONTHS = 25;

/** How long the feed has removals, so that it is no list of all withheld names. Older copies start from a snapshot. */
const REMOVALS_TOLD_DAYS = 30;

export interface DomainEvent<Type extends FeedType = FeedType> {
  /** Place in the feed. Events become visible in the order of their numbers (see the table `dataset`). */
  readonly number: number;
  readonly type: Type;
  readonly occurredAt: Date;
}

export interface ListedEvent<Type extends FeedType = FeedType> extends DomainEvent<Type> {
  readonly domain: Domain;
}

export interface FeedStart {
  /** Of the last event that was handed out. */
  readonly number: number;
  /** How far the dataset was in the log of the server, when it was; null where that is not known. */
  readonly seen: string | null;
}

/** One page of the feed, oldest first. */
export interface EventPage {
  readonly events: readonly ListedEvent[];
  readonly hasMore: boolean;
}

type EventRow<Type extends FeedType = FeedType> = DomainRow & {
  event_domain: string;
  number: string;
  type: Type;
  occurred_at: Date;
};

/** The events of the dataset: the feed, and the history of a name. */
@Injectable()
export class DomainEventRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * The number that the feed stood at when the time began: every event since then has a higher one. Asked of the
   * primary, for a replica that is behind would put the beginning before events that are earlier than the time.
   *
   * @param since ISO 8601 with an offset, to the microsecond; or where a reader has got to
   * @throws {ApiError} gone, for a place behind which events have been deleted
   */
  async findStart(since: string | FeedStart): Promise<FeedStart> {
    if (typeof since !== 'string') {
      await this.assertKept(since);
      return since;
    }
    // Halving between low, before which all is earlier, and high, behind which nothing is: numbers may have gaps,
    // so the nearest event at or below the middle is looked at.
    const [row] = await this.database.prepared<{ number: string }>({
      name: 'feed_start',
      text: `WITH RECURSIVE place AS (
         SELECT 0::bigint AS low, last_event AS high FROM dataset
         UNION ALL
         SELECT CASE WHEN is_earlier THEN middle ELSE low END, CASE WHEN is_earlier THEN high ELSE middle - 1 END
           FROM place
          CROSS JOIN LATERAL (SELECT (low + high + 1) / 2 AS middle) AS half
          CROSS JOIN LATERAL (
                SELECT coalesce((SELECT occurred_at < $1::timestamptz FROM domain_event
                                  WHERE number <= middle ORDER BY number DESC LIMIT 1), true) AS is_earlier
                ) AS look
          WHERE low < high
       )
       SELECT low AS number FROM place WHERE low = high`,
      values: [since],
    });
    return { number: Number(row?.number ?? 0), seen: null };
  }

  private async assertKept({ number }: FeedStart): Promise<void> {
    const [row] = await this.reads.prepared<{ first_event: string }>({
      name: 'first_event',
      text: 'SELECT first_event FROM dataset',
      values: [],
    });
    if (number + 1 >= Number(row?.first_event ?? 1)) return;
    throw new ApiError(
      'gone',
      `The events that follow this cursor were deleted: they are kept for ${EVENTS_KEPT_MONTHS} months. Take a ` +
        'snapshot or read the names again, and begin with since at the time of that.',
    );
  }

  /**
   * Deletes events of long ago, the oldest first.
   *
   * @returns how many, `limit` at most
   */
  async deleteOld(now: Date, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `WITH gone AS (
         DELETE FROM domain_event
          WHERE number IN (SELECT number FROM (SELECT number, occurred_at FROM domain_event ORDER BY number LIMIT $2) AS first
                            WHERE occurred_at < $1::timestamptz - make_interval(months => ${EVENTS_KEPT_MONTHS}))
         RETURNING number
       ), noted AS (
         UPDATE dataset SET first_event = last.number + 1
           FROM (SELECT max(number) AS number FROM gone) AS last WHERE last.number IS NOT NULL
       )
       SELECT count(*)::int AS count FROM gone`,
      [now, limit],
    );
    return row?.count ?? 0;
  }

  /**
   * Events behind the start, oldest first, without those of names that the operator withholds and removals of long
   * ago, and the names no older than the reader has seen them.
   */
  async listEventsAfter(
    { number, seen }: FeedStart,
    limit: number,
    types: readonly FeedType[],
  ): Promise<Seen<EventPage>> {
    const { result: rows, position } = await this.reads.readBehind(seen, (server) =>
      // One more than asked for tells whether there is more.
      this.listEvents(`number > $1 AND ${SHOWN} AND ${RECENT}`, [number], limit + 1, types, server),
    );
    return { result: { events: rows.slice(0, limit), hasMore: rows.length > limit }, position };
  }

  /** The same with withheld names, for subscribers that keep a place in the feed. */
  listAllAfter<Type extends FeedType>(
    number: number,
    limit: number,
    types: readonly Type[],
    source: Queryable,
    upTo: number = Number.MAX_SAFE_INTEGER,
  ): Promise<ListedEvent<Type>[]> {
    return this.listEvents('number > $1 AND number <= $2', [number, upTo], limit, types, source);
  }

  /** Events by their numbers, without those of names that the operator withholds. */
  listEventsNumbered(numbers: readonly number[]): Promise<ListedEvent[]> {
    const condition = `number = ANY ($1) AND ${SHOWN}`;
    return this.listEvents(condition, [numbers], numbers.length, FEED_TYPES);
  }

  /**
   * Drops whose name was purged in its event before, with the number of the purge. Events of the operator do not
   * count.
   */
  async listPurgesBefore(numbers: readonly number[], source: Queryable): Promise<Map<number, number>> {
    const rows = await source.query<{ number: number; purge: number }>(
      `SELECT event.number::float8 AS number, before.number::float8 AS purge
         FROM domain_event AS event
        CROSS JOIN LATERAL (SELECT number, type FROM domain_event AS earlier
                             WHERE earlier.domain = event.domain AND earlier.number < event.number AND type = ANY ($2)
                             ORDER BY number DESC LIMIT 1) AS before
        WHERE event.number = ANY ($1) AND before.type = 'domain.purged'`,
      [numbers, LIFE_TYPES],
    );
    return new Map(rows.map(({ number, purge }) => [number, purge]));
  }

  /** What happened to one name, newest first, but for the operator's word on it. */
  async listEventsOf(domain: string, limit: number, source: Queryable): Promise<DomainEvent<LifeType>[]> {
    const rows = await source.query<EventRow<LifeType>>(
      `SELECT number, type, occurred_at FROM domain_event
        WHERE domain = $1 AND type = ANY ($3) ORDER BY number DESC LIMIT $2`,
      [domain, limit, LIFE_TYPES],
    );
    return rows.map(toEvent);
  }

  private async listEvents<Type extends FeedType>(
    condition: string,
    values: readonly unknown[],
    limit: number,
    types: readonly Type[],
    source: Queryable = this.database,
  ): Promise<ListedEvent<Type>[]> {
    // Of a name that was forgotten, the event alone is left.
    const text = `SELECT event.number, event.type, event.occurred_at, event.domain AS event_domain, ${DOMAIN_COLUMNS}
         FROM domain_event AS event
         ${types.some(isRemoval) ? 'LEFT JOIN' : 'JOIN'} domain ON domain.domain = event.domain
        WHERE ${condition} AND (event.type = 'domain.removed' OR domain.domain IS NOT NULL)
          AND event.type = ANY ($${values.length + 2})
        ORDER BY event.number
        LIMIT $${values.length + 1}`;
    // Prepared once a connection, as the start of the feed is: 0.94 ms of PostgreSQL's CPU time a page of ten
    // instead of 1.19.
    const rows = await source.prepared<EventRow<Type>>({
      name: nameOf(text),
      text,
      values: [...values, limit, types],
    });
    return rows.map((row) => ({ ...toEvent(row), domain: domainOf(row) }));
  }
}

/** Of an event and its name: it may be told. That a name is withheld tells nothing but its text. */
const SHOWN = `(event.type = 'domain.removed' OR NOT domain.hidden)`;

const RECENT = `(event.type <> 'domain.removed' OR event.occurred_at > now() - interval '${REMOVALS_TOLD_DAYS} days')`;

const isRemoval = (type: FeedType) => type === 'domain.removed';

function domainOf(row: EventRow): Domain {
  return isRemoval(row.type) ? withheldName(parseDomainName(row.event_domain)) : toDomain(row);
}

function toEvent<Type extends FeedType>(
  row: Pick<EventRow<Type>, 'number' | 'type' | 'occurred_at'>,
): DomainEvent<Type> {
  return { number: Number(row.number), type: row.type, occurredAt: row.occurred_at };
}

/** A withheld or forgotten name as copies get it: its text, and nothing from its row. */
export function withheldName({ domain, name, tld }: DomainName): Domain {
  return {
    domain,
    name,
    tld,
    length: name.length,
    hyphens: name.split('-').length - 1,
    digits: name.replace(/\D/g, '').length,
    wayback: 0,
    archive: { status: 'pending', firstCapture: null, lastCapture: null, captures: null },
    firstSeen: null,
    state: 'unconfirmed',
    droppedAt: null,
    available: false,
    hidden: false,
    checkedAt: null,
    confirmedBy: null,
    registryState: null,
    listKind: null,
    listSource: null,
    listedAt: null,
    purgeAt: null,
  };
}

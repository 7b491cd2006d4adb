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

/** What a caller's clock may be ahead of the database's. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

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

/** Where a time lies in the feed. */
export interface FeedBeginning extends FeedStart {
  /** Events before this time were deleted, and the reader asks for earlier ones; null: it asks for none. */
  readonly missingBefore: Date | null;
}

/** One page of the feed, oldest first. */
export interface EventPage {
  readonly events: readonly ListedEvent[];
  readonly hasMore: boolean;
  /** There is nothing more for this reader up to this number. */
  readonly upTo: number;
  /** Whether all events behind the start are kept. */
  readonly isWhole: boolean;
}

type EventRow<Type extends FeedType = FeedType> = DomainRow & {
  event_domain: string;
  number: string;
  type: Type;
  occurred_at: Date;
};

/** Of a page without events. */
interface NoEvent {
  readonly number: null;
}

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
   * @param since ISO 8601 with an offset, to the microsecond
   */
  async findStart(since: string): Promise<FeedBeginning & { readonly now: Date }> {
    // Halving between low, before which all is earlier, and high, behind which nothing is: numbers may have gaps,
    // so the nearest event at or below the middle is looked at.
    const [row] = await this.database.prepared<{ number: string; missingBefore: Date | null; now: Date }>({
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
       SELECT low AS number, now(),
              CASE WHEN first_event > 1 AND kept_from > $1::timestamptz THEN kept_from END AS "missingBefore"
         FROM place CROSS JOIN dataset
        CROSS JOIN LATERAL (SELECT coalesce((SELECT occurred_at FROM domain_event ORDER BY number LIMIT 1),
                                            now() - make_interval(months => ${EVENTS_KEPT_MONTHS})) AS kept_from) AS kept
        WHERE low = high`,
      values: [since],
    });
    if (!row) throw new Error('dataset has lost its row');
    return { ...row, number: Number(row.number), seen: null };
  }

  /** The same for a reader. @throws {ApiError} invalid_parameter, for a time ahead of the database's clock */
  async findBeginning(since: string): Promise<FeedBeginning> {
    const { now, ...beginning } = await this.findStart(since);
    if (Date.parse(since) > now.getTime() + CLOCK_TOLERANCE_MS)
      throw new ApiError(
        'invalid_parameter',
        `since must not lie in the future; here it is ${now.toISOString()}`,
      );
    return beginning;
  }

  /** @throws {ApiError} gone, for a place behind which events have been deleted */
  async assertKept({ number }: FeedStart): Promise<void> {
    const [row] = await this.database.query<{ first: number }>(
      'SELECT first_event::float8 AS first FROM dataset',
    );
    if (row && row.first > number + 1) throw eventsGone();
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
    // One more than asked for tells whether there is more. In one statement with the dataset, whose numbers are then
    // those of these events.
    const onPage = eventsWhere(`number > $1 AND ${SHOWN} AND ${RECENT}`, '$2', '$3', types);
    const text = `SELECT page.*, first_event::float8, last_event::float8
         FROM dataset LEFT JOIN (${onPage}) AS page ON true
        ORDER BY page.number`;
    const { result: rows, position } = await this.reads.readBehind(seen, (server) =>
      server.prepared<(EventRow | NoEvent) & { first_event: number; last_event: number }>({
        name: nameOf(text),
        text,
        values: [number, limit + 1, types],
      }),
    );
    const [dataset] = rows;
    if (!dataset) throw new Error('dataset has lost its row');
    const found = rows.filter((row): row is EventRow & typeof dataset => row.number !== null);
    const events = found.slice(0, limit).map(toListedEvent);
    const hasMore = found.length > limit;
    const upTo = (hasMore ? events.at(-1)?.number : undefined) ?? Math.max(number, dataset.last_event);
    return { result: { events, hasMore, upTo, isWhole: dataset.first_event <= number + 1 }, position };
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
    const text = eventsWhere(condition, `$${values.length + 1}`, `$${values.length + 2}`, types);
    // Prepared once a connection, as the start of the feed is: 0.94 ms of PostgreSQL's CPU time a page of ten
    // instead of 1.19.
    const rows = await source.prepared<EventRow<Type>>({
      name: nameOf(text),
      text,
      values: [...values, limit, types],
    });
    return rows.map(toListedEvent);
  }
}

/** @param limit and @param among are parameters. Of a name that was forgotten, the event alone is left. */
function eventsWhere(condition: string, limit: string, among: string, types: readonly FeedType[]): string {
  return `SELECT event.number, event.type, event.occurred_at, event.domain AS event_domain, ${DOMAIN_COLUMNS}
         FROM domain_event AS event
         ${types.some(isRemoval) ? 'LEFT JOIN' : 'JOIN'} domain ON domain.domain = event.domain
        WHERE ${condition} AND (event.type = 'domain.removed' OR domain.domain IS NOT NULL)
          AND event.type = ANY (${among})
        ORDER BY event.number
        LIMIT ${limit}`;
}

export function eventsGone(): ApiError {
  return new ApiError(
    'gone',
    `The events that follow this cursor were deleted: they are kept for ${EVENTS_KEPT_MONTHS} months. Take a ` +
      'snapshot or read the names again, and begin with since at the time of that.',
  );
}

/** Of an event and its name: it may be told. That a name is withheld tells nothing but its text. */
const SHOWN = `(event.type = 'domain.removed' OR NOT domain.hidden)`;

const RECENT = `(event.type <> 'domain.removed' OR event.occurred_at > now() - interval '${REMOVALS_TOLD_DAYS} days')`;

const isRemoval = (type: FeedType) => type === 'domain.removed';

function toListedEvent<Type extends FeedType>(row: EventRow<Type>): ListedEvent<Type> {
  return { ...toEvent(row), domain: domainOf(row) };
}

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

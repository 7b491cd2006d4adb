import { Injectable } from '@nestjs/common';
import type { ListKind } from '../../config/product.js';
import { Database } from '../../db/database.js';
import { type CalendarDate, boundsOfDay } from '../schema/calendar-date.js';
import type { Bind } from '../schema/filters/filter.js';
import { likePattern } from '../schema/filters/views.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from '../schema/domain-row.js';
import type { Domain, Suffix } from '../schema/domain.js';

/** Which of the names that are about to be purged. */
export interface UpcomingFilter {
  /** The day of the purge, in the registry's zone. */
  readonly day: CalendarDate | undefined;
  /** None: all. */
  readonly suffixes: readonly Suffix[];
  readonly kind: ListKind | undefined;
  readonly q: string | undefined;
  readonly minWayback: number;
}

export interface UpcomingDrop {
  readonly domain: Domain;
  readonly purgeAt: Date;
  /** The part of the official list it is on; null: on a list that did not say. */
  readonly kind: ListKind | null;
  /** Whether the name may be purged a day earlier. */
  readonly isApproximate: boolean;
}

export interface PurgeRun {
  readonly purgeAt: Date;
  readonly kind: ListKind | null;
  readonly names: number;
  readonly approximate: number;
  /** When the newest of its names came on the list. */
  readonly listedAt: Date | null;
}

/** A place in the order: purge, score (highest first), name. */
export interface UpcomingPosition {
  readonly purgeAt: Date;
  readonly wayback: number;
  readonly domain: string;
}

/** Lists reach three days ahead at most, and have two parts. */
const MAX_RUNS = 50;

type UpcomingRow = DomainRow & { purge_at: Date; list_kind: ListKind | null; purge_approximate: boolean };
interface RunRow {
  purge_at: Date;
  list_kind: ListKind | null;
  names: number;
  approximate: number;
  listed_at: Date | null;
}

/**
 * Names about to be purged: some thousand rows, which the index domain_listed holds in this order. A filter looks
 * at all of them at worst.
 */
@Injectable()
export class UpcomingDropRepository {
  constructor(private readonly database: Database) {}

  /** The next purges first, and in each the best score first. @param after the last name of the page before */
  async listDrops(
    filter: UpcomingFilter,
    now: Date,
    after: UpcomingPosition | null,
    limit: number,
  ): Promise<UpcomingDrop[]> {
    const { bind, values } = parameters();
    const conditions = [...upcomingConditions(filter, now, bind), ...conditionsBehind(after, bind)];
    const rows = await this.database.query<UpcomingRow>(
      `SELECT ${COLUMNS} FROM domain WHERE ${conditions.join(' AND ')}
        ORDER BY purge_at, wayback DESC, domain LIMIT ${bind(limit)}`,
      values,
    );
    return rows.map(toUpcomingDrop);
  }

  /** The runs that purge these names, the next one first. */
  async listRuns(filter: UpcomingFilter, now: Date): Promise<PurgeRun[]> {
    const { bind, values } = parameters();
    const rows = await this.database.query<RunRow>(
      `SELECT purge_at, list_kind, count(*)::int AS names,
        (count(*) FILTER (WHERE purge_approximate))::int AS approximate, max(listed_at) AS listed_at
         FROM domain WHERE ${upcomingConditions(filter, now, bind).join(' AND ')}
        GROUP BY purge_at, list_kind ORDER BY purge_at, list_kind LIMIT ${MAX_RUNS}`,
      values,
    );
    return rows.map(({ purge_at, list_kind, listed_at, ...counts }) => ({
      purgeAt: purge_at,
      kind: list_kind,
      listedAt: listed_at,
      ...counts,
    }));
  }

  /** The best names of each run, taken from the runs in turns: every first one comes before any second one. */
  async listBest(filter: UpcomingFilter, now: Date, perRun: number, limit: number): Promise<UpcomingDrop[]> {
    const { bind, values } = parameters();
    const rows = await this.database.query<UpcomingRow>(
      `SELECT ${COLUMNS}
         FROM (
           SELECT domain, place
             FROM (
               SELECT domain, purge_at, list_kind,
                      row_number() OVER (PARTITION BY purge_at, list_kind ORDER BY wayback DESC, domain) AS place
                 FROM domain WHERE ${upcomingConditions(filter, now, bind).join(' AND ')}
             ) AS ranked
            WHERE place <= ${bind(perRun)} ORDER BY place, purge_at, list_kind LIMIT ${bind(limit)}
         ) AS best
         JOIN domain USING (domain) ORDER BY place, purge_at, list_kind`,
      values,
    );
    return rows.map(toUpcomingDrop);
  }
}

const COLUMNS = `${DOMAIN_COLUMNS}, domain.purge_at, domain.list_kind, domain.purge_approximate`;

function parameters(): { bind: Bind; values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${values.push(value)}`, values };
}

function upcomingConditions(filter: UpcomingFilter, now: Date, bind: Bind): string[] {
  const { day, kind, q, minWayback, suffixes } = filter;
  const bounds = day === undefined ? null : boundsOfDay(day);
  return [
    `state = 'listed' AND NOT hidden AND purge_at > ${bind(now)}`,
    // A held name cannot be registered after its purge.
    'NOT EXISTS (SELECT FROM name_hold WHERE name_hold.domain = domain.domain)',
    ...(bounds ? [`purge_at >= ${bind(bounds.from)} AND purge_at < ${bind(bounds.to)}`] : []),
    ...(suffixes.length > 0 ? [`tld = ANY (${bind(suffixes)})`] : []),
    ...(kind === undefined ? [] : [`list_kind = ${bind(kind)}`]),
    ...(q === undefined ? [] : [`name LIKE ${bind(likePattern(q, 'contains'))}`]),
    ...(minWayback > 0 ? [`wayback >= ${bind(minWayback)}`] : []),
  ];
}

// The first condition follows from the second, and is the one that an index can begin at.
function conditionsBehind(after: UpcomingPosition | null, bind: Bind): string[] {
  if (!after) return [];
  const [purgeAt, wayback, domain] = [bind(after.purgeAt), bind(after.wayback), bind(after.domain)];
  return [
    `purge_at >= ${purgeAt}`,
    `(purge_at > ${purgeAt} OR wayback < ${wayback} OR (wayback = ${wayback} AND domain > ${domain}))`,
  ];
}

function toUpcomingDrop(row: UpcomingRow): UpcomingDrop {
  return {
    domain: toDomain(row),
    purgeAt: row.purge_at,
    kind: row.list_kind,
    isApproximate: row.purge_approximate,
  };
}

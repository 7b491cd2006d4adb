import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { SUFFIXES } from '../domain.js';

/** An offer with what is known of it before it is asked about. */
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

/** Draws offers by lot, each as likely as the other whatever its age, score or name. */
@Injectable()
export class OfferSampler {
  constructor(private readonly database: Database) {}

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
    // Fewer offers than ranks: the statement counts those that there are.
    const rows = await this.database.query<Row & { ranked: number }>(
      `WITH first AS MATERIALIZED (
         SELECT top.*
           FROM unnest($1::text[]) AS suffix (tld),
                LATERAL (SELECT ${COLUMNS} FROM domain
                          WHERE ${OFFERED} AND domain.tld = suffix.tld ORDER BY wayback DESC, domain LIMIT $2) AS top
          ORDER BY wayback DESC, domain LIMIT $2
       )
       SELECT ${COLUMNS} FROM first
       OFFSET (SELECT floor($3::float8 * count(*))::int FROM first) LIMIT 1`,
      [SUFFIXES, ranks, random()],
    );
    return rows[0] ? toDrawnOffer(rows[0]) : null;
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
   * Some places of the table by lot, and the offer in the first of them that holds one. Most hold none, so each offer is as
   * likely as the other, however full its page is. TABLESAMPLE would take whole pages, or read the whole table.
   */
  private async drawPlaces(random: Random): Promise<DrawnOffer | null> {
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
      `SELECT ${COLUMNS}, ctid::text AS place FROM domain WHERE ctid = ANY ($1::tid[]) AND ${OFFERED}`,
      [places],
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

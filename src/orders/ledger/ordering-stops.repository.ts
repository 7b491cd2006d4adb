import { Injectable } from '@nestjs/common';
import { timeOfDatabase } from '../../db/database-time.js';
import { Database, type Queryable } from '../../db/database.js';
import type { StopReason } from './stop-reasons.js';

export interface OrderingStop {
  readonly reason: StopReason;
  readonly words: string;
  readonly since: Date;
}

/**
 * Cluster, timeline, database and the table of the ledger: a restored backup or a promoted replica differs in one of
 * them, and a dump that is restored over its own database in the last. VACUUM FULL keeps the oid of a table; a migration
 * that makes this table again must write the new place. A copied disk differs in none: see {@link SeenPlace}.
 */
export const ORDERING_PLACE = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || 'ledger_entry'::regclass::oid`;

/** Its row was written elsewhere, or again: rows that are restored into their own tables have another xmin. */
const IS_RESTORED = `(place <> ${ORDERING_PLACE} OR written_by <> xmin)`;

/** With an order: where this database is restored to, ordering is stopped. */
export const NOTE_PLACE = `INSERT INTO ordering_place (place)
  SELECT ${ORDERING_PLACE} WHERE NOT EXISTS (SELECT FROM ordering_place) ON CONFLICT DO NOTHING`;

export const COMPARE_WORDS = 'Compare the orders with the list of the registrar.';
const COMPARE = `'${COMPARE_WORDS}'`;

/** The stops, the oldest first. */
export const ORDERING_STOPS = `
  SELECT reason, words, since FROM ordering_stop
  UNION ALL SELECT 'restored', ${COMPARE}, now() FROM ordering_place
   WHERE ${IS_RESTORED} AND NOT EXISTS (SELECT FROM ordering_stop WHERE reason = 'restored')
   ORDER BY since, reason`;
/** Since when ordering has been stopped after a restore; null: it is not. */
export const RESTORED_SINCE = `(SELECT max(since) FROM (${ORDERING_STOPS}) AS stop WHERE reason = 'restored')`;

/** Whether orders may begin, for all customers and instances. Each reason stays until it is cleared. */
@Injectable()
export class OrderingStops {
  constructor(private readonly database: Database) {}

  /** Before the first order as well: a backup made until then lacks it. */
  async notePlace(): Promise<void> {
    await this.database.kept(NOTE_PLACE);
  }

  /** Where this database is, with its last comparison, and how far its log was flushed; null before the first order. */
  async readPlace(): Promise<{ readonly place: string; readonly flushed: string } | null> {
    const [row] = await this.database.kept<{ place: string; flushed: string }>(
      `SELECT ${ORDERING_PLACE} || '/' || written_by AS place,
              pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text AS flushed FROM ordering_place`,
    );
    return row ?? null;
  }

  /** Keeps since when this database is known to be a restored one. */
  async noteRestored(now: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO ordering_stop (reason, words, since, registrars)
       SELECT 'restored', ${COMPARE}, $1, '{}' FROM ordering_place WHERE ${IS_RESTORED} ON CONFLICT DO NOTHING`,
      [now],
    );
  }

  async list(): Promise<OrderingStop[]> {
    return this.database.kept<OrderingStop & Record<string, unknown>>(ORDERING_STOPS);
  }

  /** @returns whether ordering went on, as far as this reason goes */
  async stop(
    reason: StopReason,
    words: string,
    at: Date,
    { registrar, on = this.database }: { readonly registrar?: string; readonly on?: Queryable } = {},
  ): Promise<boolean> {
    const [row] = await on.kept<{ isNew: boolean }>(
      `INSERT INTO ordering_stop AS known (reason, words, since, registrars) VALUES ($1, $2, $3, $4)
       ON CONFLICT (reason) DO UPDATE
         SET registrars = known.registrars || excluded.registrars, words = known.words || ' ' || excluded.words
         WHERE NOT excluded.registrars <@ known.registrars
       RETURNING xmax = 0 AS "isNew"`,
      [reason, words, at, registrar === undefined ? [] : [registrar]],
    );
    return row?.isNew ?? false;
  }

  /** Whether ordering is stopped for the funds of this registrar. */
  async isShort(registrar: string): Promise<boolean> {
    const rows = await this.database.kept(
      `SELECT FROM ordering_stop WHERE reason = 'funds' AND (registrars = '{}' OR $1 = ANY (registrars))`,
      [registrar],
    );
    return rows.length > 0;
  }

  /** This registrar has funds again; the stop holds while another of it has none. */
  async clearFunds(registrar: string): Promise<void> {
    await this.database.kept(
      `WITH cleared AS (DELETE FROM ordering_stop WHERE reason = 'funds' AND registrars <@ ARRAY[$1::text])
       UPDATE ordering_stop SET registrars = array_remove(registrars, $1::text)
        WHERE reason = 'funds' AND registrars @> ARRAY[$1::text] AND NOT registrars <@ ARRAY[$1::text]`,
      [registrar],
    );
  }

  /**
   * Whether this database may lack the later steps of an order approved at that time: it was restored since, and has
   * been compared with the registrars or not.
   */
  async lacksSince(approvedAt: Date): Promise<'compared' | 'not_compared' | null> {
    const [row] = await this.database.kept<{ lacks: 'compared' | 'not_compared' | null }>(
      `SELECT CASE WHEN ${RESTORED_SINCE} IS NOT NULL THEN 'not_compared'
                   WHEN EXISTS (SELECT FROM ordering_place WHERE restored_at > $1) THEN 'compared' END AS lacks`,
      [approvedAt],
    );
    return row?.lacks ?? null;
  }

  /** @returns whether it was stopped for this reason */
  async clear(reason: StopReason, on: Queryable = this.database, at = timeOfDatabase()): Promise<boolean> {
    const rows = await on.kept('DELETE FROM ordering_stop WHERE reason = $1 RETURNING reason', [reason]);
    if (reason !== 'restored') return rows.length > 0;
    const moved = await on.kept(
      `UPDATE ordering_place SET place = ${ORDERING_PLACE}, written_by = DEFAULT, restored_at = $1
        WHERE ${IS_RESTORED} OR $2 RETURNING place`,
      [at, rows.length > 0],
    );
    return rows.length + moved.length > 0;
  }
}

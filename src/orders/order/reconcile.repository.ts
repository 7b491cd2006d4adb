import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { LIVE, readAttempt } from './order.repository.js';
import { SealedRows } from './sealed-rows.repository.js';

/** Of an attempt that was undecided once. */
const ENDED_WITHOUT = `ended_as IN ('failed', 'lost') AND asks > 0`;

/** A registered name as the orders know it. */
export interface NameOfOurs {
  /** Of its order; names are compared in this order. As decimal digits: a bigint. */
  readonly number: string;
  readonly domain: string;
  readonly expiresAt: Date | null;
  /** Null once its account was erased. */
  readonly attempt: Attempt | null;
}

/** An attempt that was undecided, and ended without its name: the registrar may have executed it later. */
export interface EndedAttempt {
  /** Of its order, as people see it. */
  readonly number: string;
  readonly attempt: Attempt;
}

/** What orders say of the names at a registrar. */
@Injectable()
export class ReconcileRepository {
  constructor(
    private readonly database: Database,
    private readonly sealed: SealedRows,
  ) {}

  /** @param settledBefore leaves out names that were registered while the registrar was being asked */
  async listNames(
    registrar: string,
    after: string,
    limit: number,
    settledBefore: Date,
  ): Promise<NameOfOurs[]> {
    const rows = await this.database.kept<{
      number: string;
      domain: string;
      expiresAt: Date | null;
      id: string | null;
      sealed: Buffer | null;
    }>(
      `SELECT placed.number::text, placed.domain, placed.expires_at AS "expiresAt", attempt.id, attempt.sealed
         FROM registration_order AS placed
         LEFT JOIN registration_attempt AS attempt ON attempt.order_id = placed.id AND attempt.ended_as = 'registered'
        WHERE placed.registrar = $1 AND placed.state = 'registered' AND placed.renews IS NULL
          AND placed.number > $2::bigint AND placed.settled_at < $4
          AND (placed.expires_at IS NULL OR placed.expires_at > $4)
        ORDER BY placed.number LIMIT $3`,
      [registrar, after, limit, settledBefore],
    );
    return rows.map(({ id, sealed, ...row }) => ({
      ...row,
      // Of an erased account nothing is sealed any more.
      attempt: id && sealed?.length ? readAttempt(this.sealed, sealed, id).attempt : null,
    }));
  }

  /** The newest attempts of the last days. */
  async listEndedAttempts(registrar: string, since: Date, limit: number): Promise<EndedAttempt[]> {
    const rows = await this.database.kept<{ number: string; id: string; sealed: Buffer }>(
      `SELECT placed.number::text, attempt.id, attempt.sealed
         FROM registration_attempt AS attempt JOIN registration_order AS placed ON placed.id = attempt.order_id
        WHERE attempt.registrar = $1 AND ended_at > $2 AND ${ENDED_WITHOUT} AND placed.renews IS NULL
          AND attempt.sealed <> ''
        ORDER BY ended_at DESC LIMIT $3`,
      [registrar, since, limit],
    );
    return rows.map(({ number, id, sealed }) => ({
      number,
      attempt: readAttempt(this.sealed, sealed, id).attempt,
    }));
  }

  /** Found executed after all, as the reason of its order says from now on. @returns false: it was found before */
  async noteExecutedLate(
    { id, order }: Pick<Attempt, 'id' | 'order'>,
    reason: string,
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.kept(
      `WITH ended AS (SELECT id FROM registration_order WHERE id = $2 FOR NO KEY UPDATE), late AS (
         UPDATE registration_attempt SET executed_late_at = $4 FROM ended
          WHERE registration_attempt.id = $1 AND order_id = ended.id AND executed_late_at IS NULL RETURNING order_id
       )
       UPDATE registration_order SET reason = $3 FROM late WHERE id = order_id RETURNING id`,
      [id, order, reason, at],
    );
    return rows.length > 0;
  }

  /** Of names that the registrar has: the ones that no order explains, with the order that ended without its name. */
  async listUnknown(
    registrar: string,
    names: readonly string[],
  ): Promise<{ name: string; ended: string | null }[]> {
    return this.database.kept<{ name: string; ended: string | null }>(
      `SELECT name,
              (SELECT max(number)::text FROM registration_order AS placed
                WHERE domain = name AND placed.registrar = $1
                  AND EXISTS (SELECT FROM registration_attempt WHERE order_id = placed.id AND ${ENDED_WITHOUT})) AS ended
         FROM unnest($2::text[]) AS listed (name)
        WHERE NOT EXISTS (SELECT FROM registration_order
                           WHERE domain = name AND registrar = $1
                             AND (state = 'registered' OR state IN ${LIVE}))`,
      [registrar, names],
    );
  }

  /** What the ledger has at registrars, in cents, while no order is under way; null otherwise. */
  async readPrepaid(): Promise<number | null> {
    const [row] = await this.database.kept<{ cents: number; isQuiet: boolean }>(
      `SELECT -coalesce(sum(balance_cents), 0)::float8 AS cents,
              NOT EXISTS (SELECT FROM registration_order WHERE state IN ${LIVE}) AS "isQuiet"
         FROM ledger_account WHERE kind = 'registrar_prepaid'`,
    );
    return row?.isQuiet ? row.cents : null;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { LIVE, type Order } from './order.repository.js';
import { renewableAfter } from './renewal-window.js';
import { orUnreadable, readAttempt, SealedRows } from './sealed-rows.repository.js';

/** Of an attempt that was undecided once. */
const ENDED_WITHOUT = `ended_as IN ('failed', 'lost') AND asks > 0`;
const isFinding = (kind: string) => `EXISTS (
  SELECT FROM registrar_finding AS found
   WHERE found.registrar = attempt.registrar AND found.subject = placed.domain AND found.kind = ${kind})`;
/** It was found executed, and operators have not settled it. */
const IS_FOUND = `(executed_late_at IS NOT NULL AND
  ${isFinding(`CASE WHEN placed.renews IS NULL THEN 'unknown_here' ELSE 'expiry' END`)})`;
/** The same, or the question was not answered in the last pass. */
const IS_OPEN = `(${IS_FOUND} OR ${isFinding(`'unanswered'`)})`;

/** A registered name as the orders know it. */
export interface NameOfOurs {
  /** Of its order; names are compared in this order. As decimal digits: a bigint. */
  readonly number: string;
  readonly domain: string;
  readonly expiresAt: Date | null;
  /** Null once its account was erased, or where no key opens it. */
  readonly attempt: Attempt | null;
}

/** An attempt that was undecided, and ended without success: the registrar may have executed it later. */
export interface EndedAttempt {
  /** Of its order, as people see it; attempts are asked about in this order. */
  readonly number: string;
  /** Null where no key opens it: nothing can be asked. */
  readonly attempt: Attempt | null;
  /** Of a renewal: the end of its name here, with all renewals that were paid. */
  readonly knownEnd: Date | null;
}

/** What orders say of the names at a registrar. */
@Injectable()
export class ReconcileRepository {
  private readonly logger = new Logger('Registrars');

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
          AND (placed.expires_at IS NULL OR placed.expires_at > $5)
        ORDER BY placed.number LIMIT $3`,
      [registrar, after, limit, settledBefore, renewableAfter(settledBefore)],
    );
    return rows.map(({ id, sealed, ...row }) => ({
      ...row,
      // Of an erased account nothing is sealed any more.
      attempt: id && sealed?.length ? this.open(sealed, id) : null,
    }));
  }

  /** Those of the last days, behind this number of an order. */
  async listEndedAttempts(
    registrar: string,
    since: Date,
    after: string,
    limit: number,
  ): Promise<EndedAttempt[]> {
    return this.listEnded(
      `NOT ${IS_OPEN} AND placed.number > $3::bigint AND ended_at > $2 ORDER BY placed.number LIMIT $4`,
      [registrar, since, after, limit],
    );
  }

  /** Attempts found executed that no operator has settled, and the ones whose question was not answered. */
  async listOpen(registrar: string, after: string, limit: number): Promise<EndedAttempt[]> {
    return this.listEnded(`${IS_OPEN} AND placed.number > $2::bigint ORDER BY placed.number LIMIT $3`, [
      ...[registrar, after, limit],
    ]);
  }

  async findFound({ registrar, id }: Order, transaction: Queryable): Promise<EndedAttempt | null> {
    const [found] = await this.listEnded(`${IS_FOUND} AND placed.id = $2`, [registrar, id], transaction);
    return found ?? null;
  }

  private async listEnded(
    where: string,
    parameters: readonly unknown[],
    on: Queryable = this.database,
  ): Promise<EndedAttempt[]> {
    const rows = await on.kept<
      Omit<EndedAttempt, 'attempt'> & { id: string; sealed: Buffer } & Record<string, unknown>
    >(
      `SELECT placed.number::text, attempt.id, attempt.sealed, renewed.expires_at AS "knownEnd"
         FROM registration_attempt AS attempt JOIN registration_order AS placed ON placed.id = attempt.order_id
         LEFT JOIN registration_order AS renewed ON renewed.id = placed.renews
        WHERE attempt.registrar = $1 AND ${ENDED_WITHOUT} AND attempt.sealed <> ''
          AND (placed.renews IS NULL
               OR renewed.state = 'registered' AND renewed.expires_at IS NOT NULL
                  AND NOT EXISTS (SELECT FROM registration_order AS other
                                   WHERE other.renews = placed.renews AND other.state IN ${LIVE}))
          AND ${where}`,
      parameters,
    );
    return rows.map(({ id, sealed, ...row }) => ({
      ...row,
      attempt: this.open(sealed, id),
    }));
  }

  private open(sealed: Buffer, id: string): Attempt | null {
    return orUnreadable(() => readAttempt(this.sealed, sealed, id).attempt, this.logger);
  }

  /** Found executed after all: its order says so, and until when. @returns false: it was found before */
  async noteExecutedLate(
    { id, order }: Pick<Attempt, 'id' | 'order'>,
    { reason, expiresAt, at }: { reason: string; expiresAt: Date | null; at: Date },
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.kept(
      `WITH ended AS (SELECT id FROM registration_order WHERE id = $2 FOR NO KEY UPDATE), late AS (
         UPDATE registration_attempt SET executed_late_at = $4 FROM ended
          WHERE registration_attempt.id = $1 AND order_id = ended.id AND executed_late_at IS NULL RETURNING order_id
       )
       UPDATE registration_order SET reason = $3, expires_at = $5 FROM late WHERE id = order_id RETURNING id`,
      [id, order, reason, at, expiresAt],
    );
    return rows.length > 0;
  }

  /** Of an attempt that was found executed late: its order is a sale now. */
  async noteKept(attemptId: string, transaction: Queryable): Promise<void> {
    await transaction.kept(`UPDATE registration_attempt SET ended_as = 'registered' WHERE id = $1`, [
      attemptId,
    ]);
  }

  /** Of names that the registrar has: the ones that no order explains, with the order that ended without its name. */
  async listUnknown(
    registrar: string,
    names: readonly string[],
  ): Promise<{ name: string; ended: string | null }[]> {
    return this.database.kept<{ name: string; ended: string | null }>(
      `SELECT name,
              (SELECT max(number)::text FROM registration_order AS placed
                WHERE domain = name AND placed.registrar = $1 AND placed.renews IS NULL
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

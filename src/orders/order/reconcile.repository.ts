import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { LIVE, readAttempt } from './order.repository.js';
import { SealedRows } from './sealed-rows.repository.js';

/** A registered name as the orders know it. */
export interface NameOfOurs {
  /** Of its order; names are compared in this order. As decimal digits: a bigint. */
  readonly number: string;
  readonly domain: string;
  readonly expiresAt: Date | null;
  /** Null once its account was erased. */
  readonly attempt: Attempt | null;
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

  /** Of names that the registrar has: the ones that no order explains. */
  async listUnknown(registrar: string, names: readonly string[]): Promise<string[]> {
    const rows = await this.database.kept<{ name: string }>(
      `SELECT name FROM unnest($2::text[]) AS listed (name)
        WHERE NOT EXISTS (SELECT FROM registration_order
                           WHERE domain = name AND registrar = $1
                             AND (state = 'registered' OR state IN ${LIVE}))`,
      [registrar, names],
    );
    return rows.map(({ name }) => name);
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

import { Injectable, Logger } from '@nestjs/common';
import { lockAccount } from '../../access/api-key.repository.js';
import type { Remember } from '../../access/idempotent-requests.js';
import { Database, type Queryable } from '../../db/database.js';
import type { Registrant } from '../registrar/port.js';
import { orUnreadable, SealedRows } from '../order/sealed-rows.repository.js';

/** A registrant, as an account keeps it. */
export interface RegistrantProfile {
  readonly id: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly registrant: Registrant;
}

/** @property registrant null: no key opens it */
export type StoredRegistrant = Omit<RegistrantProfile, 'registrant'> & {
  readonly registrant: Registrant | null;
};

export function sortReadable(stored: readonly StoredRegistrant[]): {
  readonly readable: RegistrantProfile[];
  readonly unreadable: StoredRegistrant[];
} {
  return {
    readable: stored.flatMap(({ registrant, ...one }) => (registrant ? [{ ...one, registrant }] : [])),
    unreadable: stored.filter(({ registrant }) => registrant === null),
  };
}

type Row = Omit<RegistrantProfile, 'registrant'> & { readonly sealed: Buffer } & Record<string, unknown>;

/** Of one account. */
export const MAX_REGISTRANTS = 20;

const COLUMNS = 'id, created_at AS "createdAt", changed_at AS "changedAt", sealed';

/** All SQL on the registrants of accounts. Those of others are not there. */
@Injectable()
export class RegistrantRepository {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly database: Database,
    private readonly sealed: SealedRows,
  ) {}

  /** The newest first. */
  async list(accountId: string): Promise<StoredRegistrant[]> {
    const rows = await this.database.kept<Row>(
      `SELECT ${COLUMNS} FROM registrant_profile WHERE account_id = $1 ORDER BY created_at DESC, id LIMIT $2`,
      [accountId, MAX_REGISTRANTS],
    );
    return rows.map((row) => this.open(row));
  }

  async find(accountId: string, id: string): Promise<StoredRegistrant | null> {
    const row = await this.row(accountId, id);
    return row && this.open(row);
  }

  /** One that is opened only where it is needed. */
  async findSealed(accountId: string, id: string, on?: Queryable): Promise<(() => StoredRegistrant) | null> {
    const row = await this.row(accountId, id, on);
    return row && (() => this.open(row));
  }

  private async row(accountId: string, id: string, on: Queryable = this.database): Promise<Row | null> {
    const [row] = await on.kept<Row>(
      `SELECT ${COLUMNS} FROM registrant_profile WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return row ?? null;
  }

  /** @returns false when the account has as many as it may, or is gone */
  async insert(accountId: string, profile: RegistrantProfile, remember?: Remember): Promise<boolean> {
    const { id, registrant, createdAt, changedAt } = profile;
    return this.database.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) return false;
      const added = await transaction.kept(
        `INSERT INTO registrant_profile (id, account_id, sealed, created_at, changed_at)
         SELECT $1, $2, $3, $4, $5
          WHERE (SELECT count(*) FROM registrant_profile WHERE account_id = $2) < $6 RETURNING id`,
        [id, accountId, this.sealed.seal(registrant, id), createdAt, changedAt, MAX_REGISTRANTS],
      );
      if (added.length > 0) await remember?.(id, transaction);
      return added.length > 0;
    });
  }

  /** @returns whether there is one */
  async replace(accountId: string, id: string, registrant: Registrant, at: Date): Promise<boolean> {
    const rows = await this.database.kept(
      `UPDATE registrant_profile SET sealed = $3, changed_at = $4 WHERE account_id = $1 AND id = $2 RETURNING id`,
      [accountId, id, this.sealed.seal(registrant, id), at],
    );
    return rows.length > 0;
  }

  /** @returns whether there was one */
  async delete(accountId: string, id: string): Promise<boolean> {
    const rows = await this.database.kept(
      'DELETE FROM registrant_profile WHERE account_id = $1 AND id = $2 RETURNING id',
      [accountId, id],
    );
    return rows.length > 0;
  }

  private open({ id, createdAt, changedAt, sealed }: Row): StoredRegistrant {
    const registrant = orUnreadable(() => this.sealed.open(sealed, id) as Registrant, this.logger);
    return { id, createdAt, changedAt, registrant };
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** Passkeys of one account. */
export const MAX_PASSKEYS = 20;

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Whether it is on other devices of its owner as well. */
  readonly isSynced: boolean;
}

/** The passkeys that the accounts library keeps. */
@Injectable()
export class PasskeyRepository {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async listPasskeys(accountId: string): Promise<Passkey[]> {
    return this.database.query<Passkey>(
      `SELECT id, name, created_at AS "createdAt", backed_up AS "isSynced" FROM account_passkey
        WHERE account_id = $1 ORDER BY created_at, id LIMIT ${2 * MAX_PASSKEYS}`,
      [accountId],
    );
  }

  /** @returns its name; null when the account has no such passkey */
  async removePasskey(accountId: string, id: string): Promise<string | null> {
    const [row] = await this.database.query<{ name: string }>(
      'DELETE FROM account_passkey WHERE account_id = $1 AND id = $2 RETURNING name',
      [accountId, id],
    );
    return row?.name ?? null;
  }
}

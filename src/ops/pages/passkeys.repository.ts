import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';

/** A passkey of an operator. */
export interface OperatorPasskey {
  readonly id: string;
  /** Of the key it was added with. */
  readonly keyHash: string;
  readonly publicKey: Buffer;
  /** Of its uses, by its own count; 0 where it has none. */
  readonly counter: number;
  readonly addedAt: Date;
  readonly usedAt: Date | null;
}

const COLUMNS = `id, key_hash AS "keyHash", public_key AS "publicKey", counter::float8 AS counter,
  added_at AS "addedAt", used_at AS "usedAt"`;

/** All SQL on passkeys of operators. Times are PostgreSQL's. */
@Injectable()
export class OperatorPasskeyRepository {
  constructor(private readonly database: Database) {}

  /** The passkeys of a key, the newest first. */
  async list(keyHash: string): Promise<OperatorPasskey[]> {
    return this.database.query<OperatorPasskey & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM operator_passkey WHERE key_hash = $1 ORDER BY added_at DESC, id`,
      [keyHash],
    );
  }

  async find(id: string): Promise<OperatorPasskey | null> {
    const [passkey] = await this.database.query<OperatorPasskey & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM operator_passkey WHERE id = $1`,
      [id],
    );
    return passkey ?? null;
  }

  /** @returns false where it is known already */
  async add({
    id,
    keyHash,
    publicKey,
    counter,
  }: Pick<OperatorPasskey, 'id' | 'keyHash' | 'publicKey' | 'counter'>): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO operator_passkey (id, key_hash, public_key, counter, added_at) VALUES ($1, $2, $3, $4, now())
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, keyHash, publicKey, counter],
    );
    return rows.length > 0;
  }

  async count(id: string, counter: number): Promise<void> {
    await this.database.query('UPDATE operator_passkey SET counter = $2, used_at = now() WHERE id = $1', [
      id,
      counter,
    ]);
  }

  /** @returns whether the key had it */
  async remove(id: string, keyHash: string): Promise<boolean> {
    const rows = await this.database.query(
      'DELETE FROM operator_passkey WHERE id = $1 AND key_hash = $2 RETURNING id',
      [id, keyHash],
    );
    return rows.length > 0;
  }

  /** Remembers a challenge until it ends, and deletes expired ones. @returns whether this is its first use */
  async useChallenge(challenge: Buffer, endsAt: Date, now: Date): Promise<boolean> {
    const rows = await this.database.query(
      `WITH ended AS (DELETE FROM operator_challenge WHERE ends_at <= $3)
       INSERT INTO operator_challenge (challenge, ends_at) VALUES ($1, $2)
       ON CONFLICT (challenge) DO NOTHING RETURNING challenge`,
      [challenge, endsAt, now],
    );
    return rows.length > 0;
  }
}

import { Injectable, type Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { openSecret, resealSecret, sealSecret } from '../../validation/sealing.js';

/** Each has the columns `id` and `sealed`. */
const TABLES = ['registrant_profile', 'registration_order', 'registration_attempt'] as const;
const READ_AT_ONCE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** An attempt, as its row keeps it. */
export interface SealedAttempt {
  readonly attempt: Attempt;
  /** Of a renewal: the end of the registration before it. */
  readonly expiresBefore: Date | null;
}

/** No key opens it, or it was erased. */
export class UnreadableRow extends Error {}

/** @returns null, and warns, where no key opens the row */
export function orUnreadable<Value>(open: () => Value, logger: Logger): Value | null {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    logger.warn(error.message);
    return null;
  }
}

/** Encrypts what orders know of people, with the first ORDER_SECRET_KEY; any of them decrypts. */
@Injectable()
export class SealedRows {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** @param id of the row: in another row it does not open */
  seal(value: object, id: string): Buffer {
    const [key] = this.config.orders.keys;
    if (key === undefined) throw new Error('ORDER_SECRET_KEY is not set');
    return sealSecret(JSON.stringify(value), id, key);
  }

  /** The sealed text. @throws {UnreadableRow} */
  open(sealed: Buffer, id: string): unknown {
    const text = openSecret(sealed, id, this.config.orders.keys);
    if (text === null)
      throw new UnreadableRow(`no ORDER_SECRET_KEY opens the row ${id}: set the earlier one as well`);
    return JSON.parse(text);
  }

  /** Encrypts with the first key what another one encrypted. @returns how many rows */
  async rotate(): Promise<number> {
    if (this.config.orders.keys.length < 2) return 0;
    let rotated = 0;
    for (const table of TABLES) rotated += await this.rotateTable(table);
    return rotated;
  }

  private async rotateTable(table: (typeof TABLES)[number]): Promise<number> {
    let rotated = 0;
    for (let after: string | undefined = FIRST_ID; after !== undefined;) {
      const rows: { id: string; sealed: Buffer }[] = await this.database.kept(
        `SELECT id, sealed FROM ${table} WHERE id > $1 AND sealed IS NOT NULL ORDER BY id LIMIT $2`,
        [after, READ_AT_ONCE],
      );
      for (const { id, sealed } of rows) {
        const resealed = resealSecret(sealed, id, this.config.orders.keys);
        if (resealed === null) continue;
        // Only if it has not changed meanwhile.
        const changed = await this.database.kept(
          `UPDATE ${table} SET sealed = $2 WHERE id = $1 AND sealed = $3 RETURNING id`,
          [id, resealed, sealed],
        );
        rotated += changed.length;
      }
      after = rows.length < READ_AT_ONCE ? undefined : rows.at(-1)?.id;
    }
    return rotated;
  }
}

/** The attempt of a row, as it was sealed. @throws {Error} when no key opens it */
export function readAttempt(rows: SealedRows, sealed: Buffer, id: string): SealedAttempt {
  const { expiresBefore, ...attempt } = rows.open(sealed, id) as Omit<Attempt, 'nameServers'> & {
    readonly expiresBefore?: string | null;
    readonly nameServers?: readonly string[];
  };
  return {
    // One of the release before has no name servers.
    attempt: { ...attempt, nameServers: attempt.nameServers ?? [], startedAt: new Date(attempt.startedAt) },
    expiresBefore: expiresBefore ? new Date(expiresBefore) : null,
  };
}

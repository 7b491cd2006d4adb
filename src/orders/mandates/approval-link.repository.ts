import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';

export interface ApprovalLink {
  readonly orderId: string;
  readonly tokenHash: Buffer;
  /** What the link approves. */
  readonly terms: Buffer;
}

/** A mail server that answers at all has mostly taken a mail by then. */
const MAIL_UNDER_WAY = `interval '30 s'`;

/** Links that approve one order each; only hashes of their tokens are kept. */
@Injectable()
export class ApprovalLinkRepository {
  constructor(private readonly database: Database) {}

  async isMade(orderId: string): Promise<boolean> {
    const rows = await this.database.kept('SELECT FROM approval_link WHERE order_id = $1', [orderId]);
    return rows.length > 0;
  }

  /** @param isAgain replaces an unused one. @returns false where the order has one, or its mail may be under way */
  async insert(
    { orderId, tokenHash, terms }: ApprovalLink,
    sentAt: Date,
    expiresAt: Date,
    isAgain: boolean,
  ): Promise<boolean> {
    const rows = await this.database.kept(
      `INSERT INTO approval_link AS made (order_id, token_hash, terms, sent_at, expires_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (order_id) DO UPDATE SET token_hash = $2, terms = $3, sent_at = $4, expires_at = $5
         WHERE $6 AND made.used_at IS NULL AND made.sent_at <= $4::timestamptz - ${MAIL_UNDER_WAY}
       RETURNING order_id`,
      [orderId, tokenHash, terms, sentAt, expiresAt, isAgain],
    );
    return rows.length > 0;
  }

  /** @returns the id of the order of an unused link */
  async find(tokenHash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.database.kept<{ orderId: string }>(
      `SELECT order_id AS "orderId" FROM approval_link
        WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`,
      [tokenHash, now],
    );
    return row?.orderId ?? null;
  }

  /** @returns as useUp does */
  use({ orderId, tokenHash, terms }: ApprovalLink, now: Date, transaction: Queryable): Promise<boolean> {
    return useUp('approval_link', [orderId, tokenHash, terms, now], transaction);
  }
}

/** What the authenticator of an order's customer is asked to sign. */
export interface ApprovalChallenge {
  readonly orderId: string;
  readonly challenge: Buffer;
  /** What the signature approves. */
  readonly terms: Buffer;
}

/** Challenges that approve one order each, and the signatures that did. */
@Injectable()
export class ApprovalChallengeRepository {
  constructor(private readonly database: Database) {}

  /** Replaces an unused one of the same order. */
  async ask({ orderId, challenge, terms }: ApprovalChallenge, askedAt: Date, expiresAt: Date): Promise<void> {
    await this.database.query(
      `INSERT INTO approval_challenge AS asked (order_id, challenge, terms, asked_at, expires_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (order_id) DO UPDATE
          SET challenge = $2, terms = $3, asked_at = $4, expires_at = $5 WHERE asked.used_at IS NULL`,
      [orderId, challenge, terms, askedAt, expiresAt],
    );
  }

  /** @returns null where the order has none that can still be used */
  async find(orderId: string, now: Date): Promise<Buffer | null> {
    const [row] = await this.database.query<{ challenge: Buffer }>(
      'SELECT challenge FROM approval_challenge WHERE order_id = $1 AND used_at IS NULL AND expires_at > $2',
      [orderId, now],
    );
    return row?.challenge ?? null;
  }

  /** @returns as useUp does */
  use(
    { orderId, challenge, terms }: ApprovalChallenge,
    proof: object,
    now: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const values = [orderId, challenge, terms, now, JSON.stringify(proof)];
    return useUp('approval_challenge', values, transaction);
  }
}

/** The column of the secret that is used up, and a column that is written with it. */
const ONCE = {
  approval_link: { secret: 'token_hash', also: '' },
  approval_challenge: { secret: 'challenge', also: ', proof = $5' },
} as const;

/** @returns false if it was used or replaced, has expired, belongs to another order, or was for other terms */
async function useUp(
  table: keyof typeof ONCE,
  values: readonly unknown[],
  transaction: Queryable,
): Promise<boolean> {
  const { secret, also } = ONCE[table];
  const rows = await transaction.kept(
    `UPDATE ${table} SET used_at = $4${also}
      WHERE order_id = $1 AND ${secret} = $2 AND terms = $3 AND used_at IS NULL AND expires_at > $4
     RETURNING order_id`,
    values,
  );
  return rows.length > 0;
}

import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database } from '../../db/database.js';
import { LIVE_SECRETS } from './webhook.repository.js';

export const PROOF_WAYS = ['challenge', 'file', 'use'] as const;
/**
 * The way of proof; by use: the webhook existed before proofs. A file proves a host, the others one address.
 */
export type ProofWay = (typeof PROOF_WAYS)[number];

/** Where a webhook leads, and whether that is proven: its host, or its address alone. */
export interface HostProof {
  readonly url: string;
  readonly host: string;
  readonly provenAt: Date | null;
  readonly provenBy: ProofWay | null;
  /** Its sealed signing secrets: the current one and earlier ones that still sign. */
  readonly secrets: readonly Buffer[];
}

/** Which hosts the holders of accounts have proven to be theirs, and the turns of the others. */
@Injectable()
export class WebhookProofRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, webhookId: string): Promise<HostProof | null> {
    const [row] = await this.database.query<QueryResultRow & HostProof>(
      `SELECT url, host, proven_at AS "provenAt", proven_by AS "provenBy", secret || ARRAY(${LIVE_SECRETS}) AS secrets
         FROM webhook
         LEFT JOIN LATERAL (SELECT proven_at, proven_by FROM webhook_proof AS proof
                             WHERE proof.account_id = webhook.account_id AND place IN (host, url)
                             ORDER BY place = host DESC LIMIT 1) AS proof ON true
        WHERE account_id = $1 AND id = $2`,
      [accountId, webhookId],
    );
    return row ?? null;
  }

  /** @param place a host, or one address */
  async insert(accountId: string, place: string, way: ProofWay): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_proof (account_id, place, proven_by)
       SELECT id, $2, $3 FROM account WHERE id = $1 ON CONFLICT DO NOTHING`,
      [accountId, place, way],
    );
  }

  /**
   * Takes the account's turn for one delivery to an unproven host, or for one attempt at a proof.
   *
   * @returns 0, or in how many seconds there is one again
   */
  async takeTurn(accountId: string, paceSeconds: number, of: 'next_at' | 'next_proof_at'): Promise<number> {
    const taken = await this.database.query(
      `INSERT INTO webhook_turn AS turn (account_id, ${of})
       SELECT id, now() + make_interval(secs => $2) FROM account WHERE id = $1
       ON CONFLICT (account_id) DO UPDATE SET ${of} = excluded.${of} WHERE turn.${of} IS NULL OR turn.${of} <= now()
       RETURNING account_id`,
      [accountId, paceSeconds],
    );
    if (taken.length > 0) return 0;
    const [turn] = await this.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM ${of} - now())::float8 AS seconds FROM webhook_turn WHERE account_id = $1`,
      [accountId],
    );
    return Math.max(Math.ceil(turn?.seconds ?? paceSeconds), 1);
  }

  /** A turn lasts at most an hour; older rows limit no account. */
  async forgetOldTurns(): Promise<void> {
    await this.database.query(
      `DELETE FROM webhook_turn WHERE greatest(next_at, next_proof_at) < now() - interval '1 hour'`,
    );
  }
}

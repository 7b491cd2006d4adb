import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database } from '../../database/database.js';
import { LIVE_SECRETS } from '../webhook.repository.js';

export const PROOF_WAYS = ['challenge', 'file', 'use'] as const;
/** How a host was proven; by use: its webhooks were there before there was a proof. */
export type ProofWay = (typeof PROOF_WAYS)[number];

/** The host of a webhook, and whether it is proven. */
export interface HostProof {
  readonly url: string;
  readonly host: string;
  readonly provenAt: Date | null;
  readonly provenBy: ProofWay | null;
  /** What it signs with, sealed: the one of now and those that still sign beside it. */
  readonly secrets: readonly Buffer[];
}

/** Which hosts the holders of accounts have proven to be theirs, and the turns of the others. */
@Injectable()
export class WebhookProofRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, webhookId: string): Promise<HostProof | null> {
    const [row] = await this.database.query<QueryResultRow & HostProof>(
      `SELECT url, host, proven_at AS "provenAt", proven_by AS "provenBy", secret || ARRAY(${LIVE_SECRETS}) AS secrets
         FROM webhook LEFT JOIN webhook_proof USING (account_id, host)
        WHERE account_id = $1 AND id = $2`,
      [accountId, webhookId],
    );
    return row ?? null;
  }

  async insert(accountId: string, host: string, way: ProofWay): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_proof (account_id, host, proven_by)
       SELECT id, $2, $3 FROM account WHERE id = $1 ON CONFLICT DO NOTHING`,
      [accountId, host, way],
    );
  }

  /** Takes the account's turn for one request to a host that is not proven. @returns whether it had one */
  async takeTurn(accountId: string, paceSeconds: number): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO webhook_turn AS turn (account_id, next_at)
       SELECT id, now() + make_interval(secs => $2) FROM account WHERE id = $1
       ON CONFLICT (account_id) DO UPDATE SET next_at = excluded.next_at WHERE turn.next_at <= now()
       RETURNING account_id`,
      [accountId, paceSeconds],
    );
    return rows.length > 0;
  }

  /** Turns are as long as a minute or an hour; one that is older holds nobody. */
  async forgetOldTurns(): Promise<void> {
    await this.database.query(`DELETE FROM webhook_turn WHERE next_at < now() - interval '1 hour'`);
  }
}

import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, type Queryable } from '../../db/database.js';
import type { WokenKey } from '../../work/work-queue.js';
import type { TierName } from '../../config/tiers.js';
import { FAILURE_GRACE_DAYS } from './webhook.js';
import { LIVE_SECRETS, PROVEN } from './webhook.repository.js';

export interface LeasedWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Whether the account has proven the host, or this address. */
  readonly isProven: boolean;
  /** Its receiver failed or took its time when it was last asked. */
  readonly isSlow: boolean;
  readonly secret: Buffer;
  /** Earlier secrets that still sign, the newest first. */
  readonly earlierSecrets: readonly Buffer[];
}

export interface DisabledWebhook {
  readonly id: string;
  readonly url: string;
  readonly email: string;
  readonly reason: string;
}

type Row = QueryResultRow & LeasedWebhook;

const SLOW = '(failing_since IS NOT NULL OR is_slow)';
const NOT_BUSY = '(not_before IS NULL OR not_before <= now())';
/** Of one whose host is not proven: the account's turn has come. */
const HAS_TURN = `NOT EXISTS (SELECT FROM webhook_turn AS turn
  WHERE turn.account_id = webhook.account_id AND next_at > now())`;
const OF_ACCOUNT = 'webhook JOIN account ON account.id = account_id';
/** $2: the tiers that have webhooks. */
const IS_SERVED = 'enabled AND tier = ANY ($2) AND disabled_at IS NULL';
const IS_READY = `${IS_SERVED} AND ${NOT_BUSY} AND (${PROVEN} OR ${HAS_TURN})`;
const LANE = 'webhook.id::text AS key, account_id::text AS lane';
const LEASED = `webhook.id, account_id AS "accountId", url, ${SLOW} AS "isSlow", ${PROVEN} AS "isProven", secret,
  ARRAY(${LIVE_SECRETS}) AS "earlierSecrets"`;

const DISABLED = 'webhook.id, url, email, disabled_reason AS reason';
/** Longer than a mail takes. */
const TELL_AGAIN = `interval '10 minutes'`;

@Injectable()
export class WebhookLeaseRepository {
  constructor(private readonly database: Database) {}

  /**
   * A webhook with its current settings; null while it cannot receive: disabled, deleted, asking for a pause,
   * without a turn, or in a tier without webhooks.
   */
  async findReady(id: string, tiers: readonly TierName[]): Promise<LeasedWebhook | null> {
    const [row] = await this.database.query<Row>(
      `SELECT ${LEASED} FROM ${OF_ACCOUNT} WHERE webhook.id = $1 AND ${IS_READY}`,
      [id, tiers],
    );
    return row ?? null;
  }

  /** When the next delivery to a webhook is due; null when none is, or none may be made. */
  async findNext(id: string, tiers: readonly TierName[]): Promise<{ inMs: number; isSlow: boolean } | null> {
    const [row] = await this.database.query<{ inMs: number; isSlow: boolean }>(
      `SELECT ${SLOW} AS "isSlow",
              (1000 * extract(epoch FROM greatest(next.at, not_before,
                CASE WHEN NOT ${PROVEN} THEN turn.next_at END, now())
                                         - now()))::float8 AS "inMs"
         FROM ${OF_ACCOUNT} LEFT JOIN webhook_turn AS turn USING (account_id)
              CROSS JOIN LATERAL (SELECT due_at AS at FROM webhook_delivery
                                   WHERE webhook_id = webhook.id AND status = 'pending'
                                   ORDER BY due_at LIMIT 1) AS next
        WHERE webhook.id = $1 AND ${IS_SERVED}`,
      [id, tiers],
    );
    return row ?? null;
  }

  /** Webhooks with something due, and no work that is due. */
  async listIdle(kind: string, tiers: readonly TierName[]): Promise<WokenKey[]> {
    return this.database.query<QueryResultRow & WokenKey>(
      `SELECT ${LANE} FROM ${OF_ACCOUNT}
        WHERE ${IS_READY}
          AND EXISTS (SELECT FROM webhook_delivery
                       WHERE webhook_id = webhook.id AND status = 'pending' AND due_at <= now())
          AND NOT EXISTS (SELECT FROM work WHERE kind = $1 AND key = webhook.id::text
                             AND (holder IS NOT NULL OR ready OR due_at <= now()))`,
      [kind, tiers],
    );
  }

  /** Accounts share the turns of their webhooks. */
  async listLanes(ids: readonly string[], transaction: Queryable): Promise<WokenKey[]> {
    return transaction.query<QueryResultRow & WokenKey>(`SELECT ${LANE} FROM webhook WHERE id = ANY ($1)`, [
      ids,
    ]);
  }

  /**
   * Switches a webhook off.
   *
   * @param url where it was delivered to: what another address answered is no reason
   * @returns null when it was off already, or leads elsewhere
   */
  async disable(id: string, url: string, reason: string): Promise<DisabledWebhook | null> {
    return this.switchOff('true', id, url, reason);
  }

  /** The same of one with which nothing has succeeded for longer than the grace period. */
  async disableHopeless(id: string, url: string, reason: string): Promise<DisabledWebhook | null> {
    return this.switchOff(`failing_since < now() - interval '${FAILURE_GRACE_DAYS} days'`, id, url, reason);
  }

  /**
   * Forgets that nothing succeeded where nothing is tried: no grace period ends meanwhile.
   *
   * @param tiers whose accounts are delivered to
   */
  async forgetFailuresOfOthers(tiers: readonly TierName[]): Promise<void> {
    await this.database.query(
      `UPDATE webhook SET failing_since = NULL
         FROM account WHERE failing_since IS NOT NULL AND account.id = account_id AND tier <> ALL ($1)`,
      [tiers],
    );
  }

  private async switchOff(
    condition: string,
    id: string,
    url: string,
    reason: string,
  ): Promise<DisabledWebhook | null> {
    const [row] = await this.database.query<QueryResultRow & DisabledWebhook>(
      `WITH disabled AS (
         UPDATE webhook
            SET enabled = false, disabled_reason = $2, updated_at = now(), tell_owner_after = now() + ${TELL_AGAIN}
           FROM account WHERE webhook.id = $1 AND url = $3 AND enabled AND account.id = account_id AND ${condition}
         RETURNING ${DISABLED}, account_id, host
       ), unproven AS (
         -- Whose the host is by now is to be shown anew.
         DELETE FROM webhook_proof AS proof USING disabled
          WHERE proof.account_id = disabled.account_id AND proof.place IN (disabled.host, disabled.url)
       )
       SELECT id, url, email, reason FROM disabled`,
      [id, reason, url],
    );
    return row ?? null;
  }

  /**
   * Claims disabled webhooks whose owner has no mail yet, so that no other process mails at the same time.
   */
  async claimUntold(): Promise<DisabledWebhook[]> {
    return this.database.query<QueryResultRow & DisabledWebhook>(
      `UPDATE webhook SET tell_owner_after = now() + ${TELL_AGAIN}
         FROM account WHERE tell_owner_after <= now() AND NOT enabled AND account.id = account_id
       RETURNING ${DISABLED}`,
    );
  }

  async noteTold(id: string): Promise<void> {
    await this.database.query('UPDATE webhook SET tell_owner_after = NULL WHERE id = $1', [id]);
  }

  /** Whether a webhook leads to this address by now, switched off or not. */
  async leadsTo(webhookId: string, url: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM webhook WHERE id = $1 AND url = $2', [
      webhookId,
      url,
    ]);
    return rows.length > 0;
  }
}

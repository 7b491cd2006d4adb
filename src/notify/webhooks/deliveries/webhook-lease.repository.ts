import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database } from '../../../db/database.js';
import type { TierName } from '../../../config/tiers.js';
import { FAILURE_GRACE_DAYS } from '../webhook.js';
import { LIVE_SECRETS, PROVEN } from '../webhook.repository.js';

/** A webhook that is leased for delivering to it. */
export interface LeasedWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Whether the account has proven the host, or this address. */
  readonly isProven: boolean;
  /** Its receiver failed or took its time when it was last asked. */
  readonly isSlow: boolean;
  readonly secret: Buffer;
  /** Those that still sign beside it, the newest first. */
  readonly earlierSecrets: readonly Buffer[];
}

/** A webhook that was switched off, and whom to tell. */
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
const LEASED = `webhook.id, account_id AS "accountId", url, ${SLOW} AS "isSlow", ${PROVEN} AS "isProven", secret,
  ARRAY(${LIVE_SECRETS}) AS "earlierSecrets"`;

const DISABLED = 'webhook.id, url, email, disabled_reason AS reason';
/** Longer than a mail takes. */
const TELL_AGAIN = `interval '10 minutes'`;

/** Who delivers to which webhook, and to which nobody does. */
@Injectable()
export class WebhookLeaseRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes webhooks that have something due and that nobody delivers to; those served longest ago first. They are held for
   * `seconds`, unless released before, so that a process that dies keeps nobody waiting for longer.
   *
   * @param tiers whose accounts are delivered to
   */
  async leasePrompt(limit: number, seconds: number, tiers: readonly TierName[]): Promise<LeasedWebhook[]> {
    return this.lease(`NOT ${SLOW}`, limit, seconds, tiers);
  }

  /** The same of those that last failed or took their time. */
  async leaseSlow(limit: number, seconds: number, tiers: readonly TierName[]): Promise<LeasedWebhook[]> {
    return this.lease(SLOW, limit, seconds, tiers);
  }

  private async lease(
    condition: string,
    limit: number,
    seconds: number,
    tiers: readonly TierName[],
  ): Promise<LeasedWebhook[]> {
    return this.database.query<Row>(
      `UPDATE webhook SET held_until = now() + make_interval(secs => $2)
        WHERE id = ANY (ARRAY(
          SELECT webhook.id FROM webhook JOIN account ON account.id = account_id
           WHERE enabled AND tier = ANY ($3) AND disabled_at IS NULL AND (held_until IS NULL OR held_until <= now()) AND ${NOT_BUSY} AND ${condition}
             AND EXISTS (SELECT FROM webhook_delivery
                          WHERE webhook_id = webhook.id AND status = 'pending' AND due_at <= now())
             AND (${PROVEN} OR ${HAS_TURN})
           ORDER BY held_until NULLS FIRST
           LIMIT $1
             FOR UPDATE OF webhook SKIP LOCKED))
      RETURNING ${LEASED}`,
      [limit, seconds, tiers],
    );
  }

  /**
   * Renews the lease of a webhook.
   *
   * @returns how it is set by now; null when it is not there any more, was switched off, or asks to be left alone
   */
  async renewLease(id: string, seconds: number): Promise<LeasedWebhook | null> {
    const [row] = await this.database.query<Row>(
      `UPDATE webhook SET held_until = now() + make_interval(secs => $2)
        WHERE id = $1 AND enabled AND ${NOT_BUSY}
      RETURNING ${LEASED}`,
      [id, seconds],
    );
    return row ?? null;
  }

  async release(id: string): Promise<void> {
    // The time stays, as the place in the row of those who wait.
    await this.database.query('UPDATE webhook SET held_until = now() WHERE id = $1', [id]);
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

  /** Takes webhooks that were switched off without anybody telling the owner, so that nobody else does at the same time. */
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

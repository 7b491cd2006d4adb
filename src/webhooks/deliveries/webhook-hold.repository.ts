import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database } from '../../database/database.js';
import type { TierName } from '../../tiers/tiers.js';
import { PATIENCE_DAYS } from '../webhook.js';
import { LIVE_SECRETS } from '../webhook.repository.js';

/** A webhook that is held for delivering to it. */
export interface HeldWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Its receiver failed or took its time when it was last asked. */
  readonly isLagging: boolean;
  readonly secret: Buffer;
  /** Those that still sign beside it, the newest first. */
  readonly earlierSecrets: readonly Buffer[];
}

type Row = QueryResultRow & HeldWebhook;

const LAGGING = '(failing_since IS NOT NULL OR is_slow)';
const NOT_BUSY = '(not_before IS NULL OR not_before <= now())';
const HELD = `webhook.id, account_id AS "accountId", url, ${LAGGING} AS "isLagging", secret,
  ARRAY(${LIVE_SECRETS}) AS "earlierSecrets"`;

/** Who delivers to which webhook, and to which nobody does. */
@Injectable()
export class WebhookHoldRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes webhooks that have something due and that nobody delivers to; those served longest ago first. They are held for
   * `seconds`, unless released before, so that a process that dies holds nothing up for longer.
   *
   * @param tiers whose accounts are delivered to
   */
  async holdPrompt(limit: number, seconds: number, tiers: readonly TierName[]): Promise<HeldWebhook[]> {
    return this.hold(`NOT ${LAGGING}`, limit, seconds, tiers);
  }

  /** The same of those that last failed or took their time. */
  async holdLagging(limit: number, seconds: number, tiers: readonly TierName[]): Promise<HeldWebhook[]> {
    return this.hold(LAGGING, limit, seconds, tiers);
  }

  private async hold(
    condition: string,
    limit: number,
    seconds: number,
    tiers: readonly TierName[],
  ): Promise<HeldWebhook[]> {
    return this.database.query<Row>(
      `UPDATE webhook SET held_until = now() + make_interval(secs => $2)
        WHERE id = ANY (ARRAY(
          SELECT candidate.id FROM webhook AS candidate JOIN account ON account.id = account_id
           WHERE enabled AND tier = ANY ($3) AND (held_until IS NULL OR held_until <= now()) AND ${NOT_BUSY} AND ${condition}
             AND EXISTS (SELECT FROM webhook_delivery
                          WHERE webhook_id = candidate.id AND status = 'pending' AND due_at <= now())
           ORDER BY held_until NULLS FIRST
           LIMIT $1
             FOR UPDATE OF candidate SKIP LOCKED))
      RETURNING ${HELD}`,
      [limit, seconds, tiers],
    );
  }

  /**
   * Goes on holding a webhook.
   *
   * @returns how it is set by now; null when it is not there any more, was switched off, or asks to be left alone
   */
  async keepHolding(id: string, seconds: number): Promise<HeldWebhook | null> {
    const [row] = await this.database.query<Row>(
      `UPDATE webhook SET held_until = now() + make_interval(secs => $2) 
        WHERE id = $1 AND enabled AND ${NOT_BUSY}
      RETURNING ${HELD}`,
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
   * @returns the address of its owner; null when it was off already, or leads elsewhere
   */
  async disable(webhookId: string, url: string, reason: string): Promise<string | null> {
    const [row] = await this.database.query<{ email: string }>(
      `UPDATE webhook SET enabled = false, disabled_reason = $2, updated_at = now()
         FROM account WHERE webhook.id = $1 AND url = $3 AND enabled AND account.id = account_id
       RETURNING account.email`,
      [webhookId, reason, url],
    );
    return row?.email ?? null;
  }

  /** Whether a webhook leads to this address by now, switched off or not. */
  async leadsTo(webhookId: string, url: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM webhook WHERE id = $1 AND url = $2', [
      webhookId,
      url,
    ]);
    return rows.length > 0;
  }

  /** Whether nothing has succeeded for longer than anybody's patience. */
  async isHopeless(webhookId: string): Promise<boolean> {
    const [row] = await this.database.query<{ hopeless: boolean | null }>(
      'SELECT failing_since < now() - make_interval(days => $2) AS hopeless FROM webhook WHERE id = $1',
      [webhookId, PATIENCE_DAYS],
    );
    return row?.hopeless ?? false;
  }
}

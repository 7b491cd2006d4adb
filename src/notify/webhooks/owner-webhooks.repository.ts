import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Tiers } from '../../config/tiers.js';
import type { Queryable } from '../../db/database.js';
import type { AccountEventType } from './account-events.js';
import { tiersWithWebhooks } from './webhook.js';
import { WebhookLanes } from './webhook-lanes.js';

interface AccountEvent {
  readonly accountId: string;
  readonly type: AccountEventType;
  readonly data: object;
  readonly at: Date;
}

/** Webhooks that receive the events of their own account. */
@Injectable()
export class OwnerWebhooks {
  constructor(
    private readonly lanes: WebhookLanes,
    private readonly config: Config,
    private readonly tiers: Tiers,
  ) {}

  /** In the transaction that notes them, as its last statement. */
  async tell(events: readonly AccountEvent[], transaction: Queryable): Promise<void> {
    if (!this.config.webhooks.enabled || events.length === 0) return;
    const made = await transaction.kept<{ webhookId: string }>(
      `INSERT INTO webhook_delivery (webhook_id, type, events, data, created_at)
       SELECT webhook.id, type, '{}', event.data, event.at
         FROM jsonb_to_recordset($1) AS event ("accountId" uuid, type text, data jsonb, at timestamptz)
         JOIN account ON account.id = event."accountId" JOIN webhook ON account_id = account.id
        WHERE enabled AND type = ANY (event_types) AND account.tier = ANY ($2) AND account.disabled_at IS NULL
        ORDER BY event.at
       RETURNING webhook_id AS "webhookId"`,
      [JSON.stringify(events), tiersWithWebhooks(this.tiers.table)],
    );
    await this.lanes.wake(
      made.map(({ webhookId }) => webhookId),
      transaction,
    );
  }
}

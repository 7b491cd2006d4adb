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

  /** In the transaction that notes it, as its last statement. */
  async tell({ accountId, type, data, at }: AccountEvent, transaction: Queryable): Promise<void> {
    if (!this.config.webhooks.enabled) return;
    const made = await transaction.query<{ webhookId: string }>(
      `INSERT INTO webhook_delivery (webhook_id, type, events, data, created_at)
       SELECT webhook.id, $2, '{}', $3, $4 FROM webhook JOIN account ON account.id = account_id
        WHERE account_id = $1 AND enabled AND $2 = ANY (event_types)
          AND account.tier = ANY ($5) AND account.disabled_at IS NULL
       RETURNING webhook_id AS "webhookId"`,
      [accountId, type, JSON.stringify(data), at, tiersWithWebhooks(this.tiers.table)],
    );
    await this.lanes.wake(
      made.map(({ webhookId }) => webhookId),
      transaction,
    );
  }
}

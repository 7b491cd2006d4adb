import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Config } from '../../config/config.js';
import { Database, type Queryable } from '../../db/database.js';
import type { ListedEvent } from '../../domains/feed/domain-event.repository.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { type TierName, Tiers } from '../../config/tiers.js';
import { WebhookLanes } from './webhook-lanes.js';
import { DeliveryRepository } from './delivery.repository.js';
import { tiersWithWebhooks } from './webhook.js';
import { type BatchSubscriber, deliveriesOf, SUBSCRIBER } from './event-deliveries.js';

type Row = QueryResultRow & BatchSubscriber & { accountId: string };

/**
 * Webhooks limited to their account's watches. The notice matcher hands over accounts' events here, in the
 * transaction that records them: once, and never lost. The deliveries are made like all others.
 */
@Injectable()
export class WatchedWebhooks {
  private readonly tiers: readonly TierName[];

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly lanes: WebhookLanes,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
    { table }: Tiers,
  ) {
    this.tiers = tiersWithWebhooks(table);
  }

  /**
   * Wait for this before handing over events, outside any transaction: a receiver may query the name at once.
   */
  async untilReadable(): Promise<void> {
    const [any] = this.config.webhooks.enabled
      ? await this.database.query('SELECT FROM webhook WHERE watched_only AND enabled LIMIT 1')
      : [];
    if (any) await this.reads.untilReadable();
  }

  /** Subscribed webhooks per account: the most deliveries one notice can make. */
  async countByAccount(transaction: Queryable): Promise<Map<string, number>> {
    if (!this.config.webhooks.enabled) return new Map();
    const rows = await transaction.query<{ accountId: string; count: number }>(
      'SELECT account_id AS "accountId", count(*)::int AS count FROM webhook WHERE watched_only ' +
        'AND enabled GROUP BY account_id',
    );
    return new Map(rows.map(({ accountId, count }) => [accountId, count]));
  }

  wake(ids: readonly string[], transaction: Queryable): Promise<void> {
    return this.lanes.wake(ids, transaction);
  }

  /**
   * @param told by account, in the order of the feed
   * @returns the webhooks to wake, as the last statement of the transaction
   */
  async handOver(
    told: ReadonlyMap<string, readonly ListedEvent[]>,
    transaction: Queryable,
  ): Promise<string[]> {
    if (!this.config.webhooks.enabled || told.size === 0) return [];
    const subscribers = await transaction.query<Row>(
      `SELECT ${SUBSCRIBER}, account_id AS "accountId" FROM webhook JOIN account ON account.id = account_id
        WHERE watched_only AND enabled AND account_id = ANY ($1)
          AND account.tier = ANY ($2) AND account.disabled_at IS NULL`,
      [[...told.keys()], this.tiers],
    );
    const made = subscribers.flatMap(
      (subscriber) => deliveriesOf(told.get(subscriber.accountId) ?? [], [subscriber]).made,
    );
    await this.deliveries.insertDeliveries(made, transaction);
    return made.map(({ webhookId }) => webhookId);
  }
}

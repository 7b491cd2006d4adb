import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import { WorkLoop } from '../../work/work-loop.js';
import { WorkQueue } from '../../work/work-queue.js';
import type { TierName } from '../../config/tiers.js';
import { WebhookLeaseRepository } from './webhook-lease.repository.js';

/** The kind of work that drains the deliveries of a webhook, whose id is the key. */
export const WEBHOOK_KIND = 'webhook';

@Injectable()
export class WebhookLanes {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookLeaseRepository,
    private readonly queue: WorkQueue,
    private readonly loop: WorkLoop,
  ) {}

  /** As the last statement of the transaction that made the deliveries. */
  async wake(ids: readonly string[], transaction: Queryable): Promise<void> {
    if (ids.length === 0) return;
    const lanes = await this.webhooks.listLanes([...new Set(ids)], transaction);
    await this.queue.wake(transaction, WEBHOOK_KIND, lanes);
  }

  /**
   * Call after the caller's transaction: a run locks its key before its deliveries, the caller its deliveries
   * first. If the process dies in between, the next scan for idle webhooks finds the deliveries.
   */
  async wakeNow(id: string): Promise<void> {
    await this.wake([id], this.database);
    this.loop.wake();
  }

  /** Wakes webhooks with something due that no cause has woken: a proof, a tier, a webhook that was switched on. */
  async wakeIdle(tiers: readonly TierName[]): Promise<void> {
    await this.queue.wake(this.database, WEBHOOK_KIND, await this.webhooks.listIdle(WEBHOOK_KIND, tiers));
  }
}

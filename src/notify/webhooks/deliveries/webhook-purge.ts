import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Tiers } from '../../../config/tiers.js';
import { tiersWithWebhooks } from '../webhook.js';
import { WebhookProofRepository } from '../proofs/webhook-proof.repository.js';
import { WebhookRepository } from '../webhook.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookNotices } from './webhook-notices.js';

/** Keeps nothing longer than it is of use, and makes up for what was broken off. Several processes may do it at once. */
@Injectable()
export class WebhookPurge {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryCleanupRepository,
    private readonly leases: WebhookLeaseRepository,
    private readonly proofs: WebhookProofRepository,
    private readonly notices: WebhookNotices,
    private readonly tiers: Tiers,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.deliveries.giveUpWhereOff();
      await this.notices.tellTheRest();
      // By the tiers as they are set now. The grace period is counted in days, so that an hour of it matters to nobody.
      await this.leases.forgetFailuresOfOthers(tiersWithWebhooks(this.tiers.table));
      await this.webhooks.forgetEndedSecrets();
      await this.proofs.forgetOldTurns();
      const old = await this.deliveries.deleteOld();
      const removed = await this.deliveries.deleteOfRemovedWebhooks();
      if (old + removed > 0)
        this.logger.log(`Removed ${old} old deliveries, and ${removed} of removed webhooks`);
    } catch (error) {
      this.logger.warn(
        `The hourly round of webhooks was broken off, the next will make up for it: ${String(error)}`,
      );
    }
  }
}

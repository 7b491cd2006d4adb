import { Injectable, Logger } from '@nestjs/common';
import { maintenance, WorkKinds } from '../../work/kind.js';
import { Tiers } from '../../config/tiers.js';
import { tiersWithWebhooks } from './webhook.js';
import { WebhookProofRepository } from './webhook-proof.repository.js';
import { WebhookRepository } from './webhook.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookNotices } from './webhook-notices.js';

const HOUR_MS = 3_600_000;

/** Deletes expired rows and completes interrupted steps. */
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
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('webhook-purge', HOUR_MS, () => this.run()));
  }

  async run(): Promise<void> {
    await this.deliveries.giveUpWhereOff();
    await this.notices.tellTheRest();
    // By the tiers as they are set now. The grace period is counted in days, so an hour of it does not matter.
    await this.leases.forgetFailuresOfOthers(tiersWithWebhooks(this.tiers.table));
    await this.webhooks.forgetEndedSecrets();
    await this.proofs.forgetOldTurns();
    const old = await this.deliveries.deleteOld();
    const removed = await this.deliveries.deleteOfRemovedWebhooks();
    if (old + removed > 0)
      this.logger.log(`Removed ${old} old deliveries, and ${removed} of removed webhooks`);
  }
}

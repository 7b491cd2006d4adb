import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { WebhookRepository } from '../webhook.repository.js';
import { DeliveryRepository } from './delivery.repository.js';

/** Keeps nothing longer than it is of use. Several processes may do it at once. */
@Injectable()
export class WebhookPurge {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.deliveries.giveUpWhereOff();
      await this.webhooks.forgetEndedSecrets();
      const old = await this.deliveries.deleteOld();
      const removed = await this.deliveries.deleteOfRemovedWebhooks();
      if (old + removed > 0)
        this.logger.log(`Removed ${old} old deliveries, and ${removed} of removed webhooks`);
    } catch (error) {
      this.logger.warn(`What is over was not removed, the next hour will: ${String(error)}`);
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Mailer } from '../../../accounts/mailer.js';
import { type DisabledWebhook, WebhookLeaseRepository } from './webhook-lease.repository.js';
import { webhookDisabledMail } from './webhook-mails.js';

/** Tells owners that a webhook of theirs was switched off. */
@Injectable()
export class WebhookNotices {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhookLeaseRepository,
    private readonly mailer: Mailer,
  ) {}

  async tell({ id, url, email, reason }: DisabledWebhook): Promise<void> {
    try {
      await this.mailer.send(webhookDisabledMail(email, url, reason));
      await this.webhooks.noteTold(id);
    } catch (error) {
      this.logger.warn(`The owner of webhook ${id} is told later: ${String(error)}`);
    }
  }

  /** Makes up for mails that could not be sent, or whose process ended before. */
  async tellTheRest(): Promise<void> {
    for (const webhook of await this.webhooks.claimUntold()) await this.tell(webhook);
  }
}

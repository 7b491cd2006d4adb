import { Injectable, Logger } from '@nestjs/common';
import { type Mail, Mailer } from '../../accounts/mailer.js';
import { type DisabledWebhook, WebhookLeaseRepository } from './webhook-lease.repository.js';

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

function webhookDisabledMail(to: string, url: string, reason: string): Mail {
  return {
    to,
    subject: 'A webhook of yours was switched off',
    text:
      `Deliveries to ${url} have stopped: ${reason}. What was missed is in the feed, and can be ` +
      'replayed once you have switched the webhook on again (PATCH with "enabled": true, then POST ' +
      '.../replay).',
  };
}

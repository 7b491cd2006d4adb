import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Mailer } from '../../mail/mailer.js';
import { DeliveryRepository } from './delivery.repository.js';
import { postTo } from '../receivers/receiver-request.js';
import { nextDelay, pauseAsked } from './retry-schedule.js';
import { type Delivery, PATIENCE_DAYS } from '../webhook.js';
import { webhookDisabledMail } from './webhook-mails.js';
import { type HeldWebhook, WebhookHoldRepository } from './webhook-hold.repository.js';
import { WebhookMessages } from './webhook-message.js';

const GONE = 410;

/** Makes one attempt at one delivery, and writes down what came of it. */
@Injectable()
export class WebhookDeliverer {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly webhooks: WebhookHoldRepository,
    private readonly messages: WebhookMessages,
    private readonly mailer: Mailer,
    private readonly config: Config,
  ) {}

  async attempt(delivery: Delivery, webhook: HeldWebhook): Promise<void> {
    const message = await this.messages.write(delivery, webhook);
    if (typeof message === 'string') {
      await this.deliveries.recordUnsent(delivery, message);
      return;
    }
    const answer = await postTo(webhook.url, message.headers, message.body, this.config.webhooks);
    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const pauseSeconds = pauseAsked(answer);
    const delaySeconds =
      delivered || answer.status === GONE
        ? null
        : nextDelay(delivery.attempts + 1, this.config.webhooks.retrySeconds, pauseSeconds);
    await this.deliveries.recordAttempt(delivery, webhook.url, answer, {
      delivered,
      delaySeconds,
      pauseSeconds,
    });
    if (delivered) return;
    if (answer.status === GONE) await this.disable(webhook, 'the receiver answered 410 Gone');
    else if (await this.webhooks.isHopeless(webhook.id))
      await this.disable(webhook, `nothing could be delivered for ${PATIENCE_DAYS} days`);
  }

  private async disable(webhook: HeldWebhook, reason: string): Promise<void> {
    const { id, url } = webhook;
    const email = await this.webhooks.disable(id, url, reason);
    if (email === null) return;
    this.logger.warn(`Webhook ${id} was switched off: ${reason}`);
    await Promise.all([this.tell(webhook, email, reason), this.deliveries.giveUp(id)]);
  }

  private async tell({ id, url }: HeldWebhook, email: string, reason: string): Promise<void> {
    try {
      await this.mailer.send(webhookDisabledMail(email, url, reason));
    } catch (error) {
      this.logger.warn(`The owner of webhook ${id} could not be told: ${String(error)}`);
    }
  }
}

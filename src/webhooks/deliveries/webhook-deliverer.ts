import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Mailer } from '../../mail/mailer.js';
import { DeliveryRepository } from './delivery.repository.js';
import { notSent, postTo, type ReceiverAnswer } from '../receivers/receiver-request.js';
import { nextDelay } from './retry-schedule.js';
import { type Delivery, PATIENCE_DAYS } from '../webhook.js';
import { webhookDisabledMail } from './webhook-mails.js';
import { type HeldWebhook, WebhookHoldRepository } from './webhook-hold.repository.js';
import { WebhookMessages } from './webhook-message.js';

const GONE = 410;
/** Answers whose Retry-After is listened to. */
const BUSY = [429, 503];

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
      const outcome = { delivered: false, delaySeconds: null, isReceivers: false };
      await this.deliveries.recordAttempt(delivery, notSent(message), outcome);
      return;
    }
    const answer = await postTo(webhook.url, message.headers, message.body, this.config.webhooks);
    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const delaySeconds = delivered || answer.status === GONE ? null : this.delayAfter(delivery, answer);
    await this.deliveries.recordAttempt(delivery, answer, { delivered, delaySeconds, isReceivers: true });
    if (delivered) return;
    if (answer.status === GONE) await this.disable(webhook, 'the receiver answered 410 Gone');
    else if (await this.webhooks.isHopeless(webhook.id))
      await this.disable(webhook, `nothing could be delivered for ${PATIENCE_DAYS} days`);
  }

  private delayAfter({ attempts }: Delivery, { status, retryAfter }: ReceiverAnswer): number | null {
    const asked = status !== null && BUSY.includes(status) ? retryAfter : null;
    return nextDelay(attempts + 1, this.config.webhooks.retrySeconds, asked);
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

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
const GONE_REASON = 'the receiver answered 410 Gone';
const HOPELESS_REASON = `nothing could be delivered for ${PATIENCE_DAYS} days`;

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
    const { id, url } = webhook;
    const answer = await postTo(url, message.headers, message.body, this.config.webhooks);
    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const isGone = answer.status === GONE;
    const owner = isGone ? await this.webhooks.disable(id, url, GONE_REASON) : null;
    const pauseSeconds = pauseAsked(answer);
    // What an address says that the webhook does not lead to any more is no reason to give up.
    const isOver = delivered || owner !== null || (isGone && (await this.webhooks.leadsTo(id, url)));
    const delaySeconds = isOver
      ? null
      : nextDelay(delivery.attempts + 1, this.config.webhooks.retrySeconds, pauseSeconds);
    await this.deliveries.recordAttempt(delivery, url, answer, { delivered, delaySeconds, pauseSeconds });
    if (owner !== null) await this.settle(webhook, owner, GONE_REASON);
    else if (!delivered && (await this.webhooks.isHopeless(id))) await this.stop(webhook);
  }

  private async stop(webhook: HeldWebhook): Promise<void> {
    const owner = await this.webhooks.disable(webhook.id, webhook.url, HOPELESS_REASON);
    if (owner !== null) await this.settle(webhook, owner, HOPELESS_REASON);
  }

  /** What is to be done once a webhook was switched off. */
  private async settle(webhook: HeldWebhook, owner: string, reason: string): Promise<void> {
    this.logger.warn(`Webhook ${webhook.id} was switched off: ${reason}`);
    await Promise.all([this.tell(webhook, owner, reason), this.deliveries.giveUp(webhook.id)]);
  }

  private async tell({ id, url }: HeldWebhook, owner: string, reason: string): Promise<void> {
    try {
      await this.mailer.send(webhookDisabledMail(owner, url, reason));
    } catch (error) {
      this.logger.warn(`The owner of webhook ${id} could not be told: ${String(error)}`);
    }
  }
}

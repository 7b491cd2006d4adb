import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { postTo } from '../receivers/receiver-request.js';
import { nextDelay, pauseAsked } from './retry-schedule.js';
import { type Delivery, FAILURE_GRACE_DAYS } from '../webhook.js';
import {
  type DisabledWebhook,
  type LeasedWebhook,
  WebhookLeaseRepository,
} from './webhook-lease.repository.js';
import { WebhookMessages } from './webhook-message.js';
import { WebhookNotices } from './webhook-notices.js';

const GONE = 410;
const GONE_REASON = 'the receiver answered 410 Gone';
const HOPELESS_REASON = `nothing could be delivered for ${FAILURE_GRACE_DAYS} days`;

/** Makes one attempt at one delivery, and writes down what came of it. */
@Injectable()
export class WebhookDeliverer {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly cleanup: DeliveryCleanupRepository,
    private readonly webhooks: WebhookLeaseRepository,
    private readonly messages: WebhookMessages,
    private readonly notices: WebhookNotices,
    private readonly config: Config,
  ) {}

  /** @param signal breaks it off: then nothing is known of it and nothing written down */
  async attempt(delivery: Delivery, webhook: LeasedWebhook, signal: AbortSignal): Promise<void> {
    const message = await this.messages.write(delivery, webhook);
    if (typeof message === 'string') {
      await this.deliveries.recordUnsent(delivery, message);
      return;
    }
    const { id, url } = webhook;
    const answer = await postTo(url, message.headers, message.body, { ...this.config.webhooks, signal });
    if (signal.aborted && answer.status === null) return;
    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const isGone = answer.status === GONE;
    const off = isGone ? await this.webhooks.disable(id, url, GONE_REASON) : null;
    const pauseSeconds = pauseAsked(answer);
    // What an address says that the webhook does not lead to any more is no reason to give up.
    const isOver = delivered || off !== null || (isGone && (await this.webhooks.leadsTo(id, url)));
    const delaySeconds = isOver
      ? null
      : nextDelay(delivery.attempts + 1, this.config.webhooks.retrySeconds, pauseSeconds);
    await this.deliveries.recordAttempt(delivery, url, answer, { delivered, delaySeconds, pauseSeconds });
    const stopped = off ?? (delivered ? null : await this.webhooks.disableHopeless(id, url, HOPELESS_REASON));
    if (stopped) await this.settle(stopped);
  }

  /** What is to be done once a webhook was switched off. */
  private async settle(webhook: DisabledWebhook): Promise<void> {
    this.logger.warn(`Webhook ${webhook.id} was switched off: ${webhook.reason}`);
    await Promise.all([this.notices.tell(webhook), this.cleanup.giveUp(webhook.id)]);
  }
}

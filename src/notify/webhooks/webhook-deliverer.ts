import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { type Attempt, DeliveryRepository } from './delivery.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { postTo, type ReceiverAnswer } from './receiver-request.js';
import { type DueDelivery, FAILURE_GRACE_DAYS, SLOW_MS } from './webhook.js';
import {
  type DisabledWebhook,
  type LeasedWebhook,
  WebhookLeaseRepository,
} from './webhook-lease.repository.js';
import { type EventsByNumber, WebhookMessages } from './webhook-message.js';
import { type Mail, Mailer } from '../../accounts/mailer.js';

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

/** Part of a delay by which it is stretched at most, so that what failed together does not come back together. */
const JITTER = 0.1;
/** The longest that a receiver can have itself left alone. */
const MAX_RETRY_AFTER_SECONDS = 86_400;
/** Answers whose Retry-After is listened to. */
const BUSY: readonly (number | null)[] = [429, 503];

/** For how many seconds a receiver asks to be left alone; null when it does not. */
export function pauseAsked({
  status,
  retryAfter,
}: Pick<ReceiverAnswer, 'status' | 'retryAfter'>): number | null {
  if (retryAfter === null || !BUSY.includes(status)) return null;
  return Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS);
}

/**
 * When to try again; null when enough has been tried.
 *
 * @param attempts how many there were
 * @param seconds before each attempt, the first included
 * @param asked the pause that the receiver asked for, in seconds
 */
export function nextDelay(
  attempts: number,
  seconds: readonly number[],
  asked: number | null,
  random: () => number = Math.random,
): number | null {
  const delay = seconds[attempts];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + JITTER * random()), asked ?? 0);
}

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

  /**
   * @param signal breaks it off: its result is not known then, and not written
   * @returns whether the receiver answered well and soon, so that more may follow
   */
  async attempt(
    delivery: DueDelivery,
    webhook: LeasedWebhook,
    events: EventsByNumber,
    writer: AttemptWriter,
    signal: AbortSignal,
  ): Promise<boolean> {
    const message = this.messages.write(delivery, webhook, events);
    if (typeof message === 'string') {
      await this.deliveries.recordUnsent(delivery, message);
      return true;
    }
    const { id, url } = webhook;
    const answer = await postTo(url, message.headers, message.body, { ...this.config.webhooks, signal });
    if (signal.aborted && answer.status === null) return false;
    const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const isGone = answer.status === GONE;
    const off = isGone ? await this.webhooks.disable(id, url, GONE_REASON) : null;
    const pauseSeconds = pauseAsked(answer);
    // What an address answers to which the webhook does not lead any more is no reason to stop.
    const isOver = delivered || off !== null || (isGone && (await this.webhooks.leadsTo(id, url)));
    const delaySeconds = isOver
      ? null
      : nextDelay(delivery.attempts + 1, this.config.webhooks.retrySeconds, pauseSeconds);
    writer.add({ delivery, answer, delivered, delaySeconds, pauseSeconds });
    if (delivered) return answer.durationMs <= SLOW_MS;
    await writer.flush();
    const stopped = off ?? (await this.webhooks.disableHopeless(id, url, HOPELESS_REASON));
    if (stopped) await this.settle(stopped);
    return false;
  }

  private async settle(webhook: DisabledWebhook): Promise<void> {
    this.logger.warn(`Webhook ${webhook.id} was switched off: ${webhook.reason}`);
    await Promise.all([this.notices.tell(webhook), this.cleanup.cancel(webhook.id)]);
  }
}

/** Results that come within this time are written together. A process that is killed has made these for nothing. */
const GATHER_MS = 50;

/** Writes the results of one webhook's deliveries, many in one statement. */
export class AttemptWriter {
  private waiting: Attempt[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly writes: Promise<void>[] = [];

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly webhook: LeasedWebhook,
  ) {}

  add(attempt: Attempt): void {
    this.waiting.push(attempt);
    this.timer ??= setTimeout(() => this.write(), GATHER_MS);
  }

  /** Writes at once what waits. @throws what kept a result from being written, now or before */
  async flush(): Promise<void> {
    this.write();
    await Promise.all(this.writes);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    const write = this.deliveries.recordAttempts(this.webhook, this.waiting);
    this.waiting = [];
    // Reported by `flush`, also where it fails before that is called.
    write.catch(() => undefined);
    this.writes.push(write);
  }
}

import { Injectable } from '@nestjs/common';
import { Webhook as Signer } from 'standardwebhooks';
import { Config } from '../config/config.js';
import { VERSION } from '../config/version.js';
import { toFullDomainDto } from '../domains/domain.dto.js';
import { DomainEventRepository } from '../domains/domain-event.repository.js';
import type { HeldWebhook } from './delivery.repository.js';
import type { Delivery } from './webhook.js';
import { openSecret } from './webhook-secret.js';

/** A request to a receiver, signed. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes what receivers read: the body `{ type, timestamp, data }`, and the headers of Standard Webhooks. */
@Injectable()
export class WebhookMessages {
  constructor(
    private readonly events: DomainEventRepository,
    private readonly config: Config,
  ) {}

  /**
   * @param isBatch whether `data` is a list
   * @returns null when the operator has come to withhold every name of it
   */
  async write(delivery: Delivery, webhook: HeldWebhook, isBatch: boolean): Promise<Message | null> {
    const content = await this.contentOf(delivery, isBatch);
    if (!content) return null;
    const body = JSON.stringify({ type: delivery.type, ...content });
    const id = `msg_${delivery.id}`;
    const sentAt = new Date();
    const sealed = [webhook.secret, ...(webhook.previousSecret ? [webhook.previousSecret] : [])];
    const signatures = sealed.map((secret) =>
      new Signer(openSecret(secret, webhook.id, this.config.webhooks.secretKey)).sign(id, sentAt, body),
    );
    return {
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `Bowerbird-Webhooks/${VERSION}`,
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      },
    };
  }

  private async contentOf(
    { type, events, createdAt, webhookId }: Delivery,
    isBatch: boolean,
  ): Promise<{ timestamp: string; data: unknown } | null> {
    if (type === 'webhook.test')
      return { timestamp: createdAt.toISOString(), data: { webhook_id: webhookId } };
    const listed = await this.events.listEventsNumbered(events);
    const last = listed.at(-1);
    if (!last) return null;
    const records = listed.map(({ domain }) => toFullDomainDto(domain, this.config.links));
    return { timestamp: last.occurredAt.toISOString(), data: isBatch ? records : records[0] };
  }
}

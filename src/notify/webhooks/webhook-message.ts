import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Webhook as Signer } from 'standardwebhooks';
import { Config } from '../../config/config.js';
import { VERSION } from '../../config/product.js';
import { toFullDomainDto } from '../../domains/schema/domain-view.js';
import type { ListedEvent } from '../../domains/feed/domain-event.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { timeOfDatabase } from '../../db/database-time.js';
import { isAccountEvent } from './account-events.js';
import { openSecret } from '../../validation/sealing.js';
import type { LeasedWebhook } from './webhook-lease.repository.js';
import type { DueDelivery } from './webhook.js';
import type { AccountDelivery, EventDelivery, TestDelivery } from './delivery.dto.js';

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret, as receivers keep it: `whsec_` and base64. */
export function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The secrets of a webhook that still sign, the current one first. After a lost key, a rotation helps:
 * earlier secrets no longer open and are skipped.
 *
 * @returns null when the current one does not open
 */
export function openSecrets(
  [secret, ...earlier]: readonly Buffer[],
  webhookId: string,
  keys: readonly string[],
): string[] | null {
  const opened = secret ? openSecret(secret, webhookId, keys) : null;
  if (opened === null) return null;
  return [opened, ...earlier.map((one) => openSecret(one, webhookId, keys)).filter((one) => one !== null)];
}

/**
 * The headers by which a receiver knows who sent the body, and when (Standard Webhooks).
 *
 * @param secrets a signature with each, so that a receiver may still know the earlier one for a day after a rotation
 */
export function signatureHeaders(
  id: string,
  sentAt: Date,
  body: string,
  secrets: readonly string[],
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, sentAt, body)).join(' '),
  };
}

export type EventsByNumber = ReadonlyMap<number, ListedEvent>;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes the body `{ type, timestamp, number, numbers, data }` and the headers of Standard Webhooks. */
@Injectable()
export class WebhookMessages {
  constructor(
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  async readEvents(deliveries: readonly DueDelivery[]): Promise<EventsByNumber> {
    const numbers = [...new Set(deliveries.flatMap(({ events }) => events))];
    const listed = numbers.length > 0 ? await this.domains.feed.listEventsNumbered(numbers) : [];
    return new Map(listed.map((event) => [event.number, event]));
  }

  /** @returns why there is nothing to send, where that is so */
  write(delivery: DueDelivery, webhook: LeasedWebhook, read: EventsByNumber): Message | string {
    const content = this.contentOf(delivery, read);
    if (!content) return 'the operator withholds the names of it';
    const { id, secret, earlierSecrets } = webhook;
    const secrets = openSecrets([secret, ...earlierSecrets], id, this.config.webhooks.openingKeys);
    if (!secrets) return 'the secret cannot be read any more: rotate it';
    const body = JSON.stringify(content);
    return {
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `Bowerbird-Webhooks/${VERSION}`,
        ...signatureHeaders(`msg_${delivery.id}`, timeOfDatabase(), body, secrets),
      },
    };
  }

  private contentOf(
    delivery: DueDelivery,
    read: EventsByNumber,
  ): EventDelivery | TestDelivery | AccountDelivery | null {
    const { type, events, isBatch, data, createdAt, webhookId } = delivery;
    if (type === 'webhook.test')
      return { type, timestamp: createdAt.toISOString(), data: { webhook_id: webhookId } };
    if (isAccountEvent(type)) return data && { type, timestamp: createdAt.toISOString(), data };
    const listed = events.flatMap((number) => read.get(number) ?? []);
    const records = listed.map(({ domain }) => toFullDomainDto(domain, this.config.links));
    const [first] = records;
    const last = listed.at(-1);
    if (!first || !last) return null;
    return {
      type,
      timestamp: last.occurredAt.toISOString(),
      number: last.number,
      numbers: listed.map(({ number }) => number),
      data: isBatch ? records : first,
    };
  }
}

import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Caller } from '../../access/caller.js';
import { IdempotentRequests, type Remember, senderOf } from '../../access/idempotent-requests.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { feedCursorBehind, feedStartOf, type FeedPlace } from '../../domains/feed/feed-cursor.js';
import {
  pageOf,
  resumeQuery,
  readCursor,
  writeCursor,
  keptParameters,
} from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { type Replayed, WebhookOutbox } from './webhook-outbox.repository.js';
import { WebhookLanes } from './webhook-lanes.js';
import { MAX_PENDING } from './webhook.js';
import { notFound, WebhooksService } from './webhooks.service.js';
import {
  DeliveriesQuery,
  type DeliveryList,
  type DeliveryResult,
  type ReplayResult,
  toDeliveryDto,
} from './delivery.dto.js';
import { DeliveryRepository } from './delivery.repository.js';

/** What account holders see of their deliveries, and have delivered. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveryRepository,
    private readonly domains: DomainRepository,
    private readonly outbox: WebhookOutbox,
    private readonly lanes: WebhookLanes,
    private readonly requests: IdempotentRequests,
  ) {}

  /** @throws {ApiError} not_found, webhook_disabled, idempotency_conflict */
  async sendTest(id: string, caller: Caller, key?: string): Promise<DeliveryResult> {
    return this.requests.once(
      { by: senderOf(caller), key, content: ['webhook.test', id] },
      async (remember) => {
        const webhook = await this.webhooks.findEnabled(id, caller);
        const delivery = await this.deliveries.insertTest(webhook.id, remember);
        await this.lanes.wakeNow(webhook.id);
        return { ok: true, delivery: toDeliveryDto(delivery) };
      },
      (reference) => this.findSent(id, reference, caller),
    );
  }

  async listDeliveries(id: string, sent: DeliveriesQuery, caller: Caller): Promise<DeliveryList> {
    const webhook = await this.webhooks.find(id, caller);
    const query = await resumeQuery(sent, DeliveriesQuery);
    const after = startOf(query, webhook.id);
    const before = after === undefined ? null : await this.deliveries.placeOf(webhook.id, after);
    if (after !== undefined && !before)
      throw new ApiError(
        'invalid_parameter',
        `${query.after ? 'after' : 'cursor'} names no delivery of this webhook`,
      );
    const found = await this.deliveries.listDeliveries(webhook.id, query.status, before, query.limit + 1);
    const { rows, ...page } = pageOf(found, query.limit, ({ id: last }) =>
      cursorBehind(last, query, webhook.id),
    );
    return { ok: true, results: rows.map(toDeliveryDto), ...page };
  }

  /** @throws {ApiError} not_found, webhook_disabled, idempotency_conflict */
  async redeliver(id: string, deliveryId: string, caller: Caller, key?: string): Promise<DeliveryResult> {
    return this.requests.once(
      { by: senderOf(caller), key, content: ['webhook.redeliver', id, deliveryId] },
      async (remember) => {
        const webhook = await this.webhooks.findEnabled(id, caller);
        const delivery = await this.deliveries.redeliver(webhook.id, deliveryId, remember);
        if (!delivery) throw notFound();
        await this.lanes.wakeNow(webhook.id);
        return { ok: true, delivery: toDeliveryDto(delivery) };
      },
      (reference) => this.findSent(id, reference, caller),
    );
  }

  /**
   * Delivers the events since then again, with new ids.
   *
   * @throws {ApiError} invalid_parameter, not_found, webhook_disabled, limit_reached, idempotency_conflict, gone
   */
  async replay(id: string, place: FeedPlace, caller: Caller, key?: string): Promise<ReplayResult> {
    return this.requests.once(
      { by: senderOf(caller), key, content: ['webhook.replay', id, place.since, place.cursor] },
      (remember) => this.replayNow(id, place, caller, remember),
      async (reference) => JSON.parse(reference) as ReplayResult,
    );
  }

  private async findSent(id: string, deliveryId: string, caller: Caller): Promise<DeliveryResult | null> {
    const webhook = await this.webhooks.find(id, caller);
    const delivery = await this.deliveries.find(webhook.id, deliveryId);
    return delivery && { ok: true, delivery: toDeliveryDto(delivery) };
  }

  private async replayNow(
    id: string,
    place: FeedPlace,
    caller: Caller,
    remember: Remember,
  ): Promise<ReplayResult> {
    const start = feedStartOf(place);
    const webhook = await this.webhooks.findEnabled(id, caller);
    if (typeof start !== 'string') await this.domains.feed.assertKept(start);
    const { number, missingBefore } =
      typeof start === 'string'
        ? await this.domains.feed.findBeginning(start)
        : { ...start, missingBefore: null };
    const resultOf = ({ deliveries, last, hasMore }: Replayed): ReplayResult => ({
      ok: true,
      ...(place.since !== undefined && { since: new Date(place.since).toISOString() }),
      ...(missingBefore && { missing_before: missingBefore.toISOString() }),
      deliveries,
      has_more: hasMore,
      next_cursor: feedCursorBehind({ number: last, seen: null }),
    });
    const replayed = await this.outbox.replay(webhook, number, (made, transaction) =>
      remember(JSON.stringify(resultOf(made)), transaction),
    );
    if (replayed === 'busy')
      throw new ApiError(
        'limit_reached',
        'Another replay of your account is under way, and there is one at a time; ask again when it has been answered',
      );
    if (replayed === 'full')
      throw new ApiError(
        'limit_reached',
        `${MAX_PENDING} deliveries of this webhook wait already; replay when they have been made`,
      );
    await this.lanes.wakeNow(webhook.id);
    return resultOf(replayed);
  }
}

function cursorBehind(id: string, query: DeliveriesQuery, webhookId: string): string {
  return writeCursor(logOf(webhookId, query), [id, ...keptParameters(query, DeliveriesQuery)]);
}

/**
 * The delivery that the page begins behind.
 *
 * @throws {ApiError} invalid_parameter for a cursor that was altered, or is of another webhook or another status
 */
function startOf(query: DeliveriesQuery, webhookId: string): string | undefined {
  const { cursor, after } = query;
  if (cursor === undefined) return after;
  if (after !== undefined)
    throw new ApiError('invalid_parameter', 'after and cursor exclude each other: send one of them');
  const [id] = readCursor(logOf(webhookId, query), cursor) ?? [];
  if (typeof id !== 'string' || !isUUID(id))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of this webhook, with the same status; ' +
        'leave it out to start again',
    );
  return id;
}

function logOf(webhookId: string, { status }: DeliveriesQuery): string {
  return JSON.stringify(['deliveries', webhookId, status]);
}

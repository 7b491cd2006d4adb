import { MAX_WAYBACK } from '../../domains/schema/domain.js';
import type { FeedType } from '../../domains/schema/events.js';
import type { WebhookEventType } from './account-events.js';
import type { KnownName } from '../../domains/schema/filters/filter.js';
import { FilterIndex } from '../../domains/schema/filters/filter-index.js';
import { matchesFilter } from '../../domains/schema/filters/filters.js';
import type { ListedEvent } from '../../domains/feed/domain-event.repository.js';
import type { NewDelivery } from './delivery.repository.js';
import type { WebhookFilter } from './webhook.js';

export interface Subscriber extends Omit<WebhookFilter, 'watchedOnly'> {
  readonly id: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly afterEvent: number;
}

export interface BatchSubscriber extends Subscriber {
  readonly batchSize: number;
}

/** A subscriber in SQL, of a row of `webhook`. */
export const SUBSCRIBER = `webhook.id, event_types AS "eventTypes", suffixes, q, mode, min_wayback AS "minWayback",
  min_length AS "minLength", max_length AS "maxLength", batch_size AS "batchSize", after_event::float8 AS "afterEvent"`;

/** Deliveries made in one transaction, and no more than the events of one beyond it. */
const MAX_MADE = 20_000;

/**
 * One delivery an event, or as many events as a webhook takes at once; of one type each.
 *
 * @returns the deliveries, and the last event that they were made for
 */
export function deliveriesOf(
  events: readonly ListedEvent[],
  subscribers: readonly BatchSubscriber[],
): { made: NewDelivery[]; last?: number } {
  const matcher = new WebhookMatcher(subscribers);
  const batchSizes = new Map(subscribers.map(({ id, batchSize }) => [id, batchSize]));
  const made: (NewDelivery & { events: number[] })[] = [];
  const open = new Map<string, number[]>();
  for (const { number, type, domain } of events) {
    // A removal reaches every receiver of the name, at any score.
    const matched = type === 'domain.removed' ? { ...domain, wayback: MAX_WAYBACK } : domain;
    for (const { id } of domain.hidden ? [] : matcher.match(number, type, matched)) {
      const key = `${id} ${type}`;
      const batchSize = batchSizes.get(id) ?? 1;
      const batch = open.get(key);
      if (batch && batch.length < batchSize) batch.push(number);
      else {
        const numbers = [number];
        open.set(key, numbers);
        made.push({ webhookId: id, type, events: numbers, isBatch: batchSize > 1 });
      }
    }
    if (made.length >= MAX_MADE) return { made, last: number };
  }
  return { made, last: events.at(-1)?.number };
}

export class WebhookMatcher {
  private readonly index: FilterIndex<Subscriber>;

  constructor(subscribers: readonly Subscriber[]) {
    this.index = new FilterIndex(subscribers);
  }

  /** Each subscriber once. */
  match(number: number, type: FeedType, domain: KnownName): Subscriber[] {
    return this.index
      .candidates(domain)
      .filter(
        (subscriber) =>
          number > subscriber.afterEvent &&
          subscriber.eventTypes.includes(type) &&
          matchesFilter(subscriber, domain),
      );
  }
}

import type { KnownName } from '../../domains/schema/filters/filter.js';
import { FilterIndex } from '../../domains/schema/filters/filter-index.js';
import { matchesFilter } from '../../domains/schema/filters/filters.js';
import type { WebhookFilter } from './webhook.js';
import type { FeedType } from '../../domains/schema/events.js';

/** A webhook as far as matching goes. */
export interface Subscriber extends Omit<WebhookFilter, 'watchedOnly'> {
  readonly id: string;
  readonly eventTypes: readonly FeedType[];
  readonly afterEvent: number;
}

/** Finds the webhooks that an event is for. */
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

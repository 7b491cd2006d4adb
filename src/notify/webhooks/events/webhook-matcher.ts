import { NameDrawers } from '../../../domains/search/name-drawers.js';
import { matchesCriteria, type MatchedName } from '../../../domains/search/name-match.js';
import type { FeedType } from '../../../domains/feed/domain-event.repository.js';
import type { WebhookFilter } from '../webhook.js';

/** A webhook as far as matching goes. */
export interface Subscriber extends Omit<WebhookFilter, 'watchedOnly'> {
  readonly id: string;
  readonly eventTypes: readonly FeedType[];
  readonly afterEvent: number;
}

/** Finds the webhooks that an event is for. */
export class WebhookMatcher {
  private readonly drawers: NameDrawers<Subscriber>;

  constructor(subscribers: readonly Subscriber[]) {
    this.drawers = new NameDrawers(subscribers);
  }

  /** Each subscriber once. */
  match(number: number, type: FeedType, domain: MatchedName): Subscriber[] {
    return this.drawers
      .candidates(domain)
      .filter(
        (subscriber) =>
          number > subscriber.afterEvent &&
          subscriber.eventTypes.includes(type) &&
          matchesCriteria(subscriber, domain),
      );
  }
}

import { matchesCriteria, type MatchedName } from '../../domains/discovery/name-match.js';
import type { EventType } from '../../domains/feed/domain-event.repository.js';
import type { WebhookFilter } from '../webhook.js';

/** A webhook as far as matching goes. */
export interface Subscriber extends WebhookFilter {
  readonly id: string;
  readonly eventTypes: readonly EventType[];
  readonly afterEvent: number;
}

/**
 * Finds the webhooks that an event is for. Those that look for a text are filed under it, and a name is looked up by all its
 * grams of the lengths that occur: the work grows with the name and with what matches, and not with the number of webhooks.
 */
export class WebhookMatcher {
  /** Those that look for no text, by suffix. */
  private readonly bySuffix = new Map<string, Subscriber[]>();
  private readonly byText = new Map<string, Subscriber[]>();
  private readonly textLengths = new Set<number>();

  constructor(subscribers: readonly Subscriber[]) {
    for (const subscriber of subscribers) {
      const { q, suffixes } = subscriber;
      if (q !== null) {
        file(this.byText, q, subscriber);
        this.textLengths.add(q.length);
      } else
        for (const suffix of suffixes.length > 0 ? suffixes : ['']) file(this.bySuffix, suffix, subscriber);
    }
  }

  /** Each subscriber once. */
  match(number: number, type: EventType, domain: MatchedName): Subscriber[] {
    const candidates = [...(this.bySuffix.get(domain.tld) ?? []), ...(this.bySuffix.get('') ?? [])];
    const texts = new Set<string>();
    for (const length of this.textLengths)
      for (let at = 0; at + length <= domain.name.length; at += 1)
        texts.add(domain.name.slice(at, at + length));
    for (const text of texts) candidates.push(...(this.byText.get(text) ?? []));
    return candidates.filter(
      (subscriber) =>
        number > subscriber.afterEvent &&
        subscriber.eventTypes.includes(type) &&
        matchesCriteria(subscriber, domain),
    );
  }
}

function file(drawers: Map<string, Subscriber[]>, label: string, subscriber: Subscriber): void {
  const drawer = drawers.get(label);
  if (drawer) drawer.push(subscriber);
  else drawers.set(label, [subscriber]);
}

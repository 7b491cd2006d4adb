import { FEED_TYPES, type FeedType } from '../../domains/schema/events.js';

/** What webhooks tell of their own account: it is in no feed, and no filter of names applies. */
export const ACCOUNT_EVENTS = {
  'registration.completed': {
    when: 'a name that you ordered is registered, or renewed',
    summary: 'A name was registered or renewed',
  },
  'registration.failed': {
    when: 'an order ended without a registration or renewal, or its name was given back',
    summary: 'An order ended without a registration or renewal',
  },
  'registration.needs_attention': {
    when: 'an order waits for you, or could not be settled by itself',
    summary: 'An order needs attention',
  },
  'registration.executed_late': {
    when: 'a registrar registered or renewed a name after its order had ended without it',
    summary: 'A name was registered or renewed after its order had ended',
  },
  'registration.expiring': {
    when: 'a name that you registered here expires in 90, 30 or 7 days',
    summary: 'A registered name expires',
  },
} as const satisfies Readonly<Record<`registration.${string}`, { when: string; summary: string }>>;

export type AccountEventType = keyof typeof ACCOUNT_EVENTS;
export const ACCOUNT_EVENT_TYPES = Object.keys(ACCOUNT_EVENTS) as AccountEventType[];

/** What a webhook can subscribe to. */
export type WebhookEventType = FeedType | AccountEventType;
export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [...FEED_TYPES, ...ACCOUNT_EVENT_TYPES];

export function isAccountEvent(type: string): type is AccountEventType {
  return Object.hasOwn(ACCOUNT_EVENTS, type);
}

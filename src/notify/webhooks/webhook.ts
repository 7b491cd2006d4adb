import type { MatchMode, Suffix } from '../../domains/schema/domain.js';
import type { TierName, TierTable } from '../../config/tiers.js';
import type { WebhookEventType } from './account-events.js';

export interface WebhookFilter {
  /** Whether only of names and searches that its account watches. */
  readonly watchedOnly: boolean;
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly q: string | null;
  readonly mode: MatchMode;
  readonly minWayback: number;
  readonly minLength: number | null;
  readonly maxLength: number | null;
}

export interface WebhookSettings extends WebhookFilter {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly batchSize: number;
  readonly enabled: boolean;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly accountId: string;
  /** Whether the account has proven the host of its address. */
  readonly isProven: boolean;
  /** Why it was switched off, if not by its owner. */
  readonly disabledReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The most that one account can have. */
export const MAX_WEBHOOKS = 20;
/** With so many waiting, a webhook is not replayed to. */
export const MAX_PENDING = 50_000;
/** How long a secret that was replaced signs as well, unless its owner says otherwise, and at most. */
export const SECRET_OVERLAP_SECONDS = 86_400;
/** Secrets that sign beside the one of now; each is 50 bytes of a header. */
export const MAX_EARLIER_SECRETS = 3;
/** A receiver that takes longer than this to answer is slow. */
export const SLOW_MS = 1_000;
export const LOG_DAYS = 30;
/** A webhook that only failed for so long is switched off. */
export const FAILURE_GRACE_DAYS = 5;

/** Whose webhooks are delivered to. One whose account is of another tier by now waits until it is of these again. */
export function tiersWithWebhooks(tiers: TierTable): TierName[] {
  return Object.values(tiers)
    .filter(({ webhooks }) => webhooks)
    .map(({ name }) => name);
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly type: WebhookEventType | 'webhook.test';
  readonly events: readonly number[];
  /** Whether `data` is a list. */
  readonly isBatch: boolean;
  /** The event of its own account; null for an event of the dataset. */
  readonly data: object | null;
  readonly status: DeliveryState;
  readonly attempts: number;
  readonly dueAt: Date;
  readonly responseStatus: number | null;
  readonly responseText: string | null;
  readonly problem: string | null;
  readonly durationMs: number | null;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
}

export type DueDelivery = Pick<
  Delivery,
  'id' | 'webhookId' | 'type' | 'events' | 'isBatch' | 'data' | 'attempts' | 'createdAt'
>;

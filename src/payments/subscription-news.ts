import type { Stripe } from 'stripe';
import { ApiError } from '../errors/api-error.js';
import type { TierName } from '../tiers/tiers.js';
import type { SubscriptionNews } from './payment-event.repository.js';

const TYPES = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
];
/** While a payment is late the provider goes on trying, and the tier stays. */
const PAYING = ['active', 'trialing', 'past_due'];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Where the checkout writes whose subscription it is. */
export const ACCOUNT_FIELD = 'bowerbird_account';

/**
 * What an event says of a subscription of ours; null for what is none of our business.
 *
 * @throws {ApiError} invalid_parameter for a price that has no tier: the provider then sends the event again
 */
export function newsOf(
  event: Stripe.Event,
  tiers: Readonly<Record<string, TierName>>,
): SubscriptionNews | null {
  if (!TYPES.includes(event.type)) return null;
  const subscription = event.data.object as Stripe.Subscription;
  const accountId = subscription.metadata[ACCOUNT_FIELD];
  if (accountId === undefined || !UUID.test(accountId)) return null;
  const isPaid = event.type !== 'customer.subscription.deleted' && PAYING.includes(subscription.status);
  return {
    eventId: event.id,
    subscription: subscription.id,
    accountId,
    happenedAt: new Date(event.created * 1_000),
    tier: isPaid ? tierOf(subscription, tiers) : null,
  };
}

function tierOf({ items }: Stripe.Subscription, tiers: Readonly<Record<string, TierName>>): TierName {
  for (const { price } of items.data) {
    const tier = tiers[price.id];
    if (tier !== undefined) return tier;
  }
  const prices = items.data.map(({ price }) => price.id).join(', ');
  throw new ApiError('invalid_parameter', `STRIPE_PRICE_TIERS has no tier for ${prices || 'no price'}.`);
}

import { Controller, Headers, HttpCode, Injectable, Logger, Module, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import type { Stripe } from 'stripe';
import { IgnoresKeys } from '../access/requirements.js';
import type { TierName } from '../config/tiers.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { AuditModule } from '../observe/audit/audit.module.js';
import {
  PaymentEventRepository,
  type PaymentOutcome,
  type SubscriptionNews,
} from './payment-event.repository.js';

const TYPES = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
];
/** While a payment is late the provider goes on trying, and the tier stays. */
const PAYING = ['active', 'trialing', 'past_due'];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Where the checkout writes whose subscription it is. */
const ACCOUNT_FIELD = 'bowerbird_account';

/**
 * What an event says of a subscription of ours; null for what is none of our business.
 *
 * @throws {ApiError} invalid_parameter for a price that has no tier: the provider then sends the event again
 */
function newsOf(event: Stripe.Event, tiers: Readonly<Record<string, TierName>>): SubscriptionNews | null {
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

/** An event with a subscription of twenty items has some 30 kB. */
const MAX_EVENT_BYTES = 262_144;

/** Takes what Stripe tells of subscriptions, and puts accounts on the tier that they pay for. */
@Injectable()
export class PaymentsService {
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly config: Config,
    private readonly events: PaymentEventRepository,
  ) {}

  /**
   * @param body as it came: the signature is over its bytes
   * @returns what became of it; `ignored`: it is none of our business
   * @throws {ApiError} bad_request without a signature that fits
   */
  async take(body: Readable, signature: string | undefined): Promise<PaymentOutcome | 'ignored'> {
    const { secret = '', tiers } = this.config.payments;
    const text = await readBody(body);
    // Loaded by the first event: who takes no payments should not pay for it.
    const { default: Stripe } = await import('stripe');
    let event;
    try {
      event = Stripe.webhooks.constructEvent(text, signature ?? '', secret);
    } catch (error) {
      throw new ApiError('bad_request', 'The Stripe-Signature header does not fit the body, or is too old.', {
        cause: error,
      });
    }
    const news = newsOf(event, tiers);
    if (!news) return 'ignored';
    const outcome = await this.events.take(news, 'stripe');
    if (outcome === 'no_account') this.logger.warn(`${news.eventId} is about an account that is not there`);
    else this.logger.log(`${news.eventId}: ${outcome}`);
    return outcome;
  }
}

async function readBody(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes > MAX_EVENT_BYTES)
      throw new ApiError('body_too_large', `An event has ${MAX_EVENT_BYTES} bytes at most.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Where the provider sends its events, whose bytes are signed and are read by nobody before. */
export const PAYMENTS_PATH = 'payments/stripe';

/** For the provider, which signs what it sends: no flood limit, as it sends again what is refused. */
@ApiExcludeController()
@IgnoresKeys()
@SkipThrottle()
@Controller()
class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post(PAYMENTS_PATH)
  @HttpCode(200)
  async take(
    @Req() request: Request,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<{ received: true; outcome: string }> {
    return { received: true, outcome: await this.payments.take(request, signature) };
  }
}

/** Tier changes by a payment provider; without STRIPE_WEBHOOK_SECRET none of it is there. */
@Module({
  imports: [AuditModule],
  controllers: [PaymentsController],
  providers: [PaymentEventRepository, PaymentsService],
})
export class PaymentsModule {}

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
import { AuditModule } from '../observe/audit.repository.js';
import { bestTier, PaymentEventRepository, type SubscriptionNews } from './payments.repository.js';

const TYPES = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
];
/** While a payment is late Stripe retries it, and the tier stays. */
const PAYING = ['active', 'trialing', 'past_due'];
/** A subscription in one of these cannot begin again. */
const ENDED = ['canceled', 'incomplete_expired'];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The metadata field in which the checkout stores the account. */
const ACCOUNT_FIELD = 'bowerbird_account';

/**
 * Reads an event about a subscription; null for other events and other products.
 *
 * @throws {ApiError} invalid_parameter for a price without a tier: Stripe then retries the event
 */
function newsOf(event: Stripe.Event, tiers: Readonly<Record<string, TierName>>): SubscriptionNews | null {
  if (!TYPES.includes(event.type)) return null;
  const subscription = event.data.object as Stripe.Subscription;
  const accountId = subscription.metadata[ACCOUNT_FIELD];
  if (accountId === undefined || !UUID.test(accountId)) return null;
  const isEnded = event.type === 'customer.subscription.deleted' || ENDED.includes(subscription.status);
  return {
    eventId: event.id,
    subscription: subscription.id,
    accountId,
    happenedAt: new Date(event.created * 1_000),
    isEnded,
    tier: !isEnded && PAYING.includes(subscription.status) ? tierOf(subscription, tiers) : null,
  };
}

/** Of several items the best one counts. */
function tierOf({ items }: Stripe.Subscription, tiers: Readonly<Record<string, TierName>>): TierName {
  const tier = bestTier(items.data.map(({ price }) => ({ tier: tiers[price.id] ?? null })));
  if (tier !== null) return tier;
  const prices = items.data.map(({ price }) => price.id).join(', ');
  throw new ApiError('invalid_parameter', `STRIPE_PRICE_TIERS has no tier for ${prices || 'no price'}.`);
}

/** An event with a subscription of twenty items has some 30 kB. */
const MAX_EVENT_BYTES = 262_144;

/** Takes the events that are about no subscription. @returns null for one that is not its own */
export type EventTaker = (event: Stripe.Event) => Promise<string | null>;

/** Applies Stripe's subscription events to the tiers of accounts, and hands the others on. */
@Injectable()
export class PaymentsService {
  private readonly logger = new Logger('Payments');
  private readonly takers: EventTaker[] = [];

  constructor(
    private readonly config: Config,
    private readonly events: PaymentEventRepository,
  ) {}

  add(taker: EventTaker): void {
    this.takers.push(taker);
  }

  /**
   * @param body unparsed, since the signature covers its bytes
   * @returns the outcome; `ignored`: no part of the service takes it
   * @throws {ApiError} bad_request without a valid signature
   */
  async take(body: Readable, signature: string | undefined): Promise<string> {
    const { secret = '', tiers } = this.config.payments;
    const text = await readBody(body);
    // Loaded with the first event, so that a service without payments does not load it.
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
    if (!news) return this.handOn(event);
    const outcome = await this.events.take(news, 'stripe');
    if (outcome === 'no_account') this.logger.warn(`${news.eventId} names an unknown account`);
    else this.logger.log(`${news.eventId}: ${outcome}`);
    return outcome;
  }

  private async handOn(event: Stripe.Event): Promise<string> {
    for (const take of this.takers) {
      const outcome = await take(event);
      if (outcome !== null) return outcome;
    }
    return 'ignored';
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

/** Stripe webhooks. The body must reach the controller unparsed. */
export const PAYMENTS_PATH = 'payments/stripe';

/** Without a flood limit: events are signed, and a refused one is sent again. */
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

/** Stripe webhooks; disabled without STRIPE_WEBHOOK_SECRET. */
@Module({
  imports: [AuditModule],
  controllers: [PaymentsController],
  providers: [PaymentEventRepository, PaymentsService],
  exports: [PaymentsService],
})
export class PaymentsModule {}

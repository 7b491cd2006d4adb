import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe';
import { Config } from '../../config/config.js';
import { CARD_EVENTS, type CardEvent, CURRENCY, REFUND_FIELD, TOP_UP_FIELD } from './card-events.js';
import { t } from '../../texts/texts.js';

const TIMEOUT_MS = 10_000;
const RETRIES = 1;
/** Refunds of one payment that are looked through for ours. */
const MAX_REFUNDS = 100;
const EVENTS_A_PAGE = 100;
/** The provider's own client reads no more at once. */
const MAX_EVENTS = 10_000;

/** What came of a refund: `refused`, and nothing moved; `unknown`, to be asked again. */
export type RefundOutcome = 'sent' | 'refused' | 'unknown';

/** The card provider, Stripe. */
@Injectable()
export class CardPayments {
  private client: Promise<Stripe> | undefined;

  constructor(private readonly config: Config) {}

  /** Opens the page on which a top-up is paid; asked again with the same end, the same page. @throws what the provider does */
  async openCheckout(topUp: {
    readonly id: string;
    readonly accountId: string;
    readonly cents: number;
    readonly endsAt: Date;
    readonly returnUrl: string;
  }): Promise<string> {
    const { id, accountId, cents, endsAt, returnUrl } = topUp;
    const metadata = { [TOP_UP_FIELD]: id };
    const words = this.config.payments.isPlayMoney ? t.orders.booked.playMoney : t.orders.booked.topUp;
    const stripe = await this.stripe();
    const expiresAt = Math.floor(endsAt.getTime() / 1_000);
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: accountId,
        line_items: [
          {
            quantity: 1,
            price_data: { currency: CURRENCY, unit_amount: cents, product_data: { name: words } },
          },
        ],
        payment_method_options: { card: { request_three_d_secure: 'any' } },
        metadata,
        payment_intent_data: { metadata },
        expires_at: expiresAt,
        success_url: returnUrl,
        cancel_url: returnUrl,
      },
      { idempotencyKey: `topup:${id}:${expiresAt}` },
    );
    if (session.url === null) throw new Error('the checkout has no page');
    return session.url;
  }

  /** Sends a refund once, however often it is asked for. */
  async refund(payment: string, id: string, cents: number): Promise<RefundOutcome> {
    const { default: loaded } = await import('stripe');
    const stripe = await this.stripe();
    try {
      // The provider forgets idempotency keys after a day.
      const { data } = await stripe.refunds.list({ payment_intent: payment, limit: MAX_REFUNDS });
      if (data.some(({ metadata }) => metadata?.[REFUND_FIELD] === id)) return 'sent';
      await stripe.refunds.create(
        { payment_intent: payment, amount: cents, metadata: { [REFUND_FIELD]: id } },
        { idempotencyKey: `refund:${id}` },
      );
      return 'sent';
    } catch (error) {
      return error instanceof loaded.errors.StripeInvalidRequestError ? 'refused' : 'unknown';
    }
  }

  /** What happened since then, the oldest first. @throws what the provider does */
  async listEvents(since: Date): Promise<CardEvent[]> {
    const stripe = await this.stripe();
    const created = { gte: Math.floor(since.getTime() / 1_000) };
    const events = await stripe.events
      .list({ created, types: CARD_EVENTS, limit: EVENTS_A_PAGE })
      .autoPagingToArray({ limit: MAX_EVENTS });
    if (events.length >= MAX_EVENTS) throw new Error(`there are more than ${MAX_EVENTS} events`);
    return events.reverse();
  }

  // Loaded when it is needed first, so that a service without cards does not load it.
  private stripe(): Promise<Stripe> {
    return (this.client ??= this.connect());
  }

  private async connect(): Promise<Stripe> {
    const { cards } = this.config.payments;
    if (!cards) throw new Error('STRIPE_API_KEY is not set');
    const { default: Client } = await import('stripe');
    const { hostname, port, protocol } = new URL(cards.url);
    return new Client(cards.key, {
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      protocol: protocol === 'https:' ? 'https' : 'http',
      ...{ timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false },
    });
  }
}

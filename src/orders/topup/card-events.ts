import type { Stripe } from 'stripe';

/** What an event of the card provider says, as far as money is concerned. */
export type CardNews =
  | {
      readonly is: 'paid';
      readonly payment: string;
      readonly topUpId: string;
      /** Of the customer for whom its page was opened. */
      readonly accountId: string | null;
      readonly cents: number;
      readonly currency: string;
    }
  | {
      readonly is: 'refund';
      readonly payment: string;
      readonly id: string;
      /** Ours; null: made in the provider's own pages. */
      readonly refundId: string | null;
      /** Null: in another currency, and the event does not say what it came to. */
      readonly cents: number | null;
      readonly hasFailed: boolean;
    }
  | {
      readonly is: 'dispute';
      readonly payment: string;
      readonly id: string;
      /** Null: as of a refund. */
      readonly cents: number | null;
      readonly status: string;
      readonly moved: 'withdrawn' | 'reinstated' | null;
      readonly feeCents: number;
    };

/** The metadata fields in which a payment and a refund store ours. */
export const TOP_UP_FIELD = 'bowerbird_top_up';
export const REFUND_FIELD = 'bowerbird_refund';
export const CURRENCY = 'aud';
/** A dispute in one of these takes no money, and its account orders again. */
export const HARMLESS_DISPUTES = ['won', 'warning_closed', 'prevented'];
/** A dispute stays in these. */
export const FINAL_DISPUTES = [...HARMLESS_DISPUTES, 'lost'];

export type CardEvent = Pick<Stripe.Event, 'id' | 'type' | 'data'>;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const PAID = ['checkout.session.completed', 'checkout.session.async_payment_succeeded'];
const REFUNDS = ['refund.created', 'refund.updated', 'refund.failed'];
const DISPUTES = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

/** The types of events about payments. */
export const CARD_EVENTS = [...PAID, ...REFUNDS, ...DISPUTES];

/** Reads an event about a payment; null for other events, other products and unpaid ones. */
export function cardNewsOf({ type, data: { object } }: CardEvent): CardNews | null {
  if (PAID.includes(type)) return paidNews(object as Stripe.Checkout.Session);
  if (REFUNDS.includes(type)) return refundNews(object as Stripe.Refund);
  return DISPUTES.includes(type) ? disputeNews(object as Stripe.Dispute, type) : null;
}

function paidNews(session: Stripe.Checkout.Session): CardNews | null {
  const { payment_intent, payment_status, amount_total, currency, metadata, client_reference_id } = session;
  const topUpId = metadata?.[TOP_UP_FIELD];
  const payment = idOf(payment_intent);
  if (payment_status !== 'paid' || topUpId === undefined || !UUID.test(topUpId) || payment === null)
    return null;
  const accountId = client_reference_id && UUID.test(client_reference_id) ? client_reference_id : null;
  return { is: 'paid', payment, topUpId, accountId, cents: amount_total ?? 0, currency: currency ?? '' };
}

function refundNews(refund: Stripe.Refund): CardNews | null {
  const { id, payment_intent, status, metadata, balance_transaction: booked } = refund;
  const payment = idOf(payment_intent);
  if (payment === null) return null;
  const refundId = metadata?.[REFUND_FIELD] ?? null;
  const hasFailed = status === 'failed' || status === 'canceled';
  const cents = centsOf(refund, typeof booked === 'object' && booked ? [booked] : []);
  return { is: 'refund', payment, id, refundId, cents, hasFailed };
}

function disputeNews(dispute: Stripe.Dispute, type: string): CardNews | null {
  const payment = idOf(dispute.payment_intent);
  if (payment === null) return null;
  const moved = type.endsWith('funds_withdrawn')
    ? 'withdrawn'
    : type.endsWith('funds_reinstated')
      ? 'reinstated'
      : null;
  const booked = dispute.balance_transactions.filter(({ amount }) => amount < 0 === (moved === 'withdrawn'));
  const feeCents = moved === null ? 0 : booked.reduce((sum, { fee }) => sum + fee, 0);
  const { id, status } = dispute;
  return { is: 'dispute', payment, id, cents: centsOf(dispute, booked), status, moved, feeCents };
}

type Amount = Pick<Stripe.BalanceTransaction, 'amount' | 'currency'>;

/** @param booked the same movements on the balance at the provider @returns null where neither is in AUD */
function centsOf({ amount, currency }: Amount, booked: readonly Amount[]): number | null {
  if (currency === CURRENCY) return amount;
  if (booked.length === 0 || booked.some((one) => one.currency !== CURRENCY)) return null;
  return Math.abs(booked.reduce((sum, one) => sum + one.amount, 0));
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

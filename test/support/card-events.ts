import { randomUUID } from 'node:crypto';
import type { SandboxEvent } from '../../src/demo/sandbox-cards.js';

const DISPUTE_FEE = 2_500;

/** The events of a dispute of a payment, by what they say. */
export function disputeOf(
  payment: string,
  cents: number,
  id: string = `dp_${randomUUID()}`,
  { currency = 'aud', amount = cents }: { currency?: string; amount?: number } = {},
) {
  return (what: string, status = 'needs_response'): SandboxEvent => ({
    type: `charge.dispute.${what}`,
    object: {
      ...{ id, object: 'dispute', payment_intent: payment, amount, currency, status },
      balance_transactions: [
        { amount: -cents, fee: DISPUTE_FEE, currency: 'aud' },
        ...(what === 'funds_reinstated' ? [{ amount: cents, fee: 0, currency: 'aud' }] : []),
      ],
    },
  });
}

/** An event of a refund that was made at the provider. */
export const refundOf = (
  payment: string,
  amount: number,
  what: string,
  id: string,
  currency = 'aud',
): SandboxEvent => ({
  type: `refund.${what}`,
  object: {
    ...{ id, object: 'refund', payment_intent: payment, amount, currency, metadata: {} },
    status: what === 'failed' ? 'failed' : 'succeeded',
  },
});

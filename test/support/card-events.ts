import { randomUUID } from 'node:crypto';
import type { SandboxEvent } from '../../src/demo/sandbox-cards.js';

const DISPUTE_FEE = 2_500;

/** The events of a dispute of a payment, by what they say. */
export function disputeOf(payment: string, cents: number, id: string = `dp_${randomUUID()}`) {
  return (what: string, status = 'needs_response'): SandboxEvent => ({
    type: `charge.dispute.${what}`,
    object: {
      ...{ id, object: 'dispute', payment_intent: payment, amount: cents, status },
      balance_transactions: [
        { amount: -cents, fee: DISPUTE_FEE },
        ...(what === 'funds_reinstated' ? [{ amount: cents, fee: 0 }] : []),
      ],
    },
  });
}

/** An event of a refund that was made at the provider. */
export const refundOf = (payment: string, amount: number, what: string, id: string): SandboxEvent => ({
  type: `refund.${what}`,
  object: {
    ...{ id, object: 'refund', payment_intent: payment, amount, metadata: {} },
    status: what === 'failed' ? 'failed' : 'succeeded',
  },
});

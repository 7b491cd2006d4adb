import type { Booking } from '../ledger/ledger.repository.js';
import { fillIn, t } from '../../texts/texts.js';
import type { Order } from './order.repository.js';

/** Before the id of an order, what its two movements of money are booked for. */
export const SALE = 'order:';
export const REVERSAL = 'cancel:';

export function saleOf(order: Order, at: Date): Booking {
  const { id, accountId, domain, years, totalCents, gstCents, registrarCents, renews } = order;
  return {
    ...{ kind: renews === null ? 'registration' : 'renewal', source: `${SALE}${id}`, at },
    words: fillIn(t.orders.booked.name, { domain, term: termInWords(years) }),
    entries: [
      { kind: 'customer', accountId, cents: -totalCents },
      { kind: 'revenue', cents: totalCents - gstCents },
      { kind: 'gst_payable', cents: gstCents },
      { kind: 'registrar_cost', cents: -registrarCents },
      { kind: 'registrar_prepaid', cents: registrarCents },
    ],
  };
}

/** Of a registration that was cancelled within the registrar's window. */
export function reversalOf(order: Order, at: Date): Booking {
  const entries = saleOf(order, at).entries.map((entry) => ({ ...entry, cents: -entry.cents }));
  const { id, domain } = order;
  return { kind: 'registration_cancelled', source: `${REVERSAL}${id}`, at, words: domain, entries };
}

export function termInWords(years: number): string {
  return years === 1 ? t.ordering.oneYear : fillIn(t.ordering.years, { count: years });
}

import type { Setting } from './setting.js';

/** The entries of SETTINGS about registering names for customers. */
export const ORDER_SETTINGS = {
  // Orders
  ORDERS: {
    type: 'switch',
    default: 'off',
    words:
      '`on` registers names for customers from a prepaid balance; needs AUTH=on. Back to `off`, no order begins and ' +
      'undecided ones are left as they are.',
  },
  ORDER_FEE_CENTS: {
    type: 'integer',
    default: 200,
    min: 0,
    max: 1_000_000,
    words: "Cents of AUD that an order costs beside the registrar's price, both without GST.",
  },
  ORDER_GST_PERCENT: {
    type: 'number',
    default: 10,
    min: 0,
    max: 50,
    words: 'GST on the price of an order, in per cent.',
  },
} as const satisfies Record<string, Setting>;

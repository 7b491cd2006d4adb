import * as parse from './parsers.js';
import type { Setting } from './setting.js';

/** The entries of SETTINGS about registering names for customers. */
export const ORDER_SETTINGS = {
  // Orders
  ORDERS: {
    type: 'switch',
    default: 'off',
    words:
      '`on` registers names for customers from a prepaid balance; needs AUTH=on. Back to `off`, no order begins, and ' +
      'undecided ones are settled.',
  },
  ORDER_SECRET_KEY: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words:
      'Encrypts what is sent to registrars; needed by ORDERS=on, 32 bytes in base64. `openssl rand -base64 32` makes one.',
  },
  ORDER_SECRET_KEY_ALSO: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words: 'A second ORDER_SECRET_KEY that decrypts, the next or the previous, while instances are rotated.',
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

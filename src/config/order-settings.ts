import * as parse from './parsers.js';
import { MAX_CENTS } from '../validation/formats.js';
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
    words:
      "GST on the price of an order, in per cent. 0: of a seller that gets none of the registrar's back.",
  },
  SELLER_NAME: {
    type: 'text',
    default: 'Bowerbird',
    parse: parse.line,
    words: 'Who sells, on receipts: the legal name of the operator.',
  },
  SELLER_ABN: {
    type: 'text',
    parse: parse.abn,
    words: 'The ABN of the seller. Unset: customers get receipts, and no tax invoices.',
  },
  SELLER_ADDRESS: {
    type: 'text',
    parse: parse.line,
    words: 'The address of the seller, on receipts.',
  },
  ORDER_FUNDS_MIN_CENTS: {
    type: 'integer',
    default: 5_000,
    min: 0,
    max: MAX_CENTS,
    words: 'Ordering stops while our account at a registrar has fewer cents.',
  },
  ORDER_CREDIT_ALONE_CENTS: {
    type: 'integer',
    default: 5_000,
    min: 0,
    max: MAX_CENTS,
    words: 'Most cents a day that one operator credits an account; more needs a second.',
  },
  STRIPE_API_KEY: {
    type: 'text',
    parse: parse.stripeKey,
    isSecret: true,
    words: 'Takes top-ups by card; needs STRIPE_WEBHOOK_SECRET and ORDERS=on. Unset: no top-ups.',
  },
  STRIPE_URL: {
    type: 'text',
    default: 'https://api.stripe.com',
    parse: parse.httpUrl,
    words: "Base address of Stripe's API.",
  },
  STRIPE_SOURCE: {
    type: 'text',
    default: 'stripe',
    parse: parse.cardSource,
    words: '`sandbox`: top-ups are play money, and every page and document says so.',
  },
  TOP_UP_MIN_CENTS: {
    type: 'integer',
    default: 1_000,
    min: 100,
    max: 1_000_000,
    words: 'Least cents of a top-up.',
  },
  TOP_UP_DAY_MAX_CENTS: {
    type: 'integer',
    default: 100_000,
    min: 100,
    max: MAX_CENTS,
    words: 'Most cents that an account may top up in a day.',
  },
  TOP_UP_FIRST_MAX_CENTS: {
    type: 'integer',
    default: 20_000,
    min: 100,
    max: MAX_CENTS,
    words: 'The same until TOP_UP_FIRST_WAIT_HOURS after its first payment.',
  },
  TOP_UP_FIRST_WAIT_HOURS: {
    type: 'integer',
    default: 12,
    min: 0,
    max: 720,
    words: 'Hours from the first payment of an account until top-ups can be spent.',
  },
} as const satisfies Record<string, Setting>;

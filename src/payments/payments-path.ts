/** Where the provider sends its events, whose bytes are signed and are read by nobody before. */
export const PAYMENTS_PATH = 'payments/stripe';

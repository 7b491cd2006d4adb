import { t } from '../../texts/texts.js';

/** Why no order begins. Orders that have begun are settled all the same. */
export const STOPS = ['ledger', 'funds', 'credentials', 'restored', 'operator'] as const;
export type StopReason = (typeof STOPS)[number];

/** In words. */
export const STOP_REASONS: Readonly<Record<StopReason, string>> = t.orders.stops;

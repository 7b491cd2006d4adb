import type { DomainState } from './states.js';

/** Whether a name in that state is free to be registered now, as far as the dataset knows; null: it does not. */
export const FREE_TO_TAKE: Readonly<Record<DomainState, boolean | null>> = {
  available: true,
  // Until its purge it belongs to its holder.
  listed: false,
  taken: false,
  rescued: false,
  purged: null,
  unconfirmed: null,
  stale: null,
};

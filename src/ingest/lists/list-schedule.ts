import type { ListAddressState } from '../list-records/list-fetch.js';

export const FIRST_RETRY_MS = 60_000;

/**
 * When an address is to be asked next: every `pollMs`; after failures sooner, a minute after the first and twice as long after
 * each that follows. An address that was never asked is due.
 */
export function nextFetchAt(
  { latest, failuresInRow }: Pick<ListAddressState, 'latest' | 'failuresInRow'>,
  pollMs: number,
): Date {
  if (!latest) return new Date(0);
  const waitMs = failuresInRow === 0 ? pollMs : Math.min(pollMs, FIRST_RETRY_MS * 2 ** (failuresInRow - 1));
  return new Date(latest.startedAt.getTime() + waitMs);
}

/** Whether an address is to be asked now. One that was asked in the future is, as the clock was set back. */
export function isFetchDue(
  state: Pick<ListAddressState, 'latest' | 'failuresInRow'>,
  now: Date,
  pollMs: number,
): boolean {
  return nextFetchAt(state, pollMs) <= now || (state.latest !== null && state.latest.startedAt > now);
}

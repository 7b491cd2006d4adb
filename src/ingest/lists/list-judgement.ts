import { quoted } from '../import/reading/import-error.js';
import { DROP_LIST_COLUMNS } from '../import/reading/row-layout.js';
import type { ListContent } from './list-content.js';
import type { ListAddressState, ListFetch } from './list-fetch.repository.js';

/** What to do with a list: import it, skip it as unchanged, or raise an alarm. */
export type Judgement =
  | { readonly verdict: 'import' }
  | { readonly verdict: 'unchanged' }
  | { readonly verdict: 'alarm'; readonly why: string };

/** What a list is compared with: what its address gave before. */
export interface ListHistory {
  readonly lastImported: ListFetch | null;
  /** Whether just these rows were imported from the address at any time. */
  readonly wasImported: boolean;
}

export const DAY_MS = 86_400_000;
/**
 * A list with at most this share of the rows of the one before has shrunk. In 43 days of real lists none fell below
 * 0.62.
 */
export const SHRUNK_SHARE = 0.5;

type Fingerprint = Pick<ListContent, 'header' | 'newestDay' | 'rows' | 'rowsSha256'>;

/**
 * Whether a list is to be trusted. A list that is cut short, has a new layout or is stuck would silently lose or invent
 * names, so it is not imported; the operator has to look.
 *
 * @param pollMs how often the address is asked: a new list may be that much older when it is seen
 */
export function judgeList(
  list: Fingerprint,
  { lastImported, wasImported }: ListHistory,
  now: Date,
  pollMs: number,
): Judgement {
  const header = list.header.join(',');
  if (!isDropList(list.header))
    return alarm(`The header is ${quoted(header)}, not ${quoted(DROP_LIST_COLUMNS.join(','))}.`);
  if (lastImported?.header && lastImported.header !== header)
    return alarm(`The header is ${quoted(header)}, and was ${quoted(lastImported.header)}.`);
  if (list.rows === 0) return alarm('There is no row below the header.');
  if (!lastImported) return { verdict: 'import' };
  if (lastImported.rowsSha256 === list.rowsSha256) return judgeUnchanged(lastImported, now, pollMs);
  if (list.rows <= (lastImported.rows ?? 0) * SHRUNK_SHARE)
    return alarm(`It shrank: ${list.rows} rows, and ${lastImported.rows} in the list before.`);
  // A list of the same day may take a revision back.
  if (wasImported && (list.newestDay === null || list.newestDay !== lastImported.newestDay))
    return alarm('It is an older list again: these rows were imported before the list before.');
  return { verdict: 'import' };
}

/** Of a list that its server, too, may have called unchanged. Lists come daily. */
export function judgeUnchanged({ startedAt }: ListFetch, now: Date, pollMs: number): Judgement {
  if (now.getTime() - startedAt.getTime() < DAY_MS + pollMs) return { verdict: 'unchanged' };
  return alarm(`It holds what it held on ${startedAt.toISOString()}, though a new list is due every day.`);
}

function isDropList(header: readonly string[]): boolean {
  return (
    header.length === DROP_LIST_COLUMNS.length && DROP_LIST_COLUMNS.every((name) => header.includes(name))
  );
}

function alarm(why: string): Judgement {
  return { verdict: 'alarm', why };
}

export const FIRST_RETRY_MS = 60_000;

/**
 * When an address is to be asked next: every `pollMs`; after failures sooner, a minute after the first and twice as
 * long after each that follows. An address that was never asked is due.
 */
export function nextFetchAt(
  { latest, failuresInRow }: Pick<ListAddressState, 'latest' | 'failuresInRow'>,
  pollMs: number,
): Date {
  if (!latest) return new Date(0);
  const waitMs = failuresInRow === 0 ? pollMs : Math.min(pollMs, FIRST_RETRY_MS * 2 ** (failuresInRow - 1));
  return new Date(latest.startedAt.getTime() + waitMs);
}

/**
 * Whether an address is to be asked now. One that was asked in the future is, as the clock was set back, and one whose
 * alarm an operator has accepted.
 */
export function isFetchDue(
  state: Pick<ListAddressState, 'latest' | 'failuresInRow'>,
  now: Date,
  pollMs: number,
): boolean {
  const { latest } = state;
  if (latest !== null && (latest.startedAt > now || latest.isAccepted)) return true;
  return nextFetchAt(state, pollMs) <= now;
}

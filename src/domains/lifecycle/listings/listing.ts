import type { CalendarDate } from '../../schema/calendar-date.js';
import type { ListKind } from '../../../config/product.js';
import type { DomainName } from '../../name/domain-name.js';
import { BoundedMap } from '../../../validation/caches.js';

/** What one row of a file says about one name; null is what it does not say. */
export interface Listing {
  readonly domain: DomainName;
  readonly wayback: number | null;
  readonly firstSeen: CalendarDate | null;
  /** When the name is purged, by a drop list; null where the row gives a day at most. */
  readonly purgeAt: Date | null;
  /** Whether that may be a day too late. */
  readonly isPurgeApproximate: boolean;
  readonly hidden: boolean | null;
}

/** How a drop list revises what an earlier list of the same kind and day said. */
export interface Revision {
  /**
   * Which listed names it may take off: of its kind; of its kind and source; of its kind, if no fetched list had
   * them, as a file may be older than that.
   */
  readonly of: 'kind' | 'source' | 'files';
  /**
   * Of a list that lacks suspiciously many names: `refuse` throws ImplausibleRevision, `keep` leaves them listed,
   * `accept` believes the list.
   */
  readonly ifImplausible: 'refuse' | 'keep' | 'accept';
}

/** A list lacks so many names of a day that it is probably not whole. */
export class ImplausibleRevision extends Error {}

/** Under which terms the rows of a file are taken in. */
export interface ListingTerms {
  /** Decides which purges have passed. */
  readonly now: Date;
  /** Which of the two drop lists it is; null when it is neither, or unknown. */
  readonly kind: ListKind | null;
  /** Address or file name of the list. */
  readonly source: string;
  /** Who vouches that the names were free, and when they were; null when the rows are no evidence. */
  readonly vouch: { readonly by: string; readonly at: Date } | null;
  /** Whether drops of any age are news to the feed. */
  readonly announcesOldDrops: boolean;
  /** Whether names that the dataset does not have are added. */
  readonly adds: boolean;
  /** What the list means for names of its days that it lacks; null: nothing. */
  readonly revision: Revision | null;
  /** Whether rows whose purge has passed, and that say nothing new, ask for another answer. */
  readonly asksAgain: boolean;
}

const DAY_MS = 86_400_000;
/** A drop that is older is no news. */
export const NEWS_DAYS = 7;

const VOUCHED = 'vouched:';

/** `confirmed_by` of vouched names. */
export function voucherOf(by: string): string {
  return VOUCHED + by;
}

/** Whether a name rests on a vouch: its time is no check with a registry. */
export function isVouched(confirmedBy: string | null): boolean {
  return confirmedBy?.startsWith(VOUCHED) ?? false;
}

/**
 * Until when it is news that the name dropped: PostgreSQL's text for a moment or for ever; null when it never is,
 * as of a drop whose day is unknown.
 */
export function newsUntilOf(
  { purgeAt, firstSeen }: Listing,
  { announcesOldDrops }: ListingTerms,
): string | null {
  if (announcesOldDrops) return 'infinity';
  if (purgeAt) return new Date(purgeAt.getTime() + NEWS_DAYS * DAY_MS).toISOString();
  return firstSeen === null ? null : newsUntilOfDay(firstSeen);
}

// Ten million rows have some thousand days, and reckoning one took a tenth of the time in which its row is read.
const MAX_DAYS = 10_000;
const NEWS_UNTIL = new BoundedMap<CalendarDate, string>(MAX_DAYS);

function newsUntilOfDay(day: CalendarDate): string {
  const known = NEWS_UNTIL.get(day);
  if (known !== undefined) return known;
  // The drop came on some moment of its day.
  const newsUntil = new Date(Date.parse(day) + (NEWS_DAYS + 1) * DAY_MS).toISOString();
  NEWS_UNTIL.set(day, newsUntil);
  return newsUntil;
}

/** What the rows of a dataset have in common that one file fills, as PostgreSQL's text by column; null: nothing. */
export type CommonColumns = Readonly<
  Record<'state' | 'available' | 'confirmed_by' | 'checked_at' | 'dropped_at', string | null>
>;

/**
 * What all rows of a first file come in as, by the same moves as any others: vouched for, or unconfirmed. Null
 * where that depends on the row, as on a drop list, or where names are not to be added.
 */
export function commonColumnsOf({ kind, vouch, adds }: ListingTerms): CommonColumns | null {
  if (!adds || kind !== null) return null;
  if (!vouch)
    return {
      state: 'unconfirmed',
      available: 'false',
      confirmed_by: null,
      checked_at: null,
      dropped_at: null,
    };
  const at = vouch.at.toISOString();
  return {
    state: 'available',
    available: 'true',
    confirmed_by: voucherOf(vouch.by),
    checked_at: at,
    dropped_at: at,
  };
}

/** What beside its own cells a row of a first file comes in with. */
export function firstRowOf(
  listing: Listing,
  terms: ListingTerms,
): { newsUntil: string | null; announced: boolean } {
  const newsUntil = newsUntilOf(listing, terms);
  if (!terms.vouch) return { newsUntil, announced: false };
  const isNews =
    newsUntil !== null && (newsUntil === 'infinity' || Date.parse(newsUntil) >= terms.now.getTime());
  return { newsUntil: null, announced: isNews && !(listing.hidden ?? false) };
}

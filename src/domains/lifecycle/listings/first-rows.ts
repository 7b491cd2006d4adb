import { type Listing, type ListingTerms, newsUntilOf, voucherOf } from './listing.js';

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

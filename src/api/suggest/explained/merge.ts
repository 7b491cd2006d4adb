import type { Discovered } from '../../../domains/search/discovery.repository.js';
import type { Offer } from '../../../domains/schema/domain.js';

/**
 * One list of several that are ranked alike, each name once. Of a part that was cut short only the head is known, and so of the whole
 * no more than what ranks before that head's end.
 */
export function mergeRanked(parts: readonly Discovered<Offer>[], limit: number): Discovered<Offer> {
  const all = new Map(parts.flatMap(({ domains }) => domains.map((row) => [row.domain, row] as const)));
  const ranked = [...all.values()].sort(byRank);
  const cut = parts.filter(({ timedOut }) => timedOut);
  const known = ranked.filter((row) =>
    cut.every(({ domains }) => {
      const last = domains.at(-1);
      return last !== undefined && byRank(row, last) <= 0;
    }),
  );
  return { domains: known.slice(0, limit), timedOut: cut.length > 0 && known.length < limit };
}

/** The order of rank; names are ASCII. */
function byRank(one: Offer, other: Offer): number {
  if (one.wayback !== other.wayback) return other.wayback - one.wayback;
  return one.domain < other.domain ? -1 : Number(one.domain > other.domain);
}

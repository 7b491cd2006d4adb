import type { MatchMode, Offer } from '../../domains/schema/domain.js';
import { hasKeyword } from '../../domains/schema/filters/filter-table.js';
import type { Discovered } from '../../domains/search/discovery.repository.js';
import type { Explanation, SuggestRequest } from './explained-suggest.dto.js';

const VERBS: Readonly<Record<MatchMode, string>> = {
  contains: 'has',
  prefix: 'begins with',
  suffix: 'ends with',
};

/** Why a name is in the list, and behind the one before it. */
export function explain(
  { domain, wayback }: Offer,
  before: Offer | undefined,
  rank: number,
  { keywords = [], mode, glob, available_in: offeredUnder = [] }: SuggestRequest,
): Explanation {
  const [label = ''] = domain.split('.');
  const found = keywords.filter((keyword) => hasKeyword(label, keyword, mode));
  const behindBy = !before ? 'first' : before.wayback > wayback ? 'wayback' : 'name';
  const place = {
    first: 'the highest that matches',
    wayback: `${(before?.wayback ?? 0) - wayback} below the name before it`,
    name: 'as the name before it, which comes first in byte order',
  }[behindBy];
  const reasons = [
    `Archive score ${wayback}, ${place}`,
    ...(found.length > 0 ? [`${VERBS[mode]} ${found.join(' and ')}`] : []),
    ...(glob === undefined ? [] : [`matches ${glob}`]),
    ...(offeredUnder.length > 0 ? [`on offer as ${offeredUnder.map((tld) => `.${tld}`).join(', ')}`] : []),
  ];
  return { rank, keywords: found, behind_by: behindBy, text: `${reasons.join('; ')}.` };
}

/**
 * Merges lists of one ranking, each name once. Only the head of a timed-out part is known, so the merged list
 * ends where that head ends.
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

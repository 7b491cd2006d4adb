import {
  asksForDays,
  asksForOtherStates,
  BY_RANK,
  type DiscoveryQuery,
  isCommon,
  type NameFilter,
} from './discovery-query.js';
import { type RangeKey, StrategyCosts } from './strategy-costs.js';
import type { NameSample } from './name-sample.js';
import { type GramLookup, gramOfSuffix, lookupOf, markPattern } from './pattern-grams.js';

export type { RangeKey };

/**
 * The way a question is asked; every way finds the same rows. `order`: read names in the order asked for until enough have
 * matched. `bands`: look grams up, band by band. `range`: read all names within the filter's limits for the columns of one index.
 * `states`: read the index of the names that are not available, in the order of rank, or all of a state and sorted.
 */
export type DiscoveryPlan =
  | { readonly strategy: 'order' }
  | { readonly strategy: 'states' }
  | { readonly strategy: 'range'; readonly key: RangeKey }
  | ({ readonly strategy: 'bands' } & GramLookup);

/** Chooses the way that the sample says is the cheapest; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  return cheapest(query, sample && new StrategyCosts(query, sample));
}

/** The way to count what passes the filter, to `max` and no further. */
export function planCount(filter: NameFilter, max: number, sample: NameSample | null): DiscoveryPlan {
  const query = { ...filter, sort: BY_RANK, after: undefined, offset: 0, limit: max };
  return cheapest(query, sample && new StrategyCosts(query, sample, 'any'));
}

function cheapest(query: DiscoveryQuery, costs: StrategyCosts | null): DiscoveryPlan {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  const { q = '', mode, suffixes } = query;
  const lookup = q === '' ? null : lookupOf(markPattern(q, mode));
  if (!costs)
    return lookup ? { strategy: 'bands', ...lookup, every: spread(lookup.every) } : { strategy: 'order' };

  const ways: [DiscoveryPlan, number][] = [[{ strategy: 'order' }, costs.ofOrder()]];
  for (const key of isCommon(query) ? [] : rangeKeys(query))
    ways.push([{ strategy: 'range', key }, costs.ofRange(key)]);
  if (lookup) {
    // A name has one suffix, so only a single one can be asked of every name.
    const candidates = [...lookup.every, ...(suffixes.length === 1 ? suffixes.map(gramOfSuffix) : [])];
    const grams = costs.chooseGrams(candidates, lookup.some);
    ways.push([{ strategy: 'bands', ...grams }, costs.ofBands(grams)]);
  }
  return ways.reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}

/** Columns that the filter limits and an index begins with. */
function rangeKeys(filter: NameFilter): RangeKey[] {
  const { minWayback, maxWayback, suffixes, minLength, maxLength, hyphens, numbers } = filter;
  const hasLength = minLength !== undefined || maxLength !== undefined;
  const hasDays = asksForDays(filter);
  const hasPresence = [hyphens, numbers].some((wanted) => wanted !== undefined && wanted !== 'allow');
  return [
    ...(minWayback > 0 || maxWayback !== undefined || suffixes.length > 0 ? ['wayback' as const] : []),
    ...(hasLength ? ['length' as const] : []),
    ...(hasDays ? ['first_seen' as const] : []),
    ...(hasPresence || hasLength || hasDays || suffixes.length > 0 ? ['shape' as const] : []),
  ];
}

// Neighbouring grams tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}

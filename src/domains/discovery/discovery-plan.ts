import {
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
 * matched. `bands`: look grams up, band by band. `range`: read all names within the filter's limits for one column.
 * `states`: read the index of the names that are not available, in the order of rank, or all of a state and sorted.
 */
export type DiscoveryPlan =
  | { readonly strategy: 'order' }
  | { readonly strategy: 'states' }
  | { readonly strategy: 'range'; readonly key: RangeKey }
  | ({ readonly strategy: 'bands' } & GramLookup);

/** Chooses the way that the sample says is the cheapest; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  const { q = '', mode, suffixes } = query;
  const lookup = q === '' ? null : lookupOf(markPattern(q, mode));
  if (!sample)
    return lookup ? { strategy: 'bands', ...lookup, every: spread(lookup.every) } : { strategy: 'order' };

  const costs = new StrategyCosts(query, sample);
  const ways: [DiscoveryPlan, number][] = [[{ strategy: 'order' }, costs.ofOrder()]];
  for (const key of isCommon(query) ? [] : rangeKeys(query))
    ways.push([{ strategy: 'range', key }, costs.ofRange(key)]);
  if (lookup) {
    // A name has one suffix, so only a single one can be asked of every name.
    const candidates = [...lookup.every, ...(suffixes.length === 1 ? suffixes.map(gramOfSuffix) : [])];
    const cheapest = costs.chooseGrams(candidates, lookup.some);
    ways.push([{ strategy: 'bands', ...cheapest }, costs.ofBands(cheapest)]);
  }
  return ways.reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}

/** The way to count what passes the filter, to `most` and no further. */
export function planCount(filter: NameFilter, most: number, sample: NameSample | null): DiscoveryPlan {
  return planDiscovery({ ...filter, sort: BY_RANK, after: undefined, offset: 0, limit: most }, sample);
}

/** Columns that the filter limits and an index begins with. */
function rangeKeys(filter: NameFilter): RangeKey[] {
  const { minWayback, maxWayback, suffixes, minLength, maxLength, firstSeenFrom, firstSeenTo } = filter;
  return [
    ...(minWayback > 0 || maxWayback !== undefined || suffixes.length > 0 ? ['wayback' as const] : []),
    ...(minLength !== undefined || maxLength !== undefined ? ['length' as const] : []),
    ...(firstSeenFrom !== undefined || firstSeenTo !== undefined ? ['first_seen' as const] : []),
  ];
}

// Neighbouring grams tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}

import type { RangeKey } from '../schema/filters/filter.js';
import { asksFor, asksForOtherStates, type NameFilter } from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { BY_RANK, type DiscoveryQuery, isCommon } from './discovery-query.js';
import { type ChosenLookup, type Purpose, StrategyCosts } from './strategy-costs.js';
import type { NameSample } from './name-sample.js';
import type { LengthParts } from './length-parts.js';
import { characterTraits, traitsOf } from './name-traits.js';
import { type GramLookup, gramOfSuffix, lookupOf, markPattern } from './pattern-grams.js';

/**
 * The way a question is asked; every way finds the same rows. `order`: read names in the order asked for until enough have
 * matched. `bands`: look grams up, band by band; where names are counted, `few` of those first that a name may have. `range`: read all names within the filter's limits for the columns of one index,
 * in the order of lengths also part by part, each up to one of the `ends`.
 * `states`: read the index of the names that are not available, in the order of rank, or all of a state and sorted.
 */
export type DiscoveryPlan =
  | { readonly strategy: 'order' }
  | { readonly strategy: 'states' }
  | { readonly strategy: 'range'; readonly key: RangeKey; readonly ends?: LengthParts['ends'] }
  | ({ readonly strategy: 'bands'; readonly few?: readonly string[] } & GramLookup);

/** The ways that find all names that pass before the first is given. */
export type GatheringPlan = Extract<DiscoveryPlan, { strategy: 'range' | 'bands' }>;

type Way<Plan = DiscoveryPlan> = readonly [plan: Plan, cost: number];

/** Chooses the way that the sample says is the cheapest; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  return sample && !asksForOtherStates(query) ? cheapest(waysFor(query, sample, 'first'))[0] : plain(query);
}

/** The way to count what passes the filter, to `max` and no further. */
export function planCount(filter: NameFilter, max: number, sample: NameSample | null): DiscoveryPlan {
  const query = countingOf(filter, max);
  if (!sample || asksForOtherStates(query)) return plain(query);
  const [plan] = cheapest(waysFor(query, sample, 'any'));
  if (plan.strategy !== 'bands') return plan;
  const few = new StrategyCosts(query, sample, 'any').chooseFew(plan.some);
  return few ? { ...plan, few } : plan;
}

/**
 * The way to find all names that pass at once, for the page and what is counted; null where it is cheaper to ask for the two apart.
 *
 * @param counted which names would be counted apart: `any` of them, or the `first`; or the count is `known`
 */
export function planGathering(
  query: DiscoveryQuery,
  max: number,
  sample: NameSample | null,
  counted: 'any' | 'first' | 'known' = 'any',
): GatheringPlan | null {
  if (!sample || asksForOtherStates(query)) return null;
  const ways = waysFor(query, sample, 'all').filter(isGathering);
  if (ways.length === 0) return null;
  const [plan, cost] = cheapest(ways);
  const [, pageCost] = cheapest(waysFor(query, sample, 'first'));
  const countCost = counted === 'known' ? 0 : cheapest(waysFor(countingOf(query, max), sample, counted))[1];
  return cost <= pageCost + countCost ? plan : null;
}

function isGathering(way: Way): way is Way<GatheringPlan> {
  return way[0].strategy === 'range' || way[0].strategy === 'bands';
}

function countingOf(filter: NameFilter, max: number): DiscoveryQuery {
  return { ...filter, sort: BY_RANK, after: undefined, offset: 0, limit: max };
}

function plain(query: DiscoveryQuery): DiscoveryPlan {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  const lookup = lookupFor(query);
  return lookup ? { strategy: 'bands', ...lookup, every: spread(lookup.every) } : { strategy: 'order' };
}

/** The grams of the pattern, and of the texts between the wildcards of a glob. */
function lookupFor({ q = '', mode, glob }: DiscoveryQuery): GramLookup | null {
  const patterns = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
  const lookups = patterns.flatMap((pattern) => lookupOf(pattern) ?? []);
  const every = [...new Set(lookups.flatMap((lookup) => lookup.every))];
  return every.length > 0 ? { every, some: [] } : (lookups[0] ?? null);
}

function waysFor(query: DiscoveryQuery, sample: NameSample, purpose: Purpose): Way[] {
  const costs = new StrategyCosts(query, sample, purpose);
  const lookup = lookupFor(query);
  const ways: Way[] = [[{ strategy: 'order' }, costs.ofOrder()]];
  const isFirst = purpose === 'first' && isCommon(query);
  for (const key of isFirst ? [] : rangeKeys(query))
    ways.push([{ strategy: 'range', key }, costs.ofRange(key)]);
  const parts = isFirst ? null : costs.partsOfShape();
  if (parts) ways.push([{ strategy: 'range', key: 'shape', ends: parts.ends }, costs.ofParts(parts)]);
  const characters = lookup ? [] : characterTraits(query);
  if (lookup || characters.length > 0) {
    // A name has one suffix, so only a single one can be asked of every name.
    const candidates = [
      ...(lookup?.every ?? []),
      ...(query.suffixes.length === 1 ? query.suffixes.map(gramOfSuffix) : []),
    ];
    const grams = costs.chooseGrams(candidates, { some: lookup?.some ?? [], traits: characters });
    const chosen = isFirst ? grams : costs.chooseTraits(grams, traitsOf(query));
    ways.push([{ strategy: 'bands', ...lookupOfCodes(chosen) }, costs.ofBands(chosen)]);
  }
  return ways;
}

function lookupOfCodes({ every, some, traits }: ChosenLookup): GramLookup {
  return { every, some, ...(traits.length > 0 && { traits: traits.map(({ codes }) => codes) }) };
}

function cheapest<Plan>(ways: readonly Way<Plan>[]): Way<Plan> {
  return ways.reduce((best, next) => (next[1] < best[1] ? next : best));
}

/** Columns that the filter limits and an index begins with. */
function rangeKeys(filter: NameFilter): RangeKey[] {
  const { q, mode, minWayback, maxWayback, suffixes, minLength, maxLength, hyphens, numbers } = filter;
  const hasLength = minLength !== undefined || maxLength !== undefined;
  const hasDays = asksFor('firstSeen', filter);
  const hasPresence = [hyphens, numbers].some((wanted) => wanted !== undefined && wanted !== 'allow');
  return [
    ...(minWayback > 0 || maxWayback !== undefined || suffixes.length > 0 ? ['wayback' as const] : []),
    ...(hasLength ? ['length' as const] : []),
    ...(hasDays ? ['first_seen' as const] : []),
    ...(q !== undefined && mode === 'prefix' ? ['domain' as const] : []),
    ...(hasPresence || hasLength || hasDays || suffixes.length > 0 ? ['shape' as const] : []),
  ];
}

// Neighbouring grams tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}

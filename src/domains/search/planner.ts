import type { RangeKey } from '../schema/filters/filter.js';
import {
  asksFor,
  asksForOtherStates,
  isExplained,
  NO_LIMITS,
  type NameFilter,
} from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { holdsScores, SCORE_BANDS } from '../schema/filters/score-bands.js';
import { BY_RANK, type DiscoveryQuery, isCommon, leastLength, type SortKey } from './discovery-query.js';
import { readsUntil, shareByLength } from './order-reads.js';
import type { NameSample } from './name-sample.js';
import { characterTraits, type TraitLookup, traitsOf } from './name-traits.js';
import { type GramLookup, gramOfSuffix, lookupOf, markPattern } from './pattern-grams.js';

/**
 * The way a question is asked; every way finds the same rows. `order`: read names in the order asked for until
 * enough have matched, at most `bound` of them; where that is not enough, `otherwise`. `bands`: look grams up, band
 * by band. `range`: read all names within the filter's limits for the columns of one index; in the order of lengths
 * first those up to the `cut`. `states`: read the index of the names that are not available, in the order of rank,
 * or all of a state and sorted.
 */
export type DiscoveryPlan =
  { readonly strategy: 'order'; readonly bound?: number; readonly otherwise?: GatheringPlan } | GatheringPlan;

/** The ways that can find all names that pass at once. */
export type GatheringPlan =
  | { readonly strategy: 'states' }
  | { readonly strategy: 'range'; readonly key: RangeKey; readonly cut?: number }
  | ({ readonly strategy: 'bands' } & GramLookup);

/** A plan, and what it is expected to cost: as much as to read so many names from an index in their order. */
export interface Costed<Plan = DiscoveryPlan> {
  readonly plan: Plan;
  readonly names: number;
}

// What things cost, in names read in order. Measured on ten million names in memory, where such a name takes 0.25 µs.
const TABLE_NAME = 10;
const LOOKUP = 27;
const FOUND = 4;
const LISTED = 0.04;
/** Skipping to the values of columns that are not asked for. */
const SKIPS = 5_000;

/** As much as an order is read at most before grams are asked: some 8 ms. */
const BOUND = 30_000;
/** Of names, that none is known of. */
const LEAST_SHARE = 1e-8;
const MAX_LISTS = 4;
/** How many of the labels on offer under one suffix are so under another: a guess, as it is not counted. */
const SHARE_UNDER_ANOTHER = 0.02;
/** As many matches the first part of a gathering by length is to have for each that is wanted. */
const SURPLUS = 2;

/** The cheapest way to a page; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  return planPage(query, sample).plan;
}

/** The same with its cost. */
export function planPage(query: DiscoveryQuery, sample: NameSample | null): Costed {
  if (asksForOtherStates(query)) return { plan: { strategy: 'states' }, names: Infinity };
  if (!sample) return { plan: withoutSample(query), names: Infinity };
  const costs = new Costs(query, sample);
  const order = costs.ofOrder();
  const others = costs.isCommon
    ? costs.waysByGrams(true)
    : [...costs.waysByGrams(true), ...costs.waysByRange(true)];
  const best = others.length > 0 ? cheapest(others) : null;
  if (best && best.names < order.names) return best;
  const bound = costs.needsTable ? BOUND / TABLE_NAME : BOUND;
  if (!best || order.region <= bound || order.names > BOUND)
    return { plan: { strategy: 'order' }, names: order.names };
  return { plan: { strategy: 'order', bound, otherwise: best.plan }, names: order.names };
}

/** The cheapest way to all names that pass. */
export function planGathering(query: DiscoveryQuery, sample: NameSample | null): GatheringPlan {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  const byRank = { strategy: 'range', key: 'wayback' } as const;
  if (!sample) {
    const plan = withoutSample(query);
    return plan.strategy === 'order' ? byRank : plan;
  }
  const costs = new Costs(query, sample);
  const ways = [...costs.waysByGrams(false), ...costs.waysByRange(false)];
  return ways.length > 0 ? cheapest(ways).plan : byRank;
}

function cheapest<Plan>(ways: readonly Costed<Plan>[]): Costed<Plan> {
  return ways.reduce((best, next) => (next.names < best.names ? next : best));
}

function withoutSample(query: NameFilter): DiscoveryPlan {
  const lookup = lookupFor(query);
  return lookup ? { strategy: 'bands', ...lookup, every: spread(lookup.every) } : { strategy: 'order' };
}

/** The grams of the keyword, and of the texts between the wildcards of a glob. */
function lookupFor({ q = '', mode, glob }: NameFilter): GramLookup | null {
  const patterns = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
  const lookups = patterns.flatMap((pattern) => lookupOf(pattern) ?? []);
  const every = [...new Set(lookups.flatMap((lookup) => lookup.every))];
  return every.length > 0 ? { every, some: [] } : (lookups[0] ?? null);
}

// Neighbouring grams tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}

/** One list of an index: a gram, or a trait with its codes. */
interface List {
  readonly gram?: string;
  readonly codes?: readonly number[];
  readonly share: number;
  readonly lists: number;
}

/** Lists to look up together. */
interface Lookup {
  readonly lists: readonly List[];
  readonly some: readonly string[];
  /** Share of names that all of them have. */
  readonly found: number;
}

class Costs {
  private readonly keywordShare: number;
  private readonly suffixShare: number;
  /** Share of all names that the answer is taken from. */
  private readonly matchShare: number;
  /** Sizes of the bands that hold scores asked for, in the order in which they are read. */
  private readonly bands: readonly number[];
  private readonly wanted: number;
  readonly needsTable: boolean;
  readonly isCommon: boolean;

  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
  ) {
    const { q = '', mode, suffixes, minWayback, maxWayback, sort = BY_RANK, offeredUnder = [] } = query;
    this.keywordShare = q === '' ? 1 : sample.shareOfPattern(markPattern(q, mode));
    this.suffixShare =
      suffixes.length === 0
        ? 1
        : suffixes.reduce((sum, suffix) => sum + sample.shareOf(gramOfSuffix(suffix)), 0);
    this.isCommon = isCommon(query);
    // The common question is judged by earlier counts: no name of the sample is read.
    this.matchShare = this.isCommon
      ? this.keywordShare * this.suffixShare
      : Math.max(
          LEAST_SHARE,
          SHARE_UNDER_ANOTHER ** Math.max(0, offeredUnder.length - 1) * sample.shareOfFilter(query),
        );
    const bands = sample.bandSizes.filter((_, place) => {
      const band = SCORE_BANDS[place];
      return band !== undefined && holdsScores(band, minWayback, maxWayback);
    });
    this.bands = sort.direction === 'desc' ? bands : bands.toReversed();
    this.wanted = query.limit + (query.offset ?? 0);
    const hasDays = sort.key === 'first_seen' || sort.key === 'domain';
    this.needsTable = (!hasDays && asksFor('firstSeen', query)) || asksFor('checkedAt', query);
  }

  /** Names read in order until enough have matched, and how many there are to read. */
  ofOrder(): { names: number; region: number } {
    const { region, read } = this.readInOrder();
    return { region, names: LOOKUP + Math.min(region, read) * (this.needsTable ? TABLE_NAME : 1) };
  }

  /** Share of names among which an order is read. Asks the cells only for an order by first days. */
  private shareInOrder(key: SortKey, inBands: number): number {
    if (key === 'first_seen') return this.shareWithin('first_seen');
    return key === 'wayback' ? inBands * this.suffixShare : 1;
  }

  private readInOrder(): { region: number; read: number } {
    const { sort = BY_RANK } = this.query;
    const { cells, total } = this.sample;
    const { key, direction } = sort;
    if (cells && !this.isCommon && (key === 'length' || key === 'wayback')) {
      const filter = { ...this.query, minLength: leastLength(this.query) };
      const values = cells.countBy(key === 'length' ? 'length' : 'score', filter);
      // With its other limits where a text is looked for: an order is then read a little less readily.
      const share = Math.max(LEAST_SHARE, isExplained(this.query) ? this.matchShare : this.keywordShare);
      const shareOf =
        key === 'length' ? shareByLength(filter, share, cells.lengths, this.lengths) : () => share;
      const region = values.reduce((sum, { names }) => sum + names, 0);
      return {
        region,
        read: readsUntil(this.wanted, direction === 'asc' ? values : values.toReversed(), shareOf),
      };
    }
    const inBands = this.bands.reduce((sum, size) => sum + size, 0) / total;
    const share = this.shareInOrder(key, inBands);
    // The share of a keyword knows nothing of the score, so the names above the floor match as often as all do.
    const rate = this.isCommon ? this.keywordShare : this.matchShare / Math.max(share, this.matchShare);
    return { region: total * share, read: this.wanted / Math.max(LEAST_SHARE, rate) };
  }

  private get lengths(): number[] {
    return this.query.q === undefined ? [] : this.sample.lengthsOf(this.query);
  }

  /** By grams, suffix and traits. @param isFirst whether the bands may be left as soon as enough names were found */
  waysByGrams(isFirst: boolean): Costed<GatheringPlan>[] {
    const { query } = this;
    const lookup = lookupFor(query);
    const characters = lookup ? [] : characterTraits(query);
    if (!lookup && characters.length === 0) return [];
    const chosen = this.chooseLists(lookup, characters);
    const plan: GatheringPlan = {
      strategy: 'bands',
      every: chosen.lists.flatMap(({ gram }) => gram ?? []),
      some: chosen.some,
      ...(chosen.lists.some(({ codes }) => codes) && {
        traits: chosen.lists.flatMap(({ codes }) => (codes ? [codes] : [])),
      }),
    };
    return [{ plan, names: this.ofBands(chosen, isFirst) }];
  }

  /**
   * The one rule for lists: from the rarest on, the next shortest is worth its reading while it is shorter than a
   * hundred times the names that it saves.
   */
  private chooseLists(lookup: GramLookup | null, characters: readonly TraitLookup[]): Lookup {
    const { query, sample } = this;
    const grams = (lookup?.every ?? []).map((gram) => this.listOfGram(gram));
    const [rarest] = grams.toSorted(byShare);
    const given = characters.map((trait) => this.listOfTrait(trait));
    const suffix: string[] = query.suffixes.length === 1 ? query.suffixes.map(gramOfSuffix) : [];
    const optional = [
      ...grams.filter((list) => list !== rarest),
      ...suffix.map((gram) => this.listOfGram(gram)),
      ...(this.isCommon ? [] : traitsOf(query).map((trait) => this.listOfTrait(trait))),
    ].toSorted(byShare);
    let lists = [...(rarest ? [rarest] : []), ...given];
    let found = (lookup?.some.length ?? 0) > 0 ? this.keywordShare : 1;
    for (const { share } of lists) found *= share;
    for (const list of optional) {
      if (lists.length >= MAX_LISTS) break;
      const both =
        list.gram && rarest?.gram && !suffix.includes(list.gram)
          ? sample.shareAmong(rarest.gram, list.gram)
          : list.share;
      if (list.share >= (FOUND / LISTED) * found * (1 - both)) continue;
      lists = [...lists, list];
      found *= both;
    }
    return { lists, some: lookup?.some ?? [], found };
  }

  private listOfGram(gram: string): List {
    return { gram, share: this.sample.leastShareOf(gram), lists: 1 };
  }

  private listOfTrait({ codes, asks }: TraitLookup): List {
    const share =
      asks.q === undefined
        ? this.sample.shareOfFilter({ ...NO_LIMITS, ...asks })
        : this.sample.shareOf(asks.q);
    return { codes, share: Math.max(this.sample.leastShare, share), lists: codes.length };
  }

  private ofBands({ lists, some, found }: Lookup, isFirst: boolean): number {
    const { sort = BY_RANK } = this.query;
    const endsEarly = isFirst && sort.key === 'wayback';
    const listed = lists.reduce((sum, { share }) => sum + share, some.length > 0 ? this.keywordShare : 0);
    const lookups = lists.reduce((sum, one) => sum + one.lists, some.length);
    let [names, matching] = [0, 0];
    for (const size of this.bands) {
      names += lookups * LOOKUP + size * (found * FOUND + listed * LISTED);
      matching += size * this.matchShare;
      if (endsEarly && matching >= this.wanted) break;
    }
    return names;
  }

  /** By the indexes that begin with what the filter limits. @param isFirst as above */
  waysByRange(isFirst: boolean): Costed<GatheringPlan>[] {
    const { total } = this.sample;
    const ways: Costed<GatheringPlan>[] = rangeKeys(this.query).map((key) => ({
      plan: { strategy: 'range', key },
      names:
        (key === 'shape' ? SKIPS : LOOKUP) +
        total * this.shareWithin(key) * (this.isInTable(key) ? TABLE_NAME : 1),
    }));
    const parts = isFirst ? this.cutByLength() : null;
    if (parts) ways.push(parts);
    return ways;
  }

  private isInTable(key: RangeKey): boolean {
    const hasDays = key === 'first_seen' || key === 'shape' || key === 'domain';
    const needsDays = asksFor('firstSeen', this.query) || this.query.sort?.key === 'first_seen';
    return asksFor('checkedAt', this.query) || (needsDays && !hasDays);
  }

  /** By length: the first lengths that hold twice the rows wanted, then the others if they are needed. */
  private cutByLength(): Costed<GatheringPlan> | null {
    const { query, sample } = this;
    const { cells } = sample;
    const { sort, after } = query;
    if (!cells || sort?.key !== 'length') return null;
    const isAscending = sort.direction === 'asc';
    const filter = { ...query, minLength: leastLength(query) };
    const share = shareByLength(
      filter,
      isExplained(query) ? this.matchShare : this.keywordShare,
      cells.lengths,
      this.lengths,
    );
    const values = cells
      .countBy('length', { ...filter, minWayback: 0, maxWayback: undefined })
      .filter(({ value }) => !after || (isAscending ? value >= after.length : value <= after.length));
    const scored = new Map(cells.countBy('length', filter).map(({ value, passing }) => [value, passing]));
    let [names, matching] = [0, 0];
    for (const { value, passing } of isAscending ? values : values.toReversed()) {
      names += passing;
      matching += (scored.get(value) ?? 0) * share(value);
      if (matching >= SURPLUS * this.wanted)
        return {
          plan: { strategy: 'range', key: 'shape', cut: value },
          names: SKIPS + names * (this.isInTable('shape') ? TABLE_NAME : 1),
        };
    }
    return null;
  }

  /** Share of names within the filter's limits for what an index begins with. */
  private shareWithin(key: RangeKey): number {
    const { maxLength, firstSeenFrom, firstSeenTo, minWayback, maxWayback, suffixes, hyphens, numbers } =
      this.query;
    const scores = { minWayback, maxWayback };
    const days = { firstSeenFrom, firstSeenTo };
    const lengths = { minLength: leastLength(this.query), maxLength };
    const limits: Record<RangeKey, Partial<NameFilter>> = {
      wayback: { ...scores, suffixes },
      length: { ...lengths, ...scores },
      first_seen: { ...days, ...scores },
      shape: { ...lengths, ...days, suffixes, hyphens, numbers },
      domain: {},
    };
    if (key === 'domain') return Math.max(this.sample.leastShare, this.keywordShare);
    return Math.max(LEAST_SHARE, this.sample.shareOfFilter({ ...NO_LIMITS, ...limits[key] }));
  }
}

const byShare = (one: List, other: List) => one.share - other.share;

/** The indexes that begin with what the filter limits. */
function rangeKeys(filter: NameFilter): RangeKey[] {
  const { q, mode, minWayback, maxWayback, suffixes, minLength, maxLength, hyphens, numbers } = filter;
  const hasLength = minLength !== undefined || maxLength !== undefined;
  const hasDays = asksFor('firstSeen', filter);
  const hasTriState = [hyphens, numbers].some((wanted) => wanted !== undefined && wanted !== 'allow');
  return [
    ...(minWayback > 0 || maxWayback !== undefined || suffixes.length > 0 ? ['wayback' as const] : []),
    ...(hasLength ? ['length' as const] : []),
    ...(hasDays ? ['first_seen' as const] : []),
    ...(q !== undefined && mode === 'prefix' ? ['domain' as const] : []),
    ...(hasTriState || hasLength || hasDays || suffixes.length > 0 ? ['shape' as const] : []),
  ];
}

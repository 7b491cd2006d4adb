import type { RangeKey } from '../schema/filters/filter.js';
import { asksFor, asksForOtherStates, NO_LIMITS, type NameFilter } from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { holdsScores, SCORE_BANDS } from '../schema/filters/score-bands.js';
import { BY_RANK, type DiscoveryQuery, isCommon } from './discovery-query.js';
import { readsUntil, shareByLength } from './order-reads.js';
import type { CellShares } from './cube/cell-shares.js';
import type { NameSample } from './name-sample.js';
import { characterTraits, type TraitLookup, traitsOf } from './name-traits.js';
import {
  GRAM_LENGTHS,
  type GramLookup,
  gramOfSuffix,
  gramsOf,
  joinedGrams,
  lookupOf,
  markPattern,
} from './pattern-grams.js';

/**
 * The way a question is asked; every way finds the same rows. `order`: read names in the order asked for until
 * enough have matched, at most `bound` of them; where that is not enough, `otherwise`. `bands`: look grams up, band
 * by band. `range`: read all names within the filter's limits for the columns of one index; in the order of lengths
 * first those up to the first of `cuts`, and so on. `states`: read the index of the names that are not available,
 * in the order of rank, or all of a state and sorted.
 */
export type DiscoveryPlan =
  { readonly strategy: 'order'; readonly bound?: number; readonly otherwise?: GatheringPlan } | GatheringPlan;

/** The ways that can find all names that pass at once. */
export type GatheringPlan =
  | { readonly strategy: 'states' }
  | { readonly strategy: 'range'; readonly key: RangeKey; readonly cuts?: readonly number[] }
  | ({ readonly strategy: 'bands' } & GramLookup);

/** A plan, what it is expected to cost, and how many names it is expected to read. */
export interface Costed<Plan = DiscoveryPlan> {
  readonly plan: Plan;
  /** As much as to read so many names from an index in their order. */
  readonly names: number;
  readonly reads: number;
}

// What things cost, in names read in order: fitted to 385 questions over ten million names in memory, where such a name
// takes 0.25 µs.
const TABLE_NAME = 13;
const BAND = 77;
const LOOKUP = 11;
/** A name that grams find is read from the table, and one of a list is passed; by any of many grams it takes longer. */
const FOUND = 13;
const LISTED = 0.05;
const LISTED_BY_ANY = 0.55;
/** The session has to plan the bands of a statement that it does not keep. */
const UNPLANNED = 3_000;
/** Skipping to the values of columns that are not asked for; to the scores of each length and of each day. */
const SKIPS: Readonly<Partial<Record<RangeKey, number>>> = { shape: 5_000 };
const SKIPS_TO_SCORES: typeof SKIPS = { ...SKIPS, length: 1_600, first_seen: 15_000 };
/** A range of domains is read from the table, where names that begin alike lie together. */
const DOMAIN_NAME = 2;

/**
 * Bounds of orders, each a statement of its own: an order is read no further than the next best way costs, so that no
 * misjudgement costs more than twice that, and the last costs 64 ms.
 */
const BOUNDS = [1_000, 4_000, 16_000, 64_000, 256_000];
/** Of names, that none is known of. */
const LEAST_SHARE = 1e-8;
const MAX_LISTS = 4;
/** So many suffixes a pattern's grams are looked up with, each a list of its own. */
const MAX_JOINED = 2;
/** How many of the labels on offer under one suffix are so under another: a guess, as it is not counted. */
const SHARE_UNDER_ANOTHER = 0.02;
/** As many matches the parts of a gathering by length are to have for each that is wanted, before the rest. */
const SURPLUSES = [2, 8, 32];

const UNKNOWN = { names: Infinity, reads: Infinity };

/** The cheapest way to a page; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  return planPage(query, sample).plan;
}

/** The same with its cost. */
export function planPage(query: DiscoveryQuery, sample: NameSample | null): Costed {
  if (asksForOtherStates(query)) return { plan: { strategy: 'states' }, ...UNKNOWN };
  if (!sample) return { plan: withoutSample(query), ...UNKNOWN };
  const costs = new Costs(query, sample);
  const order = costs.ofOrder();
  const others = costs.ways(true);
  const best = others.length > 0 ? cheapest(others) : null;
  const costed = { names: order.names, reads: order.reads };
  if (!best) return { plan: { strategy: 'order' }, ...costed };
  if (best.names < order.names) return best;
  const bound = BOUNDS.find((names) => names >= best.names) ?? Math.max(...BOUNDS);
  const isBounded = order.reads < bound && bound < order.region;
  return {
    plan: isBounded ? { strategy: 'order', bound, otherwise: best.plan } : { strategy: 'order' },
    ...costed,
  };
}

/** The cheapest way to all names that pass. */
export function planGathering(
  query: NameFilter & Partial<DiscoveryQuery>,
  sample: NameSample | null,
): GatheringPlan {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  const byRank = { strategy: 'range', key: 'wayback' } as const;
  if (!sample) {
    const plan = withoutSample(query);
    return plan.strategy === 'order' ? byRank : plan;
  }
  const costs = new Costs({ limit: 0, ...query }, sample);
  const ways = costs.ways(false);
  return ways.length > 0 ? cheapest(ways).plan : byRank;
}

function cheapest<Plan>(ways: readonly Costed<Plan>[]): Costed<Plan> {
  return ways.reduce((best, next) => (next.names < best.names ? next : best));
}

function withoutSample(query: NameFilter): DiscoveryPlan {
  const lookup = lookupFor(query);
  return lookup ? { strategy: 'bands', ...lookup, every: spread(lookup.every) } : { strategy: 'order' };
}

/** The texts that a name must have: the keyword, and what lies between the wildcards of a glob. */
function patternsOf({ q = '', mode, glob }: NameFilter): string[] {
  return [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
}

/** The grams of these texts. */
function lookupFor(filter: NameFilter): GramLookup | null {
  const lookups = patternsOf(filter).flatMap((pattern) => lookupOf(pattern) ?? []);
  const every = [...new Set(lookups.flatMap((lookup) => lookup.every))];
  return every.length > 0 ? { every, some: [] } : (lookups[0] ?? null);
}

// Neighbouring grams tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}

/** One list of an index: a gram, the same gram joined with each of some suffixes, or a trait with its codes. */
interface List {
  readonly gram?: string;
  readonly joined?: readonly string[];
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
  private readonly needsTable: boolean;
  readonly isCommon: boolean;

  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
  ) {
    const { suffixes, minWayback, maxWayback, sort = BY_RANK, offeredUnder = [] } = query;
    this.keywordShare = sample.shareOfKeyword(query);
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

  /** What it costs to read in order until enough have matched, and how many names there are to read. */
  ofOrder(): { names: number; reads: number; region: number } {
    const { region, read } = this.readInOrder();
    const reads = Math.min(region, read);
    const lookedUp = this.needsTable ? Math.min(reads, this.wanted / this.dayShare) : 0;
    return { region, reads, names: LOOKUP + reads + lookedUp * TABLE_NAME };
  }

  /** Share of names that pass by their first day alone. */
  private get dayShare(): number {
    const { firstSeenFrom, firstSeenTo } = this.query;
    return Math.max(LEAST_SHARE, this.sample.shareOfFilter({ ...NO_LIMITS, firstSeenFrom, firstSeenTo }));
  }

  private readInOrder(): { region: number; read: number } {
    const { sort = BY_RANK } = this.query;
    const { cells, total } = this.sample;
    const { key, direction } = sort;
    if (cells && !this.isCommon && (key === 'length' || key === 'wayback')) {
      const values = cells.countBy(key === 'length' ? 'length' : 'score', this.query);
      const shareOf = key === 'length' ? this.shareByLength(cells) : () => this.shareOfCells(cells);
      const region = values.reduce((sum, { names }) => sum + names, 0);
      return {
        region,
        read: readsUntil(this.wanted, direction === 'asc' ? values : values.toReversed(), shareOf),
      };
    }
    const inBands = this.bands.reduce((sum, size) => sum + size, 0) / total;
    const share =
      key === 'wayback' ? inBands * this.suffixShare : key === 'length' ? 1 : this.shareWithin(key);
    // The share of a keyword knows nothing of the score, so the names above the floor match as often as all do.
    const rate = this.isCommon ? this.keywordShare : this.matchShare / Math.max(share, this.matchShare);
    return { region: total * share, read: this.wanted / Math.max(LEAST_SHARE, rate) };
  }

  /** Share of the names that pass by the cells, that pass by all else as well. */
  private shareOfCells(cells: CellShares): number {
    return Math.min(
      1,
      Math.max(LEAST_SHARE, this.matchShare / Math.max(LEAST_SHARE, cells.shareOf(this.query))),
    );
  }

  private shareByLength(cells: CellShares): (length: number) => number {
    return shareByLength(this.query, this.shareOfCells(cells), cells.lengths, this.lengths);
  }

  private get lengths(): number[] {
    return this.query.q === undefined ? [] : this.sample.lengthsOf(this.query);
  }

  /** All ways but an order. @param isFirst whether one may end as soon as enough names were found */
  ways(isFirst: boolean): Costed<GatheringPlan>[] {
    return [...this.waysByGrams(isFirst), ...this.waysByRange(isFirst)];
  }

  /** By grams, suffix and traits. */
  private waysByGrams(isFirst: boolean): Costed<GatheringPlan>[] {
    const { query } = this;
    const lookup = lookupFor(query);
    const characters = lookup ? [] : characterTraits(query);
    if (!lookup && characters.length === 0) return [];
    const chosen = this.chooseLists(lookup, characters);
    const plan: GatheringPlan = {
      strategy: 'bands',
      every: chosen.lists.flatMap(({ gram, joined }) => (joined ? onlyOne(joined) : (gram ?? []))),
      some: chosen.some,
      ...(chosen.lists.some(({ codes }) => codes) && {
        traits: chosen.lists.flatMap(({ codes }) => (codes ? [codes] : [])),
      }),
    };
    return [{ plan, ...this.ofBands(chosen, isFirst) }];
  }

  /**
   * The one rule for lists: from the rarest on, the next shortest is worth its reading while it is shorter than 260
   * times (FOUND / LISTED) the names that it saves.
   */
  private chooseLists(lookup: GramLookup | null, characters: readonly TraitLookup[]): Lookup {
    const { query, sample } = this;
    const joined = this.joinedList(lookup);
    const grams = [
      ...(lookup?.every ?? []).map((gram) => this.listOfGram(gram)),
      ...(joined ? [joined] : []),
    ];
    const [rarest] = grams.toSorted(byShare);
    const given = characters.map((trait) => this.listOfTrait(trait));
    const [suffix, ...others] = joined ? [] : query.suffixes;
    const bySuffix = suffix && others.length === 0 ? [this.listOfGram(gramOfSuffix(suffix))] : [];
    const optional = [
      ...grams.filter((list) => list !== rarest),
      ...bySuffix,
      ...(this.isCommon ? [] : traitsOf(query).map((trait) => this.listOfTrait(trait))),
    ].toSorted(byShare);
    let lists = [...(rarest ? [rarest] : []), ...given];
    const parts = this.ofParts(lookup);
    let { found } = parts;
    for (const { share } of lists) found *= share;
    for (const list of optional) {
      if (lists.length >= MAX_LISTS) break;
      const both =
        list.gram && rarest?.gram && !bySuffix.includes(list)
          ? sample.shareAmong(rarest.gram, list.gram) * (list.joined ? this.suffixShare : 1)
          : list.share;
      if (list.share >= (FOUND / LISTED) * found * (1 - both)) continue;
      lists = [...lists, list];
      found *= both;
    }
    const anyOf = lists.find((list) => list.joined && list.joined.length > 1);
    return { lists, some: anyOf?.joined ?? parts.some, found };
  }

  /** Grams that a pattern of two characters may be a part of, of names of the suffixes alone where these are rare. */
  private ofParts(lookup: GramLookup | null): { some: readonly string[]; found: number } {
    if (!lookup || lookup.some.length === 0) return { some: [], found: 1 };
    const joined = lookup.some.map((gram) => this.joinedTo(gram));
    if (joined.includes(null)) return { some: lookup.some, found: this.keywordShare };
    return { some: joined.flatMap((grams) => grams ?? []), found: this.keywordShare * this.suffixShare };
  }

  /** The rarest short gram of what names must have, joined with the suffixes. */
  private joinedList(lookup: GramLookup | null): List | null {
    if (!lookup || lookup.every.length === 0) return null;
    const shorts = patternsOf(this.query).flatMap((pattern) => gramsOf(pattern, GRAM_LENGTHS.short));
    const [rarest] = shorts.map((gram) => this.listOfGram(gram)).toSorted(byShare);
    const joined = rarest?.gram === undefined ? null : this.joinedTo(rarest.gram);
    if (!rarest || !joined) return null;
    return { ...rarest, joined, share: rarest.share * this.suffixShare, lists: joined.length };
  }

  private joinedTo(gram: string): readonly string[] | null {
    const { suffixes } = this.query;
    return suffixes.length === 0 || suffixes.length > MAX_JOINED ? null : joinedGrams(gram, suffixes);
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

  private ofBands({ lists, some, found }: Lookup, isFirst: boolean): Omit<Costed, 'plan'> {
    const { sort = BY_RANK } = this.query;
    const endsEarly = isFirst && sort.key === 'wayback';
    const listed = lists.reduce((sum, { share }) => sum + share * LISTED, 0);
    // Joined grams of a longer pattern are one of the lists.
    const parts = lists.some(({ joined }) => joined === some) ? 0 : some.length;
    const listedByAny = parts > 0 ? this.keywordShare * LISTED_BY_ANY : 0;
    const lookups = lists.reduce((sum, one) => sum + one.lists, parts);
    let [names, reads, matching] = [this.isCommon ? 0 : UNPLANNED, 0, 0];
    for (const size of this.bands) {
      names += BAND + lookups * LOOKUP + size * (found * FOUND + listed + listedByAny);
      reads += size * found;
      matching += size * this.matchShare;
      if (endsEarly && matching >= this.wanted) break;
    }
    return { names, reads };
  }

  /** By the indexes that begin with what the filter limits. */
  private waysByRange(isFirst: boolean): Costed<GatheringPlan>[] {
    // The common question is not worth planning by cells.
    const keys = rangeKeys(this.query).filter((key) => !this.isCommon || key === 'domain');
    const { minWayback, maxWayback } = this.query;
    const skips = minWayback > 0 || maxWayback !== undefined ? SKIPS_TO_SCORES : SKIPS;
    const ways = keys.map((key): Costed<GatheringPlan> => {
      const reads = this.sample.total * this.shareWithin(key);
      const names = LOOKUP + (skips[key] ?? 0) + reads * this.costOfName(key);
      return { plan: { strategy: 'range', key }, names, reads };
    });
    const parts = isFirst && !this.isCommon ? this.cutByLength() : null;
    return parts ? [...ways, parts] : ways;
  }

  private costOfName(key: RangeKey): number {
    if (this.isInTable(key)) return TABLE_NAME;
    return key === 'domain' ? DOMAIN_NAME : 1;
  }

  private isInTable(key: RangeKey): boolean {
    const hasDays = key === 'first_seen' || key === 'shape' || key === 'domain';
    const needsDays = asksFor('firstSeen', this.query) || this.query.sort?.key === 'first_seen';
    return asksFor('checkedAt', this.query) || (needsDays && !hasDays);
  }

  /** By length: the first lengths that hold twice the rows wanted, then more and the rest if they are needed. */
  private cutByLength(): Costed<GatheringPlan> | null {
    const { query, sample } = this;
    const { cells } = sample;
    const { sort, after } = query;
    if (!cells || sort?.key !== 'length') return null;
    const isAscending = sort.direction === 'asc';
    const share = this.shareByLength(cells);
    const values = cells
      .countBy('length', { ...query, minWayback: 0, maxWayback: undefined })
      .filter(({ value }) => !after || (isAscending ? value >= after.length : value <= after.length));
    const scored = new Map(cells.countBy('length', query).map(({ value, passing }) => [value, passing]));
    const cuts: number[] = [];
    let [reads, matching, first] = [0, 0, 0];
    for (const { value, passing } of isAscending ? values : values.toReversed()) {
      reads += passing;
      matching += (scored.get(value) ?? 0) * share(value);
      if (matching < (SURPLUSES[cuts.length] ?? Infinity) * this.wanted) continue;
      if (cuts.length === 0) first = reads;
      cuts.push(value);
    }
    if (cuts.length === 0) return null;
    const names = (SKIPS.shape ?? 0) + first * this.costOfName('shape');
    return { plan: { strategy: 'range', key: 'shape', cuts }, names, reads: first };
  }

  /** Share of names within the filter's limits for what an index begins with. */
  private shareWithin(key: RangeKey): number {
    const { minLength, maxLength, firstSeenFrom, firstSeenTo } = this.query;
    const { minWayback, maxWayback, suffixes, hyphens, numbers } = this.query;
    const scores = { minWayback, maxWayback };
    const days = { firstSeenFrom, firstSeenTo };
    const lengths = { minLength, maxLength };
    const limits: Record<RangeKey, Partial<NameFilter>> = {
      wayback: { ...scores, suffixes },
      length: { ...lengths, ...scores },
      first_seen: { ...days, ...scores },
      shape: { ...lengths, ...days, suffixes, hyphens, numbers },
      domain: {},
    };
    if (key === 'domain')
      return this.query.mode === 'prefix' ? Math.max(this.sample.leastShare, this.keywordShare) : 1;
    return Math.max(LEAST_SHARE, this.sample.shareOfFilter({ ...NO_LIMITS, ...limits[key] }));
  }
}

/** Of several, a name has one; they are looked up apart. */
function onlyOne(joined: readonly string[]): readonly string[] {
  return joined.length === 1 ? joined : [];
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

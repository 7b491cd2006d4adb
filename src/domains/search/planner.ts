import type { RangeKey } from '../schema/filters/filter.js';
import {
  asksFor,
  asksForOtherStates,
  asksForTable,
  enteredIndexes,
  entering,
  isKnownToCells,
  knownToIndexes,
  type NameFilter,
} from '../schema/filters/filters.js';
import { holdsScores, SCORE_TIERS, type ScoreTier } from '../schema/filters/score-bands.js';
import { wordsToLookUp } from '../schema/filters/reading-filter.js';
import { BY_RANK, type DiscoveryQuery, isCommon, isRepeated } from './discovery-query.js';
import { type Part, shareByLength } from './cube/cell-shares.js';
import type { NameSample } from './name-sample.js';
import { headOf } from './heads.js';
import { DIGIT_INITIALS, type GramLookup, isImplied, type TraitLookup, traitsOf } from './name-traits.js';
import {
  GRAM_LENGTHS,
  gramsOf,
  joinedGrams,
  MAX_JOINED,
  gramsToLookUp,
  patternsOf,
} from './pattern-grams.js';

/**
 * The way a question is asked; every way finds the same rows. `order`: read names in the order asked for until enough
 * have matched. `bands`: look grams up, band by band. `range`: read all names within the filter's limits for the columns
 * of one index. `states`: read the index of the names that are not available.
 */
export type DiscoveryPlan = (OrderPlan | GatheringPlan) & {
  /** Limits for the first names of the order: what passes within them comes before all else. */
  readonly head?: Partial<DiscoveryQuery>;
  /** The plan for a page that an order or a head does not fill, and where there are more names than the bound. */
  readonly otherwise?: DiscoveryPlan;
};

/** @property isDirect whether each row is read as the index leads to it: the index lacks what the question needs */
export type OrderPlan = Way<{ readonly strategy: 'order'; readonly isDirect?: boolean }>;

/** The ways that can find all names that pass at once. */
export type GatheringPlan = RangePlan | BandsPlan | Way<{ readonly strategy: 'states' }>;
export type RangePlan = Way<{ readonly strategy: 'range'; readonly key: RangeKey }>;
export type BandsPlan = Way<{ readonly strategy: 'bands' } & GramLookup>;

/** With a bound, no more names are read: of `bands`, in each of them. */
type Way<Plan> = Plan & { readonly bound?: number | undefined };

/** A plan, what it is expected to cost, and how many names it is expected to read. */
export interface Costed<Plan = DiscoveryPlan> {
  readonly plan: Plan;
  /** As much as to read so many names from an index in their order. */
  readonly names: number;
  readonly reads: number;
}

/** @property first the expected cost of the first statement: of a head, or of all names */
type Headed = Costed & { readonly first: number };

/** A way that can find all names that pass: what a name costs, and how many there may be. */
interface Gathering extends Costed<GatheringPlan> {
  readonly each: number;
  readonly most: number;
}

// What things cost, in names read in order: fitted to 385 questions over ten million names in memory, where such a name
// takes 0.25 µs.
/** To look a name up in the table, and to read it there as the index leads to it: names lie there in their order. */
const TABLE_NAME = 20;
const DIRECT: Readonly<Record<RangeKey, number>> = {
  ...{ domain: 2, length: 10, first_seen: 10, wayback: 10, shape: 10 },
};
const BAND = 77;
const LOOKUP = 11;
/** A name that lists find is read from the table; one of a list is passed. */
const FOUND = 9;
const LISTED = 0.05;
/** A further list is skipped through. */
const SKIPPED_LIST = 0.025;
/** A name is compared with each code of a further list. */
const COMPARED = 0.25;
/** The session has to plan the bands of a statement that it does not keep. */
const UNPLANNED = 3_000;
/** Skipping to the values of columns that are not asked for; to the scores of each length and of each day. */
const SKIPS: Readonly<Partial<Record<RangeKey, number>>> = { shape: 5_000 };
const SKIPS_TO_SCORES: typeof SKIPS = { ...SKIPS, length: 1_600, first_seen: 15_000 };
/** To read a name of an index. Neighbours by score or by shape lie on distant pages, each looked up for visibility. */
const INDEX_NAME: Readonly<Record<RangeKey, number>> = {
  ...{ domain: 1, length: 1, first_seen: 1 },
  ...{ wayback: 1.6, shape: 1.6 },
};
/** To sort a name of a range. */
const SORTED = 0.7;
/** To skip to the names with a prefix: in each length, and in all scores. */
const SKIPPED = { length: 2_500, wayback: 20_000 };

/** How far an order is read beyond its plan, in units of cost, before the next way is taken: 16 ms. */
const MISJUDGED = 64_000;
/** A way that takes longer, about half a second, is not worth leaving an order for. */
const WORTH_LEAVING = 2_000_000;
/** The common question has few bounds, as each is a statement that is kept. */
const BOUNDS = [1_000, 4_000, 16_000, 64_000, 128_000, 192_000, 256_000];
/** Of names, that none is known of. */
const LEAST_SHARE = 1e-8;
const MAX_LISTS = 4;
/** How many of the labels on offer under one suffix are so under another: a guess, as it is not counted. */
const SHARE_UNDER_ANOTHER = 0.02;
/** A head of the order is to hold so many matches for each that is wanted, the first tiers of scores the second. */
const SURPLUSES = [24, 3] as const;
/** Sites whose titles are looked up: where more have the words, an order soon brings names of them. */
const MAX_TITLED = 20_000;
/** How often a head turns out to be too short: a guess. */
const SHORT_HEADS = 0.1;

/** The cheapest way to a page; without a sample, the grams. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): Costed {
  const given = givenPlan(query, sample);
  if (given || !sample) return { plan: given ?? { strategy: 'order' }, names: Infinity, reads: Infinity };
  const costs = new Costs(query, sample);
  const order = costs.ofOrder();
  const best = costs.ofHeads();
  if (best && best.names < order.names) return best;
  const bound = costs.boundOf(order.names + Math.min(MISJUDGED, best?.first ?? 0), order.each, order.region);
  const isBounded = best && best.names < WORTH_LEAVING && bound !== undefined;
  const plan = { ...order.plan, ...(isBounded && { bound, otherwise: best.plan }) };
  return { plan, names: order.names, reads: order.reads };
}

/** What follows where a plan does not fill the page. */
export function nextPlan(
  plan: DiscoveryPlan,
  { rows, isTooBroad = false }: { readonly rows: readonly unknown[]; readonly isTooBroad?: boolean },
  wanted: number,
): DiscoveryPlan | undefined {
  if (isTooBroad) return plan.otherwise;
  const isPart = plan.strategy === 'order' || plan.head !== undefined;
  return isPart && rows.length < wanted ? plan.otherwise : undefined;
}

/** The cheapest way to all names that pass. */
export function planGathering(
  query: NameFilter & Partial<DiscoveryQuery>,
  sample: NameSample | null,
): GatheringPlan {
  const given = givenPlan(query, sample);
  const byRank = { strategy: 'range', key: 'wayback' } as const;
  if (given || !sample) return given ?? byRank;
  const costs = new Costs({ limit: 0, ...query }, sample);
  return costs.chained(costs.ways(false)) ?? byRank;
}

/** A plan that needs no costs; null: they decide. Words and former titles are looked up wherever they are asked for. */
function givenPlan(query: NameFilter, sample: NameSample | null): (GatheringPlan & DiscoveryPlan) | null {
  if (asksForOtherStates(query)) return { strategy: 'states' };
  if (asksFor('formerTitle', query))
    return {
      ...{ strategy: 'bands', every: [], some: [] },
      bound: MAX_TITLED,
      otherwise: { strategy: 'order' },
    };
  if (sample) return null;
  const every = gramsOfFilter(query);
  const hasLists = every.length > 0 || wordsToLookUp(query.reading).length > 0;
  return hasLists ? { strategy: 'bands', every, some: [] } : null;
}

function gramsOfFilter(filter: NameFilter): string[] {
  return [...new Set(patternsOf(filter).flatMap(gramsToLookUp))];
}

/** Lists that are read as one: names that have one of the grams, of the words or of the codes of a trait. */
interface List {
  /** What the grams have in common: the gram that they join with suffixes. */
  readonly gram?: string;
  readonly grams: readonly string[];
  readonly trait?: TraitLookup;
  /** Whether there are no more names than the sample tells: how often traits come with others is a guess. */
  readonly isCounted: boolean;
  readonly share: number;
}

/** Names of one length: how many an order leads past, and how many of them match. */
interface LengthMatches extends Part<number> {
  readonly names: number;
}

/** Lists to look up together. */
interface Lookup {
  readonly lists: readonly List[];
  /** Share of names that all of them have. */
  readonly found: number;
  /** What it costs to read the lists, for each name of a band. */
  readonly names: number;
}

class Costs {
  private readonly keywordShare: number;
  private readonly suffixShare: number;
  /** Share of all names that the answer is taken from. */
  private readonly matchShare: number;
  /** Sizes of the tiers that hold scores asked for, in the order in which they are read. */
  private readonly tiers: readonly (ScoreTier & { size: number })[];
  private readonly wanted: number;
  readonly isCommon: boolean;
  private lengths: readonly LengthMatches[] | undefined;
  /** Of names within the limits that an index is entered by: a question and its heads ask for the same ones. */
  private readonly shares: Map<string, number>;

  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
    whole?: Costs,
  ) {
    const { suffixes, minWayback, maxWayback, sort = BY_RANK, offeredUnder = [] } = query;
    this.shares = whole?.shares ?? new Map<string, number>();
    this.keywordShare = whole?.keywordShare ?? sample.shareOfKeyword(query);
    this.suffixShare = sample.shareOfSuffixes(suffixes);
    this.isCommon = isCommon(query);
    // The common question is judged by earlier counts: no name of the sample is read.
    this.matchShare =
      whole?.matchShare ??
      (this.isCommon
        ? this.keywordShare * this.suffixShare
        : Math.max(
            LEAST_SHARE,
            SHARE_UNDER_ANOTHER ** Math.max(0, offeredUnder.length - 1) * sample.shareOfFilter(query),
          ));
    const tiers = SCORE_TIERS.map((tier, place) => ({ ...tier, size: sample.tierSizes[place] ?? 0 })).filter(
      (tier) => holdsScores(tier, minWayback, maxWayback),
    );
    this.tiers = sort.direction === 'desc' ? tiers : tiers.toReversed();
    this.wanted = query.limit + (query.offset ?? 0);
  }

  /** What it costs to read in order until enough have matched, and how many names there are to read. */
  ofOrder(): Costed<OrderPlan> & { readonly region: number; readonly each: number } {
    const { key } = this.query.sort ?? BY_RANK;
    const { region, read } = key === 'length' ? this.readByLength() : this.readBy(key);
    const reads = Math.min(region, read);
    const indexed = this.costOfName(key);
    const isDirect = asksForTable(this.query) && DIRECT[key] < indexed;
    const each = isDirect ? DIRECT[key] : indexed;
    const plan = { strategy: 'order', ...(isDirect && { isDirect }) } as const;
    return { plan, names: LOOKUP + reads * each, reads, region, each };
  }

  private readBy(key: RangeKey): { region: number; read: number } {
    const inTiers = this.tiers.reduce((sum, { size }) => sum + size, 0) / this.sample.total;
    const share = this.isCommon ? inTiers * this.suffixShare : this.shareWithin(key);
    // The share of a keyword knows nothing of the score, so the names above the floor match as often as all do.
    const rate = this.isCommon ? this.keywordShare : this.matchShare / Math.max(share, this.matchShare);
    const read = this.wanted / Math.max(LEAST_SHARE, rate);
    const region = this.sample.total * share;
    if (this.isCommon || key !== 'wayback' || !this.isSkipping) return { region, read };
    return {
      region: region * this.keywordShare + SKIPPED.wayback,
      read: read * this.keywordShare + SKIPPED.wayback,
    };
  }

  // In some lengths hardly any name may match: names with hyphens, digits or a long word are hardly ever short.
  private readByLength(): { region: number; read: number } {
    const rising = this.matchesByLength();
    const lengths = this.query.sort?.direction === 'asc' ? rising : rising.toReversed();
    let [read, found] = [0, 0];
    for (const { names, matching } of lengths) {
      if (found < this.wanted)
        read += names * Math.min(1, (this.wanted - found) / Math.max(LEAST_SHARE, matching));
      found += matching;
    }
    return { region: lengths.reduce((sum, { names }) => sum + names, 0), read };
  }

  private matchesByLength(): readonly LengthMatches[] {
    const { query } = this;
    if (this.lengths) return this.lengths;
    const { cells } = this.sample;
    const passing = Math.max(LEAST_SHARE, cells.shareOf(query));
    const isKnown = query.q === undefined && isKnownToCells(query);
    const found = isKnown ? new Map<number, number>() : this.sample.lengthsOf(query);
    const share = shareByLength(query, Math.min(1, this.matchShare / passing), cells.lengths, found);
    this.lengths = cells.byLength(query).map(({ value, names, passing }) => ({
      part: [value, value],
      names: this.isSkipping ? SKIPPED.length + names * this.keywordShare : names,
      matching: passing * share(value),
    }));
    return this.lengths;
  }

  /** The cheapest way but an order: to the first names of the order if they are likely to be enough, or to all. */
  ofHeads(): Headed | null {
    // An order that is read to its end is the last resort where all else would take longer than a search may.
    const ways = this.ways(true);
    const [all] = ways;
    let best: Headed | null = all ? { ...all, first: all.names, plan: this.chained(ways) ?? all.plan } : null;
    const { plan, names } = this.ofOrder();
    if (all && all.names > Math.max(WORTH_LEAVING, names))
      best = { plan, names: WORTH_LEAVING, first: WORTH_LEAVING, reads: Infinity };
    const matching = this.sample.total * this.matchShare;
    const lengths = () => this.matchesByLength();
    for (const surplus of SURPLUSES) {
      const head = best && headOf(this.query, this.sample, matching, lengths, surplus * this.wanted);
      if (JSON.stringify(head) === JSON.stringify(best?.plan.head)) continue;
      const way = head && new Costs({ ...this.query, ...head }, this.sample, this).ways(true)[0];
      if (!best || !way) continue;
      const names = way.names + SHORT_HEADS * best.names;
      const plan = { ...this.limited(way, best.names), head, otherwise: best.plan };
      if (names < best.names) best = { ...way, first: way.names, plan, names };
    }
    return best;
  }

  /** All ways but an order, the cheapest first. @param isFirst whether one may end as soon as enough names were found */
  ways(isFirst: boolean): Gathering[] {
    const chosen = this.chooseLists();
    const byLists = chosen && { plan: planOf(chosen), ...this.ofBands(chosen, isFirst) };
    return [...(byLists ? [byLists] : []), ...this.waysByRange()].sort(
      (one, other) => one.names - other.names,
    );
  }

  /** The cheapest way; it is left where it has cost beyond its plan what another costs, and taken again if that one is. */
  chained([first, next]: readonly Gathering[]): (GatheringPlan & DiscoveryPlan) | undefined {
    if (!first || !next) return first?.plan;
    const plan = this.limited(first, next.names);
    if (plan.bound === undefined) return plan;
    return { ...plan, otherwise: { ...this.limited(next, first.names), otherwise: first.plan } };
  }

  private limited({ plan, names, each, most }: Gathering, other: number): GatheringPlan {
    const bound = other < most * each ? this.boundOf(names + other, each, most) : undefined;
    return bound === undefined ? plan : { ...plan, bound };
  }

  /** How many names may be read at a cost; undefined: there are no more. */
  boundOf(cost: number, each: number, most: number): number | undefined {
    const names = Math.ceil(cost / each);
    const bound = isRepeated(this.query) ? BOUNDS.find((one) => one >= names) : names;
    return bound !== undefined && bound < most ? bound : undefined;
  }

  /** From the rarest list on, the next shortest is added if to read it costs less than the names that it saves. */
  private chooseLists(): Lookup | null {
    const { query } = this;
    const joined = this.joinedList();
    const grams = [...gramsOfFilter(query).map((gram) => this.listOfGram(gram)), ...(joined ? [joined] : [])];
    const words = wordsToLookUp(query.reading).map((codes) => this.listOfWords(codes));
    const traits = this.isCommon ? [] : traitsOf(query).map((trait) => this.listOfTrait(trait));
    // The words of a reading are looked up by every statement.
    const first = words.length > 0 ? words : [...grams, ...traits.filter(({ isCounted }) => isCounted)];
    const [rarest] = first.toSorted(byShare);
    if (!rarest) return null;
    const lists = [rarest, ...words.filter((list) => list !== rarest)];
    const optional = [...grams, ...traits].filter((list) => list !== rarest).toSorted(byShare);
    // Not all names with the keyword have a trait, but all have its grams.
    const isOfKeyword = query.q !== undefined && rarest.gram !== undefined;
    const keyword = isOfKeyword ? this.keywordShare * (rarest === joined ? this.suffixShare : 1) : 0;
    const others = lists.slice(1).reduce((sum, { share }) => sum + share, 0);
    let [found, names] = [rarest.share, rarest.share * LISTED + others * SKIPPED_LIST];
    for (const list of optional) {
      if (lists.length >= MAX_LISTS) break;
      const { trait } = list;
      if (trait && lists.some(({ trait: by }) => by && isImplied(trait, by))) continue;
      // Grams of one pattern come together more often than by chance, and at least wherever the keyword is.
      const both =
        list.gram === undefined ? list.share : Math.max(Math.sqrt(list.share), keyword / rarest.share);
      const reading = list.share * SKIPPED_LIST + found * countOf(list) * COMPARED;
      if (reading >= FOUND * found * (1 - both)) continue;
      lists.push(list);
      found *= both;
      names += reading;
    }
    return { lists, found, names };
  }

  /** The rarest gram of what names must have, joined with the suffixes. */
  private joinedList(): List | null {
    const { suffixes } = this.query;
    if (suffixes.length === 0 || suffixes.length > MAX_JOINED) return null;
    const [rarest] = patternsOf(this.query)
      .flatMap((pattern) => gramsOf(pattern, GRAM_LENGTHS.short))
      .filter((gram) => gram.length >= GRAM_LENGTHS.pair)
      .map((gram) => this.listOfGram(gram))
      .toSorted(byShare);
    const joined = rarest?.gram === undefined ? null : joinedGrams(rarest.gram, suffixes);
    if (!rarest || !joined) return null;
    return { ...rarest, grams: joined, share: rarest.share * this.suffixShare };
  }

  private listOfGram(gram: string): List {
    return { gram, grams: [gram], isCounted: true, share: this.sample.shareOf(gram) };
  }

  private listOfTrait(trait: TraitLookup): List {
    const { isOfWords: isCounted = false } = trait;
    return { grams: [], trait, isCounted, share: this.sample.shareOfTrait(trait) };
  }

  private listOfWords(words: readonly number[]): List {
    return { grams: [], isCounted: true, share: this.sample.shareOfWords(words) };
  }

  private ofBands({ lists, found, names: listed }: Lookup, isFirst: boolean): Omit<Gathering, 'plan'> {
    const { sort = BY_RANK } = this.query;
    const endsEarly = isFirst && sort.key === 'wayback';
    const lookups = lists.reduce((sum, list) => sum + countOf(list), 0);
    let [names, reads, matching] = [isRepeated(this.query) ? 0 : UNPLANNED, 0, 0];
    for (const { size } of this.tiers) {
      names += BAND + lookups * LOOKUP + size * (found * FOUND + listed);
      reads += size * found;
      matching += size * this.matchShare;
      // A band more is read whole where those before it hold a few too few.
      if (endsEarly && matching >= this.wanted + 2 * Math.sqrt(this.wanted)) break;
    }
    const counted = lists.filter(({ isCounted }) => isCounted);
    const most = this.sample.total * Math.min(1, ...counted.map(({ share }) => share));
    return { names, reads, each: FOUND, most };
  }

  /** By the indexes that begin with what the filter limits. */
  private waysByRange(): Gathering[] {
    const { minWayback, maxWayback, startsWithDigit = false } = this.query;
    // The common question is not worth planning by cells.
    const keys: RangeKey[] = this.isCommon ? [] : enteredIndexes(this.query);
    if (this.isSkipping || startsWithDigit) keys.push('domain');
    const skips = minWayback > 0 || maxWayback !== undefined ? SKIPS_TO_SCORES : SKIPS;
    return keys.map((key) => {
      const reads = this.sample.total * this.shareWithin(key);
      const each = this.costOfName(key) + SORTED;
      const names = LOOKUP + (skips[key] ?? 0) + reads * each;
      return { plan: { strategy: 'range', key }, names, reads, each, most: this.sample.total };
    });
  }

  private shareOf(filter: NameFilter): number {
    const text = JSON.stringify(filter);
    const share = this.shares.get(text) ?? Math.max(LEAST_SHARE, this.sample.shareOfFilter(filter));
    this.shares.set(text, share);
    return share;
  }

  costOfName(key: RangeKey): number {
    if (!asksForTable(this.query)) return INDEX_NAME[key];
    const passing = this.shareOf(knownToIndexes(this.query)) / this.shareWithin(key);
    return INDEX_NAME[key] + TABLE_NAME * Math.min(1, passing);
  }

  /** Whether names begin with the keyword. */
  private get isSkipping(): boolean {
    return this.query.q !== undefined && this.query.mode === 'prefix';
  }

  /** Share of names within the filter's limits for what an index begins with. */
  private shareWithin(key: RangeKey): number {
    if (key !== 'domain') return this.shareOf(entering(this.query, key));
    const { startsWithDigit = false } = this.query;
    return (
      (this.isSkipping ? this.keywordShare : 1) *
      (startsWithDigit ? this.sample.shareOfInitials(DIGIT_INITIALS) : 1)
    );
  }
}

function planOf({ lists }: Lookup): GatheringPlan {
  const traits = lists.flatMap(({ trait }) => (trait ? [trait] : []));
  return {
    strategy: 'bands',
    every: lists.flatMap(({ grams }) => (grams.length === 1 ? grams : [])),
    some: lists.find(({ grams }) => grams.length > 1)?.grams ?? [],
    ...(traits.length > 0 && { traits }),
  };
}

function countOf({ grams, trait }: List): number {
  return grams.length + (trait?.codes.length ?? 0);
}

const byShare = (one: List, other: List) => one.share - other.share;

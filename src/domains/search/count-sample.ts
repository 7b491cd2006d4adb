import { setImmediate as nextTurn } from 'node:timers/promises';
import { SUFFIXES } from '../schema/domain.js';
import type { KnownName } from '../schema/filters/filter.js';
import { matcherOf, type NameFilter } from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { wilsonShare } from '../truth/sample-plan.js';
import type { NameCount } from './discovery-query.js';
import type { FacetRow } from './statements.js';
import { gramsOf, markName, markPattern } from './pattern-grams.js';

/** Fewer names say too little: the names are counted then. */
const MIN_HITS = 25;
/** Up to here a count is exact, and wherever there are no more names than this. */
export const MAX_EXACT = 1_000;
const MAX_SMALL = 20_000;
/** So many tell a count to a twentieth, and more would only take longer. */
const ENOUGH_HITS = 2_000;
const NAMES_PER_TURN = 2_000;
const SYMBOLS = '^$-abcdefghijklmnopqrstuvwxyz0123456789';
const BASE = SYMBOLS.length + 1;
const GRAM_LENGTHS = [1, 2, 3] as const;

/** One object for all names, filled for each look: a hundred thousand take 83 MB. */
type Look = { -readonly [Key in keyof KnownName]: KnownName[Key] };

/**
 * A hundred thousand names in random order, as columns: how many names of the dataset pass a filter, and what they
 * are like. Each prefix of it is a random sample too, so a look ends as soon as enough have passed.
 */
export class CountSample {
  private readonly names: string[] = [];
  private readonly tlds: Uint8Array;
  private readonly scores: Int32Array;
  private readonly days: (string | null)[] = [];
  private readonly checked: Float64Array;
  /** For grams of each length: where the list of a gram begins in `places`. */
  private readonly lists = new Map<number, { starts: Uint32Array; places: Uint32Array }>();
  /** The names of each suffix, and those of each score band and above. */
  private readonly bySuffix = new Map<string, Uint32Array>();
  private readonly byScore: { from: number; places: Uint32Array }[] = [];
  /** Fewer hits among all names are too few to estimate by. */
  private leastHits = 0;

  private constructor(
    size: number,
    /** Names that search can find, in the whole dataset. */
    readonly total: number,
  ) {
    this.tlds = new Uint8Array(size);
    this.scores = new Int32Array(size);
    this.checked = new Float64Array(size);
  }

  /** @param rows in random order */
  static async of(rows: readonly KnownName[], total: number): Promise<CountSample> {
    const sample = new CountSample(rows.length, total);
    for (const [place, { name, tld, wayback, firstSeen, checkedMs }] of rows.entries()) {
      sample.names.push(name);
      sample.days.push(firstSeen);
      sample.tlds[place] = SUFFIXES.indexOf(tld);
      sample.scores[place] = wayback;
      sample.checked[place] = checkedMs ?? NaN;
      if (place % NAMES_PER_TURN === 0) await nextTurn();
    }
    for (const length of GRAM_LENGTHS) await sample.index(length);
    for (const [code, tld] of SUFFIXES.entries())
      sample.bySuffix.set(
        tld,
        placesWhere(sample.tlds, (one) => one === code),
      );
    for (const { from } of SCORE_BANDS)
      if (from > 0)
        sample.byScore.push({ from, places: placesWhere(sample.scores, (score) => score >= from) });
    sample.leastHits = sample.findLeastHits();
    return sample;
  }

  /** How many names of the dataset pass; null where they are to be counted, as too few do. */
  estimate(filter: NameFilter): NameCount | null {
    if (this.isTooFew(filter)) return null;
    const { hits, seen } = this.look(filter);
    const count = this.countOf(hits, seen);
    return this.isEnough(hits, count) ? count : null;
  }

  /** The same where they could not be counted in time. */
  guess(filter: NameFilter): NameCount {
    const { hits, seen } = this.look(filter);
    return this.countOf(hits, seen);
  }

  /** The count, and what the names that pass are like, by all that the cube tells apart. */
  estimateFacets(filter: NameFilter): { counted: NameCount; facets: FacetRow[] } | null {
    if (this.isTooFew(filter)) return null;
    const found = new Map<string, { facet: Partial<FacetRow>; hits: number }>();
    const { hits, seen } = this.look(filter, (name) => {
      for (const [field, value] of facetsOf(name)) {
        const key = `${field} ${value}`;
        const known = found.get(key);
        if (known) known.hits += 1;
        else found.set(key, { facet: { [field]: value }, hits: 1 });
      }
    });
    const count = this.countOf(hits, seen);
    if (!this.isEnough(hits, count)) return null;
    const facets = [...found.values()].map((one) => ({
      ...NO_VALUE,
      ...one.facet,
      names: Math.max(1, Math.round((one.hits / hits) * count.total)),
    }));
    return { counted: count, facets };
  }

  private isEnough(hits: number, { low }: NameCount): boolean {
    return hits >= MIN_HITS && low >= MAX_EXACT && this.total > MAX_SMALL;
  }

  private countOf(hits: number, seen: number): NameCount {
    const { share = 0, low = 0, high = 1 } = wilsonShare(hits, seen) ?? {};
    const of = (part: number) => Math.round(part * this.total);
    return { total: of(share), low: of(low), high: of(high), isExact: false };
  }

  /** Whether the names that may pass are too few already, so that none is looked at. */
  private isTooFew(filter: NameFilter): boolean {
    if (this.total <= MAX_SMALL) return true;
    // A look that ends early has seen a part only, and its hits say more than they would among all.
    if (this.leastHits > ENOUGH_HITS) return false;
    return (this.shortestList(filter)?.length ?? this.names.length) < this.leastHits;
  }

  /** The lower end of the interval rises with the hits. */
  private findLeastHits(): number {
    let [low, high] = [0, this.names.length + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.isEnough(middle, this.countOf(middle, this.names.length))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Goes through the sample until enough have passed. */
  private look(
    filter: NameFilter,
    pass: (name: KnownName) => void = () => undefined,
  ): { hits: number; seen: number } {
    const list = this.shortestList(filter);
    const matches = matcherOf(this.withoutProven(filter, list));
    const count = list?.length ?? this.names.length;
    const row: Look = { name: '', tld: 'au', wayback: 0, firstSeen: null, checkedMs: null };
    let hits = 0;
    for (let at = 0; at < count; at += 1) {
      const place = list ? (list[at] ?? 0) : at;
      this.fill(row, place);
      if (!matches(row)) continue;
      hits += 1;
      pass(row);
      if (hits === ENOUGH_HITS) return { hits, seen: place + 1 };
    }
    return { hits, seen: this.names.length };
  }

  /** The filter without a keyword that every name of the list has: it is the gram of the list. */
  private withoutProven(filter: NameFilter, list: Uint32Array | null): NameFilter {
    const { q = '', mode } = filter;
    if (q === '' || !list) return filter;
    const pattern = markPattern(q, mode);
    const isGram = [...pattern].every((symbol) => SYMBOLS.includes(symbol));
    const own = isGram ? this.listOf(pattern) : null;
    const isSame =
      own !== null && own.byteOffset === list.byteOffset && own.buffer === list.buffer && own.length > 0;
    return isSame ? { ...filter, q: '' } : filter;
  }

  private fill(row: Look, place: number): void {
    row.name = this.names[place] ?? '';
    row.tld = SUFFIXES[this.tlds[place] ?? 0] ?? 'au';
    row.wayback = this.scores[place] ?? 0;
    row.firstSeen = this.days[place] ?? null;
    row.checkedMs = this.checked[place] ?? NaN;
  }

  /** The shortest list that has all names that can pass: of a gram, the suffix or a score band; null: all. */
  private shortestList({ q = '', mode, glob, suffixes, minWayback }: NameFilter): Uint32Array | null {
    const patterns = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
    const [suffix] = suffixes;
    const lists = [
      ...patterns.flatMap((pattern) =>
        gramsOf(pattern, Math.min(3, pattern.length)).map((gram) => this.listOf(gram)),
      ),
      suffixes.length === 1 && suffix ? this.bySuffix.get(suffix) : null,
      this.byScore.find(({ from }) => from <= minWayback)?.places,
    ];
    let shortest: Uint32Array | null = null;
    for (const list of lists) if (list && (!shortest || list.length < shortest.length)) shortest = list;
    return shortest;
  }

  private listOf(gram: string): Uint32Array | null {
    const index = this.lists.get(gram.length);
    if (!index) return null;
    const code = codeOf(gram, 0, gram.length);
    return index.places.subarray(index.starts[code], index.starts[code + 1]);
  }

  // Counted first and then filed, so that a list takes no more than four bytes a name.
  private async index(length: number): Promise<void> {
    const starts = new Uint32Array(BASE ** length + 1);
    const last = new Int32Array(BASE ** length).fill(-1);
    const visit = async (each: (code: number, place: number) => void) => {
      last.fill(-1);
      for (const [place, name] of this.names.entries()) {
        const marked = markName(name);
        for (let at = 0; at + length <= marked.length; at += 1) {
          const code = codeOf(marked, at, length);
          if (last[code] === place) continue;
          last[code] = place;
          each(code, place);
        }
        if (place % NAMES_PER_TURN === 0) await nextTurn();
      }
    };
    await visit((code) => {
      starts[code + 1] = (starts[code + 1] ?? 0) + 1;
    });
    for (let code = 1; code < starts.length; code += 1)
      starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
    const places = new Uint32Array(starts.at(-1) ?? 0);
    const next = starts.slice();
    await visit((code, place) => {
      const at = next[code] ?? 0;
      places[at] = place;
      next[code] = at + 1;
    });
    this.lists.set(length, { starts, places });
  }
}

const NO_VALUE = {
  tld: null,
  length: null,
  hyphens: null,
  numbers: null,
  score: null,
  month: null,
  names: 0,
};

function facetsOf({
  name,
  tld,
  wayback,
  firstSeen,
}: KnownName): [keyof FacetRow, string | number | boolean | null][] {
  return [
    ['tld', tld],
    ['length', name.length],
    ['hyphens', name.includes('-')],
    ['numbers', /\d/.test(name)],
    ['score', SCORE_BANDS.find(({ from }) => wayback >= from)?.from ?? 0],
    ['month', firstSeen?.slice(0, 7) ?? null],
  ];
}

/** The places whose value passes, rising. */
function placesWhere(column: Uint8Array | Int32Array, passes: (value: number) => boolean): Uint32Array {
  const places: number[] = [];
  for (let place = 0; place < column.length; place += 1) if (passes(column[place] ?? 0)) places.push(place);
  return Uint32Array.from(places);
}

const CODES = new Map([...SYMBOLS].map((symbol, place) => [symbol.charCodeAt(0), place + 1]));

function codeOf(text: string, at: number, length: number): number {
  let code = 0;
  for (let place = at; place < at + length; place += 1)
    code = code * BASE + (CODES.get(text.charCodeAt(place)) ?? 0);
  return code;
}

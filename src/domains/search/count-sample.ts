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
const GRAM_LENGTHS = [2, 3] as const;

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
    return sample;
  }

  /** How many names of the dataset pass; null where they are to be counted, as too few do. */
  estimate(filter: NameFilter): NameCount | null {
    const { hits, seen } = this.look(filter, () => undefined);
    const count = this.countOf(hits, seen);
    return this.isEnough(hits, count) ? count : null;
  }

  /** The same where they could not be counted in time. */
  guess(filter: NameFilter): NameCount {
    const { hits, seen } = this.look(filter, () => undefined);
    return this.countOf(hits, seen);
  }

  /** The count, and what the names that pass are like, by all that the cube tells apart. */
  estimateFacets(filter: NameFilter): { counted: NameCount; facets: FacetRow[] } | null {
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

  /** Goes through the sample until enough have passed. */
  private look(filter: NameFilter, pass: (name: KnownName) => void): { hits: number; seen: number } {
    const matches = matcherOf(filter);
    const list = this.rarestList(filter);
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

  private fill(row: Look, place: number): void {
    row.name = this.names[place] ?? '';
    row.tld = SUFFIXES[this.tlds[place] ?? 0] ?? 'au';
    row.wayback = this.scores[place] ?? 0;
    row.firstSeen = this.days[place] ?? null;
    row.checkedMs = this.checked[place] ?? NaN;
  }

  /** The names that have the rarest gram asked for; null: all. */
  private rarestList({ q = '', mode, glob }: NameFilter): Uint32Array | null {
    const patterns = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
    let rarest: Uint32Array | null = null;
    for (const pattern of patterns)
      for (const gram of gramsOf(pattern, Math.min(3, pattern.length))) {
        const list = this.listOf(gram);
        if (list && (!rarest || list.length < rarest.length)) rarest = list;
      }
    return rarest;
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

const CODES = new Map([...SYMBOLS].map((symbol, place) => [symbol.charCodeAt(0), place + 1]));

function codeOf(text: string, at: number, length: number): number {
  let code = 0;
  for (let place = at; place < at + length; place += 1)
    code = code * BASE + (CODES.get(text.charCodeAt(place)) ?? 0);
  return code;
}

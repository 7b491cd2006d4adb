import { setImmediate as nextTurn } from 'node:timers/promises';
import { SUFFIXES } from '../schema/domain.js';
import type { KnownName } from '../schema/filters/filter.js';
import { asksFor, matcherOf, type NameFilter } from '../schema/filters/filters.js';
import { holdsScores, SCORE_BANDS, type ScoreBand } from '../schema/filters/score-bands.js';
import { lettersOf, shapesOf, WORD_CODES, wordCodesOf } from '../schema/filters/word-traits.js';
import { wordsToLookUp } from '../schema/filters/reading-filter.js';
import { SampledWords } from '../words/sampled-words.js';
import {
  ALPHABET,
  END,
  GRAM_LENGTHS,
  gramOfSuffix,
  gramsOf,
  markName,
  patternsOf,
  START,
} from './pattern-grams.js';

// Indexing a hundred thousand names at once would hold up requests.
const NAMES_PER_TURN = 2_000;
const SYMBOLS = [START, END, ...ALPHABET];
const BASE = SYMBOLS.length + 1;
/** Lists of more names are not joined for a look. */
const MAX_JOINED = 5_000;

/** One object for all names, filled for each look: a hundred thousand take 83 MB. */
type Look = { -readonly [Key in keyof KnownName]: KnownName[Key] };

/** The names that have one code: where they stand, and how many have each length or initial. */
interface Coded {
  readonly places: number[];
  readonly lengths: Map<number, number>;
  readonly initials: Map<string, number>;
}
type Count = Exclude<keyof Coded, 'places'>;

/** How many passed, and among how many names of the sample. */
export interface Hits {
  readonly hits: number;
  readonly seen: number;
}

/**
 * Names in random order as columns, with a list of names for each gram, suffix and score. The first part of a list is a
 * random sample too, so a look may end early.
 */
export class SampledNames {
  readonly size: number;
  // One text and numbers: a hundred thousand texts would be looked through by every collection.
  /** All names, marked. */
  private readonly text: string;
  private readonly starts: Uint32Array;
  private readonly days: (string | null)[];
  private readonly dayOf: Uint16Array;
  /** The words of the labels. */
  words = SampledWords.of([]);
  private readonly tlds: Uint8Array;
  private readonly scores: Int32Array;
  private readonly checked: Float64Array;
  private readonly years: Float64Array;
  /** For grams of each length: where the list of a gram begins in `places`. */
  private readonly grams: { starts: Uint32Array; places: Uint32Array }[] = [];
  private readonly bySuffix = new Map<string, Uint32Array>();
  /** By the shapes of their words, and by the kinds of their letters. */
  private readonly byCode = new Map<number, Coded>();
  /** Names of each band and of those above. */
  private readonly byScore: { from: number; places: Uint32Array }[] = [];

  private constructor(rows: readonly KnownName[]) {
    this.size = rows.length;
    const marked = rows.map(({ name }) => markName(name));
    this.text = marked.join('');
    this.starts = new Uint32Array(rows.length + 1);
    for (const [place, { length }] of marked.entries())
      this.starts[place + 1] = (this.starts[place] ?? 0) + length;
    this.days = [...new Set(rows.map(({ firstSeen }) => firstSeen))];
    const codes = new Map(this.days.map((day, code) => [day, code]));
    this.dayOf = Uint16Array.from(rows, ({ firstSeen }) => codes.get(firstSeen) ?? 0);
    this.tlds = Uint8Array.from(rows, ({ tld }) => SUFFIXES.indexOf(tld));
    this.scores = Int32Array.from(rows, ({ wayback }) => wayback);
    this.checked = Float64Array.from(rows, ({ checkedMs }) => checkedMs ?? NaN);
    this.years = Float64Array.from(rows, ({ archiveYears }) => archiveYears ?? NaN);
  }

  /** @param rows in random order */
  static async of(rows: readonly KnownName[]): Promise<SampledNames> {
    const sample = new SampledNames(rows);
    // An index of no names is 30 MB of zeros as well.
    for (let length = 1; length <= GRAM_LENGTHS.long && sample.size > 0; length += 1)
      await sample.index(length);
    sample.words = SampledWords.of(rows.map(({ words }) => words ?? []));
    await sample.indexWords(rows);
    for (const [code, tld] of SUFFIXES.entries())
      sample.bySuffix.set(
        gramOfSuffix(tld),
        placesWhere(sample.tlds, (one) => one === code),
      );
    for (const { from } of SCORE_BANDS)
      sample.byScore.push({ from, places: placesWhere(sample.scores, (score) => score >= from) });
    return sample;
  }

  nameAt(place: number): string {
    return this.text.slice((this.starts[place] ?? 0) + 1, (this.starts[place + 1] ?? 0) - 1);
  }

  /** How many names have a score of the band. */
  countScores(band: ScoreBand): number {
    return this.scores.reduce((count, score) => count + (holdsScores(band, score, score) ? 1 : 0), 0);
  }

  /** The places of the names that have a gram of one to four characters, or that of a suffix; rising. */
  having(gram: string): Uint32Array {
    const suffix = this.bySuffix.get(gram);
    if (suffix) return suffix;
    const list = this.grams[gram.length - 1];
    const code = codeOf(gram, 0, gram.length);
    return list ? list.places.subarray(list.starts[code], list.starts[code + 1]) : new Uint32Array();
  }

  /** How many names have one of the codes of shapes or letters, by their lengths or initials. */
  countsOf<By extends Count>(
    codes: readonly number[],
    by: By,
  ): ReadonlyMap<Coded[By] extends Map<infer Key, number> ? Key : never, number>;
  countsOf(codes: readonly number[], by: Count): ReadonlyMap<number | string, number> {
    const counts = new Map<number | string, number>();
    for (const code of codes)
      for (const [value, names] of this.byCode.get(code)?.[by] ?? []) count(counts, value, names);
    return counts;
  }

  /** The shortest list that has all names that can pass; null: all names. */
  shortestList(filter: NameFilter): Uint32Array | null {
    const { suffixes, minWayback } = filter;
    const grams = patternsOf(filter).flatMap((pattern) => gramsOf(pattern, GRAM_LENGTHS.long));
    if (suffixes.length === 1) grams.push(...suffixes.map(gramOfSuffix));
    const lists = grams.map((gram) => this.having(gram));
    for (const codes of wordsToLookUp(filter.reading)) lists.push(this.words.having(codes));
    const shapes = shapesOf(filter)?.map((shape) => WORD_CODES.alone + shape);
    for (const codes of [lettersOf(filter.pattern), shapes]) {
      const all = codes?.map((code) => this.byCode.get(code)?.places ?? []) ?? [];
      if (codes && all.reduce((sum, { length }) => sum + length, 0) <= MAX_JOINED)
        lists.push(Uint32Array.from(all.flat()).sort());
    }
    const scored = minWayback > 0 && this.byScore.find(({ from }) => from <= minWayback);
    if (scored) lists.push(scored.places);
    let shortest: Uint32Array | null = null;
    for (const list of lists) if (!shortest || list.length < shortest.length) shortest = list;
    return shortest;
  }

  /** Looks at the names that can pass, until enough have passed or been looked at. @param pass sees each that passes */
  look(
    filter: NameFilter,
    max: { readonly hits?: number; readonly looks?: number },
    pass: (name: KnownName) => void = () => undefined,
  ): Hits {
    const { hits: maxHits = Infinity, looks = Infinity } = max;
    const list = this.shortestList(filter);
    const matches = matcherOf(filter);
    const count = list?.length ?? this.size;
    const row: Look = { name: '', tld: 'au', wayback: 0, firstSeen: null, checkedMs: null };
    const isOfWords = asksFor('words', filter);
    let hits = 0;
    for (let at = 0; at < count; at += 1) {
      const place = list ? (list[at] ?? 0) : at;
      if (at === looks) return { hits, seen: place };
      this.fill(row, place);
      if (isOfWords) row.words = this.words.at(place);
      if (!matches(row)) continue;
      hits += 1;
      pass(row);
      if (hits === maxHits) return { hits, seen: place + 1 };
    }
    return { hits, seen: this.size };
  }

  private fill(row: Look, place: number): void {
    row.name = this.nameAt(place);
    row.tld = SUFFIXES[this.tlds[place] ?? 0] ?? 'au';
    row.wayback = this.scores[place] ?? 0;
    row.firstSeen = this.days[this.dayOf[place] ?? 0] ?? null;
    row.checkedMs = this.checked[place] ?? NaN;
    row.archiveYears = this.years[place] ?? NaN;
  }

  // Counted first and then filed, so that a list takes no more than four bytes a name.
  private async index(length: number): Promise<void> {
    // While names are filed, behind the begin of each list is where the next name of it goes.
    const starts = new Uint32Array(BASE ** length + 2);
    const last = new Int32Array(BASE ** length);
    const visit = async (each: (code: number, place: number) => void) => {
      last.fill(-1);
      for (let place = 0; place < this.size; place += 1) {
        const end = (this.starts[place + 1] ?? 0) - length;
        for (let at = this.starts[place] ?? 0; at <= end; at += 1) {
          const code = codeOf(this.text, at, length);
          if (last[code] === place) continue;
          last[code] = place;
          each(code, place);
        }
        if (place % NAMES_PER_TURN === 0) await nextTurn();
      }
    };
    await visit((code) => {
      starts[code + 2] = (starts[code + 2] ?? 0) + 1;
    });
    for (let code = 1; code < starts.length; code += 1)
      starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
    const places = new Uint32Array(starts.at(-1) ?? 0);
    await visit((code, place) => {
      const at = starts[code + 1] ?? 0;
      places[at] = place;
      starts[code + 1] = at + 1;
    });
    this.grams.push({ starts, places });
  }

  private async indexWords(rows: readonly KnownName[]): Promise<void> {
    for (const [place, { name, words }] of rows.entries()) {
      for (const code of wordCodesOf({ name, words: words ?? [] })) {
        const known = this.byCode.get(code) ?? {
          places: [],
          lengths: new Map<number, number>(),
          initials: new Map<string, number>(),
        };
        this.byCode.set(code, known);
        known.places.push(place);
        count(known.lengths, name.length);
        count(known.initials, name.slice(0, 1));
      }
      if (place % NAMES_PER_TURN === 0) await nextTurn();
    }
  }
}

function count<Value>(counts: Map<Value, number>, value: Value, names = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + names);
}

/** The places whose value passes, rising. */
function placesWhere(column: Uint8Array | Int32Array, passes: (value: number) => boolean): Uint32Array {
  const places: number[] = [];
  for (let place = 0; place < column.length; place += 1) if (passes(column[place] ?? 0)) places.push(place);
  return Uint32Array.from(places);
}

const CODES = new Map(SYMBOLS.map((symbol, place) => [symbol.charCodeAt(0), place + 1]));

function codeOf(text: string, at: number, length: number): number {
  let code = 0;
  for (let place = at; place < at + length; place += 1)
    code = code * BASE + (CODES.get(text.charCodeAt(place)) ?? 0);
  return code;
}

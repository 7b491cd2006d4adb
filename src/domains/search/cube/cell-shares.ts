import type { Cell } from '../../schema/filters/filter.js';
import { entering, type NameFilter, NO_LIMITS, sharesOfCells } from '../../schema/filters/filters.js';

/** A cell that is a sum over all months. */
export interface ShapeCount extends Cell {
  readonly names: number;
}

/** All names of one month. */
export interface MonthCount {
  /** YYYY-MM. */
  readonly month: string;
  readonly names: number;
}

/** Names of one length. */
export interface LengthCount {
  readonly value: number;
  readonly names: number;
  /** How many of them pass the filter. */
  readonly passing: number;
}

const DAY_MS = 86_400_000;

/**
 * The cube in memory, as far as it tells the planner what a filter lets through: names of all months by the other
 * things, and by month; a month is taken to be like all others. It only decides which way a question is asked.
 */
export class CellShares {
  private readonly names: Float64Array;
  private readonly scratch: Float64Array;
  /** The distinct values of each key, and for each cell which of them it has. */
  private readonly columns: { readonly [Key in keyof Cell]: Column<Cell[Key]> };
  private readonly total: number;
  /** How many names each length has, in the whole. */
  readonly lengths: readonly LengthCount[];

  constructor(
    shapes: readonly ShapeCount[],
    private readonly months: readonly MonthCount[],
  ) {
    this.names = Float64Array.from(shapes, ({ names }) => names);
    this.scratch = this.names.slice();
    this.columns = {
      tld: columnOf(shapes.map(({ tld }) => tld)),
      length: columnOf(shapes.map(({ length }) => length)),
      hyphens: columnOf(shapes.map(({ hyphens }) => hyphens)),
      numbers: columnOf(shapes.map(({ numbers }) => numbers)),
      score: columnOf(shapes.map(({ score }) => score)),
    };
    this.total = Math.max(1, sum(this.names));
    this.lengths = this.byLength(NO_LIMITS);
  }

  /** Share of names that pass, 0 to 1, without a look at the pattern. */
  shareOf(filter: NameFilter): number {
    return (sum(this.passing(filter)) / this.total) * this.shareOfDays(filter);
  }

  /** The lengths that pass, rising: how many names have them and a score asked for, and how many of these pass. */
  byLength(filter: NameFilter): LengthCount[] {
    const days = this.shareOfDays(filter);
    const names = this.sumBy('length', this.passing(entering(filter, 'length')));
    const passing = this.sumBy('length', this.passing(filter));
    return [...names]
      .filter(([, count]) => count > 0)
      .map(([value, count]) => ({ value, names: count, passing: (passing.get(value) ?? 0) * days }))
      .sort((one, other) => one.value - other.value);
  }

  private sumBy<Key extends keyof Cell>(key: Key, cells: Float64Array): Map<Cell[Key], number> {
    const { values, places } = this.columns[key];
    const sums = new Float64Array(values.length);
    for (const [cell, place] of places.entries()) sums[place] = (sums[place] ?? 0) + (cells[cell] ?? 0);
    return new Map(values.map((value, place) => [value, sums[place] ?? 0]));
  }

  /** How many names of each cell pass, until the next call; their first days are judged apart. */
  private passing(filter: NameFilter): Float64Array {
    const passing = this.scratch;
    passing.set(this.names);
    for (const { by, share } of sharesOfCells(filter)) {
      const { values, places } = this.columns[by];
      const shares = values.map(share);
      for (let cell = 0; cell < passing.length; cell += 1)
        passing[cell] = (passing[cell] ?? 0) * (shares[places[cell] ?? 0] ?? 0);
    }
    return passing;
  }

  private shareOfDays({ firstSeenFrom, firstSeenTo }: NameFilter): number {
    if (firstSeenFrom === undefined && firstSeenTo === undefined) return 1;
    const names = this.months.reduce((sum, { month, names }) => {
      const first = Date.parse(`${month}-01`);
      const next = new Date(first).setUTCMonth(new Date(first).getUTCMonth() + 1);
      const from = firstSeenFrom === undefined ? first : Math.max(first, Date.parse(firstSeenFrom));
      const end = firstSeenTo === undefined ? next : Math.min(next, Date.parse(firstSeenTo) + DAY_MS);
      return sum + (names * Math.max(0, end - from)) / (next - first);
    }, 0);
    return names / this.total;
  }
}

/** As many names of the sample the lengths weigh that a pattern may have by its room. */
const PRIOR_NAMES = 3;

/**
 * Share of the names of a length that have the pattern: it may begin in as many places as it leaves room for, and
 * the names that have it are as long as those of a sample. By room alone many short names would have `online`.
 *
 * @param patternShare of names of all lengths
 * @param lengths how many names each has
 * @param found the lengths of names that have it
 */
export function shareByLength(
  { q = '', mode }: NameFilter,
  patternShare: number,
  lengths: readonly LengthCount[],
  found: readonly number[],
): (length: number) => number {
  if (q === '') return () => 1;
  const places = (length: number) => {
    const room = Math.max(0, length - q.length + 1);
    return mode === 'contains' ? room : Math.min(1, room);
  };
  const names = lengths.reduce((sum, one) => sum + one.names, 0);
  const mean = lengths.reduce((sum, one) => sum + one.names * places(one.value), 0) / Math.max(1, names);
  const byLength = new Map(lengths.map(({ value, names }) => [value, names]));
  const foundBy = new Map<number, number>();
  for (const length of found) foundBy.set(length, (foundBy.get(length) ?? 0) + 1);
  return (length) => {
    const expected = places(length) / Math.max(mean, 1e-9);
    const seen = ((foundBy.get(length) ?? 0) * names) / Math.max(1, byLength.get(length) ?? 0);
    return Math.min(1, (patternShare * (seen + PRIOR_NAMES * expected)) / (found.length + PRIOR_NAMES));
  };
}

interface Column<Value> {
  readonly values: readonly Value[];
  readonly places: Uint8Array;
}

function columnOf<Value>(all: readonly Value[]): Column<Value> {
  const values = [...new Set(all)];
  return { values, places: Uint8Array.from(all, (value) => values.indexOf(value)) };
}

function sum(numbers: Float64Array): number {
  let total = 0;
  for (let at = 0; at < numbers.length; at += 1) total += numbers[at] ?? 0;
  return total;
}

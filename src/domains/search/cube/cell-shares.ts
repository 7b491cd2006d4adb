import type { Cell } from '../../schema/filters/filter.js';
import { entering, type NameFilter, NO_LIMITS, sharesOfCells } from '../../schema/filters/filters.js';

/** A cell that is a sum over all months. */
export interface ShapeCount extends Cell {
  readonly names: number;
}

export interface MonthCount {
  /** YYYY-MM. */
  readonly month: string;
  readonly names: number;
}

/** A part of an order, and how many matches it is expected to hold. */
export interface Part<Value> {
  readonly part: readonly [from: Value, to: Value];
  readonly matching: number;
}

/** How many names have a length, and how many of them pass the filter. */
export type LengthCount = Record<'value' | 'names' | 'passing', number>;

const [FIRST_DAY, LAST_DAY] = ['0001-01-01', '9999-12-31'];
const DAY_MS = 86_400_000;

/**
 * The cube in memory, as far as it tells the planner what a filter lets through: names of all months by the other
 * things, and by month; a month is taken to be like all others. It only decides which way a question is asked.
 */
export class CellShares {
  /** Rising. */
  private readonly values: readonly number[];
  /** Cells that differ in nothing but the length: one of them, and names by place of the length. */
  private readonly groups: readonly { readonly cell: Cell; readonly names: Float64Array }[];
  private readonly total: number;
  /** Rising. */
  private readonly months: readonly MonthCount[];
  /** How many names each length has, in the whole. */
  readonly lengths: readonly LengthCount[];

  constructor(shapes: readonly ShapeCount[], months: readonly MonthCount[]) {
    this.months = months.toSorted((one, other) => (one.month < other.month ? -1 : 1));
    this.values = [...new Set(shapes.map(({ length }) => length))].sort((one, other) => one - other);
    const groups = new Map<string, { cell: Cell; names: Float64Array }>();
    for (const cell of shapes) {
      const key = [cell.tld, cell.hyphens, cell.numbers, cell.score].join();
      const group = groups.get(key) ?? { cell, names: new Float64Array(this.values.length) };
      groups.set(key, group);
      const place = this.values.indexOf(cell.length);
      group.names[place] = (group.names[place] ?? 0) + cell.names;
    }
    this.groups = [...groups.values()];
    this.total = Math.max(
      1,
      shapes.reduce((sum, { names }) => sum + names, 0),
    );
    this.lengths = this.byLength(NO_LIMITS);
  }

  /** Share of names that pass, 0 to 1, without a look at the pattern. */
  shareOf(filter: NameFilter): number {
    return (
      (this.passing(filter).reduce((sum, names) => sum + names, 0) / this.total) * this.shareOfDays(filter)
    );
  }

  /** The lengths that pass, rising: how many names have them and a score asked for, and how many of these pass. */
  byLength(filter: NameFilter): LengthCount[] {
    const days = this.shareOfDays(filter);
    const names = this.passing(entering(filter, 'length'));
    const passing = this.passing(filter);
    return this.values
      .map((value, at) => ({ value, names: names[at] ?? 0, passing: (passing[at] ?? 0) * days }))
      .filter(({ names }) => names > 0);
  }

  /** How many names of each length pass; their first days are judged apart. */
  private passing(filter: NameFilter): Float64Array {
    const rules = sharesOfCells(filter);
    const byOthers = rules.filter(({ by }) => by !== 'length');
    const byLength = rules.filter(({ by }) => by === 'length');
    const sums = new Float64Array(this.values.length);
    for (const { cell, names } of this.groups) {
      const share = byOthers.reduce((all, rule) => all * rule.share(cell[rule.by]), 1);
      if (share > 0)
        for (let place = 0; place < sums.length; place += 1)
          sums[place] = (sums[place] ?? 0) + share * (names[place] ?? 0);
    }
    return sums.map((names, place) =>
      byLength.reduce((all, { share }) => all * share(this.values[place] ?? 0), names),
    );
  }

  /** The days that the filter lets through, by month, rising; all days of a month have as many names. */
  byMonth({ firstSeenFrom: from = FIRST_DAY, firstSeenTo: to = LAST_DAY }: NameFilter): Part<string>[] {
    return this.months
      .map(({ month, names }): Part<string> => {
        const first = `${month}-01`;
        const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
        const last = `${month}-${days}`;
        const part = [first > from ? first : from, last < to ? last : to] as const;
        return { part, matching: (names * (dayOf(part[1]) - dayOf(part[0]) + 1)) / days };
      })
      .filter(({ matching }) => matching > 0);
  }

  private shareOfDays(filter: NameFilter): number {
    if (filter.firstSeenFrom === undefined && filter.firstSeenTo === undefined) return 1;
    return this.byMonth(filter).reduce((sum, { matching }) => sum + matching, 0) / this.total;
  }
}

const dayOf = (text: string) => Date.parse(text) / DAY_MS;

/** As many names of the sample the lengths weigh that a pattern may have by its room. */
const PRIOR_NAMES = 3;
/** Without a pattern the lengths of the sample's names say it all. */
const LEAST_PRIOR = 0.05;

/**
 * Share of the names of a length that have the pattern: it may begin in as many places as it leaves room for, and
 * the names that have it are as long as those of a sample. By room alone many short names would have `online`.
 *
 * @param patternShare of names of all lengths
 * @param lengths how many names each has
 * @param found how many of the names that have it have each length
 */
export function shareByLength(
  { q = '', mode }: NameFilter,
  patternShare: number,
  lengths: readonly LengthCount[],
  found: ReadonlyMap<number, number>,
): (length: number) => number {
  const places = (length: number) => {
    if (q === '') return 1;
    const room = Math.max(0, length - q.length + 1);
    return mode === 'contains' ? room : Math.min(1, room);
  };
  const names = lengths.reduce((sum, one) => sum + one.names, 0);
  const mean = lengths.reduce((sum, one) => sum + one.names * places(one.value), 0) / Math.max(1, names);
  const byLength = new Map(lengths.map(({ value, names }) => [value, names]));
  const prior = q === '' ? LEAST_PRIOR : PRIOR_NAMES;
  const all = [...found.values()].reduce((sum, count) => sum + count, 0);
  return (length) => {
    const expected = places(length) / Math.max(mean, 1e-9);
    const seen = ((found.get(length) ?? 0) * names) / Math.max(1, byLength.get(length) ?? 0);
    return Math.min(1, (patternShare * (seen + prior * expected)) / (all + prior));
  };
}

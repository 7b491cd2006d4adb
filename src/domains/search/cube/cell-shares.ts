import type { Cell } from '../../schema/filters/filter.js';
import { type NameFilter, NO_LIMITS, shareOfCells } from '../../schema/filters/filters.js';
import { SCORE_BANDS } from '../../schema/filters/score-bands.js';

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

/** Names of one length or band. */
export interface ValueCount {
  readonly value: number;
  /** Names that an index scan passes there. */
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
  private readonly total: number;
  private allLengths: readonly ValueCount[] | null = null;
  /** How many names each band has, from the top. */
  readonly bandSizes: readonly number[];

  constructor(
    private readonly shapes: readonly ShapeCount[],
    private readonly months: readonly MonthCount[],
  ) {
    this.total = Math.max(
      1,
      shapes.reduce((sum, { names }) => sum + names, 0),
    );
    const sizes = new Map<number, number>();
    for (const { score, names } of shapes) sizes.set(score, (sizes.get(score) ?? 0) + names);
    this.bandSizes = SCORE_BANDS.map(({ from }) => sizes.get(from) ?? 0);
  }

  /**
   * Share of names that pass, 0 to 1, without a look at the pattern. Of a band asked for in part, its part by order
   * of magnitude.
   */
  shareOf(filter: NameFilter): number {
    const shareOf = shareOfCells(filter);
    const names = this.shapes.reduce((sum, cell) => sum + cell.names * shareOf(cell), 0);
    return (names / this.total) * this.shareOfDays(filter);
  }

  /**
   * Counts the names that pass, by length or by band, the smallest first, among the names that an index scan
   * passes: all of the requested lengths and scores, and for bands all suffixes.
   */
  countBy(key: 'length' | 'score', filter: NameFilter): ValueCount[] {
    const { suffixes, minWayback, maxWayback, minLength, maxLength, mode } = filter;
    const scores = { mode, minWayback, maxWayback };
    const entered: NameFilter =
      key === 'score' ? { ...scores, suffixes } : { ...scores, suffixes: [], minLength, maxLength };
    const days = this.shareOfDays(filter);
    const [entering, passing] = [shareOfCells(entered), shareOfCells(filter)];
    const counts = new Map<number, { names: number; passing: number }>();
    for (const cell of this.shapes) {
      const names = cell.names * entering(cell);
      if (names === 0) continue;
      const sum = counts.get(cell[key]) ?? { names: 0, passing: 0 };
      sum.names += names;
      sum.passing += cell.names * passing(cell) * days;
      counts.set(cell[key], sum);
    }
    return [...counts]
      .map(([value, sum]) => ({ value, ...sum }))
      .sort((one, other) => one.value - other.value);
  }

  /** How many names each length has, in the whole: that does not change while the cells do not. */
  get lengths(): readonly ValueCount[] {
    return (this.allLengths ??= this.countBy('length', NO_LIMITS));
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

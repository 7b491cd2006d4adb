import type { CellShares } from './cube/cell-shares.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { type DiscoveryQuery, leastLength } from './discovery-query.js';
import { shareByLength } from './order-reads.js';

/** A gathering of names in parts by length, in the order asked for: it ends with the part that has enough. */
export interface LengthParts {
  /** The last length of each part but the last, which has all that are left: rising, or falling. */
  readonly ends: readonly number[];
  /** How many parts are read until enough names have matched. */
  readonly looks: number;
  /** How many names those have that an index leads past. */
  readonly read: number;
}

interface LengthCount {
  readonly length: number;
  /** Names that an index of shapes leads past. */
  readonly names: number;
  /** Those of them that match. */
  readonly matching: number;
}

// A part that is entered in vain costs as much as some thousand names that are read. The first is to have twice what is wanted, as cells
// know of no pattern, and each of the others eight times as many names as the one before.
const SURPLUS = 2;
const LEAST_NAMES = 1_000;
const GROWTH = 8;

/**
 * @param patternShare share of the names of all lengths that are as the pattern has it
 * @param found the lengths of names that are so
 */
export function partsByLength(
  query: DiscoveryQuery,
  cells: CellShares,
  patternShare: number,
  wanted: number,
  found: readonly number[],
): LengthParts {
  const filter = { ...query, ...remainingLengths(query) };
  const share = shareByLength(query, patternShare, cells.lengths, found);
  const scored = new Map(cells.countBy('length', filter).map(({ value, passing }) => [value, passing]));
  const counts = cells
    .countBy('length', { ...filter, minWayback: 0, maxWayback: undefined })
    .map(({ value, passing }) => ({
      length: value,
      names: passing,
      matching: (scored.get(value) ?? 0) * share(value),
    }));
  return cutParts(query.sort?.direction === 'desc' ? counts.toReversed() : counts, wanted);
}

/** @param counts in the order of the lengths asked for */
export function cutParts(counts: readonly LengthCount[], wanted: number): LengthParts {
  const ends: number[] = [];
  let [names, matching, found, looks, read] = [0, 0, 0, 0, 0];
  let least = LEAST_NAMES;
  for (const [place, count] of counts.entries()) {
    names += count.names;
    matching += count.matching;
    const isLast = place === counts.length - 1;
    const isEnough = names >= least && (ends.length > 0 || matching >= SURPLUS * wanted);
    if (!isEnough && !isLast) continue;
    if (!isLast) ends.push(count.length);
    if (found < wanted) {
      looks += 1;
      read += names;
    }
    found += matching;
    least = GROWTH * names;
    [names, matching] = [0, 0];
  }
  return { ends, looks: Math.max(1, looks), read };
}

/** The lengths that are asked for and not left behind with the row to go on from. */
function remainingLengths(query: DiscoveryQuery): Pick<NameFilter, 'minLength' | 'maxLength'> {
  const { after, maxLength, sort } = query;
  const least = leastLength(query);
  if (sort?.direction === 'desc')
    return { minLength: least, maxLength: Math.min(maxLength ?? Infinity, after?.length ?? Infinity) };
  return { minLength: Math.max(least, after?.length ?? 0), maxLength };
}

/** The query for each part, the first in the order first. Together they have every length, whatever the cells said. */
export function queriesOfParts(query: DiscoveryQuery, ends: readonly number[]): DiscoveryQuery[] {
  const { minLength = 0, maxLength = Infinity } = remainingLengths(query);
  const isDescending = query.sort?.direction === 'desc';
  return [...ends, null].map((end, place) => {
    const former = ends[place - 1];
    const [from, to] = isDescending
      ? [end ?? 0, former === undefined ? Infinity : former - 1]
      : [former === undefined ? 0 : former + 1, end ?? Infinity];
    const most = Math.min(maxLength, to);
    return {
      ...query,
      minLength: Math.max(minLength, from),
      ...(most === Infinity ? {} : { maxLength: most }),
    };
  });
}

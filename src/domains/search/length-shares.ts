import type { LengthCount } from './cube/cell-shares.js';
import type { NameFilter } from '../schema/filters/filters.js';

/** As many names of the sample the lengths weigh that a pattern may have by its room. */
const PRIOR_NAMES = 3;

/**
 * Share of the names of a length that have the pattern: it may begin in as many places as it leaves room for, and
 * the names that have it are as long as those of a sample. By its room alone one name in a hundred of `online`
 * would have no more than a letter before it, where hardly any has; to read all short names for them takes 230 ms.
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

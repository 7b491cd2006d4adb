import { CellShares } from '../../src/domains/search/cube/cell-shares.js';
import { lowerLimitOf } from '../../src/domains/schema/filters/score-bands.js';
import { NameSample } from '../../src/domains/search/name-sample.js';
import { SampledNames } from '../../src/domains/search/sampled-names.js';
import type { KnownName } from '../../src/domains/schema/filters/filter.js';

/** By their names: an index is 30 MB of zeros, and as much for the collector. */
const indexes = new WeakMap<readonly KnownName[], Promise<SampledNames>>();

/** A sample with the cells of the same names, as of a dataset of `total` names like them. */
export async function sampleOf(
  names: readonly KnownName[],
  total: number,
  cells = cellsOf(names, total),
): Promise<NameSample> {
  const index = indexes.get(names) ?? SampledNames.of(names);
  indexes.set(names, index);
  return new NameSample(await index, total, cells);
}

function cellsOf(names: readonly KnownName[], total: number): CellShares {
  const each = total / Math.max(1, names.length);
  const months = new Map<string, number>();
  for (const { firstSeen } of names) {
    const month = firstSeen?.slice(0, 7);
    if (month !== undefined) months.set(month, (months.get(month) ?? 0) + each);
  }
  return new CellShares(
    names.map(({ name, tld, wayback }) => ({
      ...{ tld, length: name.length, hyphens: name.includes('-'), numbers: /\d/.test(name) },
      ...{ score: lowerLimitOf(wayback), names: each },
    })),
    [...months].map(([month, count]) => ({ month, names: count })),
  );
}

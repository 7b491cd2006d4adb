import {
  type DiscoveryQuery,
  MAX_LIMIT,
  type SortKey,
  type SortOrder,
  type SortPosition,
} from './discovery-query.js';
import type { Bind } from '../schema/filters/filter.js';
import { endOfPrefix } from './pattern-grams.js';

type Column = 'wayback' | 'first_seen' | 'length' | 'domain';
type Direction = SortOrder['direction'];

/** One column of an order. */
export interface SortTerm {
  readonly column: Column;
  readonly direction: Direction;
}

const ascending = (column: Column): SortTerm => ({ column, direction: 'asc' });
const descending = (column: Column): SortTerm => ({ column, direction: 'desc' });

// Each order is that of the index that serves it: equal keys come by rank. The other direction reads it backwards.
export const NATURAL_ORDERS: Readonly<Record<SortKey, { direction: Direction; terms: readonly SortTerm[] }>> =
  {
    wayback: { direction: 'desc', terms: [descending('wayback'), ascending('domain')] },
    first_seen: {
      direction: 'desc',
      terms: [descending('first_seen'), descending('wayback'), ascending('domain')],
    },
    length: { direction: 'asc', terms: [ascending('length'), descending('wayback'), ascending('domain')] },
    domain: { direction: 'asc', terms: [ascending('domain')] },
  };

/** The columns that make an order total: no two rows are alike in all of them. */
export function sortTerms({ key, direction }: SortOrder): readonly SortTerm[] {
  const { direction: natural, terms } = NATURAL_ORDERS[key];
  return direction === natural
    ? terms
    : terms.map(({ column, direction }) => ({ column, direction: direction === 'asc' ? 'desc' : 'asc' }));
}

/** `ORDER BY` without the words. Only a first day may be unknown, and such names come last both ways. */
export function orderBy(terms: readonly SortTerm[]): string {
  return spell(terms, () => 'NULLS LAST');
}

/**
 * The same within a {@link keysetRanges keyset range}, where unknown days are not mixed with others: as the index
 * has it.
 */
export function orderWithinRange(terms: readonly SortTerm[]): string {
  return spell(terms, (direction) => (direction === 'desc' ? 'NULLS LAST' : 'NULLS FIRST'));
}

function spell(terms: readonly SortTerm[], nulls: (direction: Direction) => string): string {
  return terms
    .map(({ column, direction }) =>
      column === 'first_seen' ? `${column} ${direction} ${nulls(direction)}` : `${column} ${direction}`,
    )
    .join(', ');
}

/**
 * The order cut into keyset ranges, one behind the other. An index can enter each range at its beginning. Behind the
 * row (a, b) the ranges are "the same a, behind b", then "behind a". One condition with OR would say the same, but
 * from a deep place an index would read all rows that share the first column with it. Names whose first day is not
 * known are a range of their own, as an index has them last in one direction only.
 *
 * @returns for each range its conditions, to be joined by AND
 */
export function keysetRanges(
  terms: readonly SortTerm[],
  after: SortPosition | undefined,
  bind: Bind,
): readonly (readonly string[])[] {
  if (!after)
    return terms[0]?.column === 'first_seen' ? [['first_seen IS NOT NULL'], ['first_seen IS NULL']] : [[]];
  const found: string[][] = [];
  const same: string[] = [];
  for (const { column, direction } of terms) {
    const value = valueOf(column, after);
    if (value === null) {
      same.push(`${column} IS NULL`);
      continue;
    }
    const bound = bind(value) + (column === 'first_seen' ? '::date' : '');
    if (column === 'first_seen') found.unshift(['first_seen IS NULL']);
    const behind = [...same, `${column} ${direction === 'asc' ? '>' : '<'} ${bound}`];
    found.splice(0, 0, behind);
    same.push(`${column} = ${bound}`);
  }
  return found;
}

function valueOf(
  column: Column,
  { domain, wayback, length, firstSeen }: SortPosition,
): string | number | null {
  return { domain, wayback, length, first_seen: firstSeen }[column];
}

/** What lies behind the last row of the page before, and within a head of the order by name. */
export function behind({ after, initials }: DiscoveryQuery, terms: readonly SortTerm[], bind: Bind): string {
  const ranges = after
    ? keysetRanges(terms, after, bind).map((range) => `(${range.join(' AND ')})`)
    : ['true'];
  const [first, last] = initials ?? [];
  const head = last && ` AND domain >= ${bind(first)} AND domain < ${bind(endOfPrefix(last))}`;
  return `(${ranges.join(' OR ')})${head ?? ''}`;
}

/**
 * The rows that one part of a statement gives at most. A written number tells the planner that few are wanted,
 * which a parameter does not.
 */
export function reach({ offset = 0, limit }: DiscoveryQuery): number {
  return offset + Math.max(limit, MAX_LIMIT);
}

export function cut({ limit, offset }: DiscoveryQuery, bind: Bind): string {
  return offset ? `LIMIT ${bind(limit)} OFFSET ${bind(offset)}` : `LIMIT ${bind(limit)}`;
}

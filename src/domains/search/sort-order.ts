import type { Bind } from '../schema/filters/filter.js';
import { BY_RANK, type DiscoveryQuery, MAX_LIMIT, type SortKey, type SortOrder } from './discovery-query.js';
import { endOfPrefix } from './pattern-grams.js';

const ascending = (key: SortKey): SortOrder => ({ key, direction: 'asc' });
const descending = (key: SortKey): SortOrder => ({ key, direction: 'desc' });

// Each order is that of the index that serves it: equal keys come by rank. The other direction reads it backwards.
export const NATURAL_ORDERS: Readonly<Record<SortKey, readonly [SortOrder, ...SortOrder[]]>> = {
  wayback: [descending('wayback'), ascending('domain')],
  first_seen: [descending('first_seen'), descending('wayback'), ascending('domain')],
  length: [ascending('length'), descending('wayback'), ascending('domain')],
  domain: [ascending('domain')],
};

/** The columns that make an order total: no two rows are alike in all of them. */
function termsOf({ sort = BY_RANK }: DiscoveryQuery): readonly SortOrder[] {
  const terms = NATURAL_ORDERS[sort.key];
  return sort.direction === terms[0].direction
    ? terms
    : terms.map(({ key, direction }) => (direction === 'asc' ? descending(key) : ascending(key)));
}

/**
 * `ORDER BY` without the words. Only a first day may be unknown, and such names come last both ways.
 *
 * @param rising where they come in rising order: an index has them first, which is right within a
 * {@link keysetRanges keyset range} as it does not mix them with others
 */
export function orderBy(query: DiscoveryQuery, rising: 'FIRST' | 'LAST' = 'LAST'): string {
  const nulls = (direction: SortOrder['direction']) => ` NULLS ${direction === 'asc' ? rising : 'LAST'}`;
  return termsOf(query)
    .map(({ key, direction }) => `${key} ${direction}${key === 'first_seen' ? nulls(direction) : ''}`)
    .join(', ');
}

/**
 * The order as keyset ranges that an index can enter at their beginning: after the row (a, b) comes "the same a, after
 * b", then "after a". One condition with OR would read all rows with the same first column. Names without a first day
 * are a range of their own, because an index has them last in one direction only.
 *
 * @returns for each range its conditions, to be joined by AND
 */
export function keysetRanges(query: DiscoveryQuery, bind: Bind): readonly (readonly string[])[] {
  const { after, sort = BY_RANK } = query;
  if (!after) return sort.key === 'first_seen' ? [['first_seen IS NOT NULL'], ['first_seen IS NULL']] : [[]];
  const values = { ...after, first_seen: after.firstSeen };
  const found: string[][] = [];
  const same: string[] = [];
  for (const { key, direction } of termsOf(query)) {
    const value = values[key];
    if (value === null) {
      same.push(`${key} IS NULL`);
      continue;
    }
    const bound = bind(value) + (key === 'first_seen' ? '::date' : '');
    if (key === 'first_seen') found.unshift(['first_seen IS NULL']);
    found.unshift([...same, `${key} ${direction === 'asc' ? '>' : '<'} ${bound}`]);
    same.push(`${key} = ${bound}`);
  }
  return found;
}

/** What lies behind the last row of the page before, and within a head of the order. */
export function behind(query: DiscoveryQuery, bind: Bind): string {
  const ranges = query.after
    ? keysetRanges(query, bind).map((range) => `(${range.join(' AND ')})`)
    : ['true'];
  const [first, last] = query.initials ?? [];
  const head = last && ` AND domain >= ${bind(first)} AND domain < ${bind(endOfPrefix(last))}`;
  const { noneBeyond, sort } = query;
  const beyond = `available AND NOT hidden AND first_seen ${sort?.direction === 'asc' ? '<' : '>'}`;
  const isHead =
    noneBeyond && ` AND NOT EXISTS (SELECT FROM domain WHERE ${beyond} ${bind(noneBeyond)}::date)`;
  return `(${ranges.join(' OR ')})${head ?? ''}${isHead ?? ''}`;
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

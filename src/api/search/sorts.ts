import { NATURAL_ORDERS } from '../../domains/search/sort-order.js';
import { SORT_KEYS, type SortKey, type SortOrder } from '../../domains/search/discovery-query.js';

export type Sort = SortKey | `${SortKey}_${SortOrder['direction']}`;

const ORDERS = new Map<Sort, SortOrder>(
  SORT_KEYS.flatMap((key): [Sort, SortOrder][] => [
    // What people mean who name a key alone.
    [key, { key, direction: NATURAL_ORDERS[key].direction }],
    [`${key}_asc`, { key, direction: 'asc' }],
    [`${key}_desc`, { key, direction: 'desc' }],
  ]),
);

/** Every value of the parameter `sort`. */
export const SORTS: readonly Sort[] = [...ORDERS.keys()];

export function orderOf(sort: Sort): SortOrder {
  const order = ORDERS.get(sort);
  if (!order) throw new Error(`${sort} is no order`);
  return order;
}

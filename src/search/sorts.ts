import { SORT_KEYS, type SortKey, type SortOrder } from '../domains/discovery/discovery-query.js';

/** The direction of a key that stands alone: what people mean when they name it. */
const USUAL: Readonly<Record<SortKey, SortOrder['direction']>> = {
  wayback: 'desc',
  first_seen: 'desc',
  length: 'asc',
  domain: 'asc',
};

export type Sort = SortKey | `${SortKey}_${SortOrder['direction']}`;

const ORDERS = new Map<Sort, SortOrder>(
  SORT_KEYS.flatMap((key): [Sort, SortOrder][] => [
    [key, { key, direction: USUAL[key] }],
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

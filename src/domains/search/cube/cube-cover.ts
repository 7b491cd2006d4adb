import type { Bind } from '../../schema/filters/filter.js';
import { asksFor, cellConditions, type NameFilter } from '../../schema/filters/filters.js';
import { EVERY_MONTH, UNKNOWN_MONTH } from './cube-cells.js';

/**
 * The cells of a filter that they cover, as conditions on `domain_cube`: sums over all months where it asks for no
 * days.
 */
export function coveringCells(filter: NameFilter, bind: Bind): string {
  return cellsOf(filter, `first_month = '${EVERY_MONTH}'`, bind);
}

/**
 * The same cells, month by month and with the names whose first day is not known, also where the filter asks for no
 * days.
 */
export function coveringMonths(filter: NameFilter, bind: Bind): string {
  return cellsOf(filter, `first_month < '${EVERY_MONTH}'`, bind);
}

/** @param anyDay which rows to read where the filter asks for no days */
function cellsOf(filter: NameFilter, anyDay: string, bind: Bind): string {
  const months = asksFor('firstSeen', filter)
    ? `first_month > '${UNKNOWN_MONTH}' AND first_month < '${EVERY_MONTH}'`
    : anyDay;
  return [months, ...cellConditions(filter, bind)].join(' AND ');
}

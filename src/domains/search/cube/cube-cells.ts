import type { Bind } from '../../schema/filters/filter.js';
import { asksFor, cellConditions, type NameFilter } from '../../schema/filters/filters.js';
import { SCORE_BANDS } from '../../schema/filters/score-bands.js';

/** The columns of a cell's key, in the order of the key. */
export const CELL_COLUMNS = 'first_month, tld, length, hyphens, numbers, score';

/** In the place of a month: the sum over all months, and names whose first day is not known. */
export const EVERY_MONTH = 'infinity';
export const UNKNOWN_MONTH = '-infinity';

/** What stands for a score in its cell: the lower limit of its band. */
export function scoreOfCell(score: number): number | undefined {
  return SCORE_BANDS.find(({ from }) => score >= from)?.from;
}

/** The same in SQL. @param score a column of scores */
export function scoreOfCellIn(score: string): string {
  return `CASE ${SCORE_BANDS.map(({ from }) => `WHEN ${score} >= ${from} THEN ${from}`).join(' ')} END`;
}

export const SCORE_OF_CELL = scoreOfCellIn('wayback');

/** SQL: the month of a name's cell. @param day a column of first days */
export function monthOfCellIn(day: string): string {
  return `coalesce(${day} - (extract(day FROM ${day})::integer - 1), '${UNKNOWN_MONTH}')`;
}

export const MONTH_OF_CELL = monthOfCellIn('first_seen');

/**
 * SQL: the cells that names lie in, and what they add to each.
 *
 * @param names SELECT with tld, length, hyphens and numbers (whether there are any), wayback, first_seen, and as
 * `by` what the name counts for: 1 or -1
 */
export function cellsOf(names: string): string {
  return `
    WITH cell AS (
      SELECT ${MONTH_OF_CELL} AS first_month,
             tld, length, hyphens, numbers, ${SCORE_OF_CELL} AS score, sum(by)::integer AS names
        FROM (${names}) AS name
       GROUP BY 1, 2, 3, 4, 5, 6
    )
    SELECT ${CELL_COLUMNS}, names FROM cell
     UNION ALL
    SELECT '${EVERY_MONTH}', tld, length, hyphens, numbers, score, sum(names)::integer
      FROM cell GROUP BY 2, 3, 4, 5, 6`;
}

/** SQL: the rows of a table like `domain` as {@link cellsOf} takes them. @param by what each counts for */
export function namesOf(table: string, by = '1'): string {
  return `SELECT tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers, wayback, first_seen, ${by} AS by
    FROM ${table}`;
}

/** SQL: the names that the cube counts, which are the names that discovery shows. */
export function shownNamesOf(table: string): string {
  return `${namesOf(table)} WHERE available AND NOT hidden`;
}

/**
 * The cells of a filter that they cover, as conditions on `domain_cube`.
 *
 * @param anyDay which rows to read where the filter asks for no days: the sums over all months, or each month and the names
 * whose first day is not known
 */
export function coveringCells(filter: NameFilter, bind: Bind, anyDay: 'sums' | 'months'): string {
  const sums = `first_month ${anyDay === 'sums' ? '=' : '<'} '${EVERY_MONTH}'`;
  const months = asksFor('firstSeen', filter)
    ? `first_month > '${UNKNOWN_MONTH}' AND first_month < '${EVERY_MONTH}'`
    : sums;
  return [months, ...cellConditions(filter, bind)].join(' AND ');
}

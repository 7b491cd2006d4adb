import type { PreparedStatement } from '../../db/database.js';
import { SCORE_OF_CELL, UNKNOWN_MONTH } from './cube/cube-cells.js';
import type { Bind } from '../schema/filters/filter.js';
import type { NameFilter } from '../schema/filters/filters.js';
import type { Suffix } from '../schema/domain.js';
import { cellCount, coveringCells, coveringMonths } from './cube/cube-cover.js';

/** How many names have one value of one of these; the others are null, and all are where the first day is not known. */
export interface FacetRow {
  readonly tld: Suffix | null;
  readonly length: number | null;
  readonly hyphens: boolean | null;
  readonly numbers: boolean | null;
  /** Lower limit of a band. */
  readonly score: number | null;
  /** YYYY-MM. */
  readonly month: string | null;
  readonly names: number;
}

/** How many names the cells hold. */
export function cellsStatement(filter: NameFilter): PreparedStatement {
  const values: unknown[] = [];
  return { text: cellCount(filter, (value) => `$${values.push(value)}`), values };
}

/** The names of the cells, by each thing that tells cells apart. */
export function facetsOfCells(filter: NameFilter): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const monthly = `
    SELECT to_char(nullif(first_month, '${UNKNOWN_MONTH}'), 'YYYY-MM') AS month, names
      FROM domain_cube WHERE ${coveringMonths(filter, bind)}`;
  return { text: `${byShape(cellsIn(filter, bind))} UNION ALL ${byMonth(monthly)}`, values };
}

/** The same without the months, of which the cube has many rows. */
export function shapesOfCells(filter: NameFilter): PreparedStatement {
  const values: unknown[] = [];
  return { text: byShape(cellsIn(filter, (value) => `$${values.push(value)}`)), values };
}

/** What a statement that is asked for facets has to give of each name. */
export const FACET_COLUMNS = 'domain.domain, domain.wayback, domain.first_seen';

/** The facets of the names that a statement finds, which gives {@link FACET_COLUMNS}. */
export function facetsOfBest({ text, values }: PreparedStatement): PreparedStatement {
  const monthly = `SELECT to_char(first_seen, 'YYYY-MM') AS month, count(*) AS names FROM best GROUP BY first_seen`;
  return {
    text: `WITH best AS MATERIALIZED (${text}) ${byShape(cellsAmong('best'))} UNION ALL ${byMonth(monthly)}`,
    values,
  };
}

/** The same without the months, of names of which no more than domain and score need to be read. */
export function shapesOfBest({ text, values }: PreparedStatement): PreparedStatement {
  return { text: `WITH best AS MATERIALIZED (${text}) ${byShape(cellsAmong('best'))}`, values };
}

/** SQL: the same for a statement that has the names at hand. @param table a name of it that has domain and wayback */
export function shapesAmong(table: string): string {
  return byShape(cellsAmong(table));
}

function cellsIn(filter: NameFilter, bind: Bind): string {
  return `SELECT * FROM domain_cube WHERE ${coveringCells(filter, bind)}`;
}

// No suffix has a hyphen or a digit. Counted by cell first, as each of the five sums below would look at every name. Of ten thousand
// names the digits take 4.5 ms by a pattern, and 13 by translate().
function cellsAmong(table: string): string {
  return `
    SELECT substr(domain, strpos(domain, '.') + 1) AS tld, strpos(domain, '.') - 1 AS length, strpos(domain, '-') > 0 AS hyphens,
           domain ~ '[0-9]' AS numbers, ${SCORE_OF_CELL} AS score, count(*) AS names
      FROM ${table} GROUP BY 1, 2, 3, 4, 5`;
}

function byShape(cells: string): string {
  return `
    SELECT tld, length, hyphens, numbers, score, NULL AS month, sum(names)::int AS names
      FROM (${cells}) AS cell
     GROUP BY GROUPING SETS ((tld), (length), (hyphens), (numbers), (score))
    HAVING sum(names) > 0`;
}

function byMonth(monthly: string): string {
  return `SELECT NULL, NULL, NULL, NULL, NULL, month, sum(names)::int FROM (${monthly}) AS cell GROUP BY month HAVING sum(names) > 0`;
}

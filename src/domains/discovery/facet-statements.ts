import type { PreparedStatement } from '../../database/time-cap.js';
import { SCORE_OF_CELL, UNKNOWN_MONTH } from '../cube/cube-cells.js';
import { cellCount, type CellCover, coverConditions, monthlyCoverConditions } from '../cube/cube-cover.js';
import type { Suffix } from '../domain.js';
import type { Bind } from './name-filter.js';

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
export function cellsStatement(cover: CellCover): PreparedStatement {
  const values: unknown[] = [];
  return { text: cellCount(cover, (value) => `$${values.push(value)}`), values };
}

/** The names of the cells, by each thing that tells cells apart. */
export function facetsOfCells(cover: CellCover): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const monthly = `
    SELECT to_char(nullif(first_month, '${UNKNOWN_MONTH}'), 'YYYY-MM') AS month, names
      FROM domain_cube WHERE ${monthlyCoverConditions(cover, bind)}`;
  const text = facets(`SELECT * FROM domain_cube WHERE ${coverConditions(cover, bind)}`, monthly);
  return { text, values };
}

/** The same of the names that a statement finds. */
export function facetsOfBest({ text, values }: PreparedStatement): PreparedStatement {
  const cells = `
    SELECT tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers, ${SCORE_OF_CELL} AS score, 1 AS names FROM best`;
  const monthly = `SELECT left(first_seen, 7) AS month, 1 AS names FROM best`;
  return { text: `WITH best AS MATERIALIZED (${text}) ${facets(cells, monthly)}`, values };
}

function facets(cells: string, monthly: string): string {
  return `
    SELECT tld, length, hyphens, numbers, score, NULL AS month, sum(names)::int AS names
      FROM (${cells}) AS cell
     GROUP BY GROUPING SETS ((tld), (length), (hyphens), (numbers), (score))
    HAVING sum(names) > 0
     UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, month, sum(names)::int FROM (${monthly}) AS cell GROUP BY month HAVING sum(names) > 0`;
}

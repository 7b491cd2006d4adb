import type { Queryable } from '../../../db/database.js';
import { CellShares, type MonthCount, type ShapeCount } from './cell-shares.js';
import { EVERY_MONTH, UNKNOWN_MONTH } from './cube-cells.js';

/** More than there are while suffixes, lengths and bands are what they are; the months of a thousand years. */
const MAX_SHAPES = 10_000;
const MAX_MONTHS = 12_000;

/** The cube as the planner has it in memory. */
export async function readCellShares(source: Queryable): Promise<CellShares> {
  const shapes = await source.query<ShapeCount & Record<string, unknown>>(
    `SELECT tld, length, hyphens, numbers, score, names
       FROM domain_cube WHERE first_month = '${EVERY_MONTH}' AND names > 0 LIMIT ${MAX_SHAPES}`,
  );
  const months = await source.query<MonthCount & Record<string, unknown>>(
    `SELECT to_char(first_month, 'YYYY-MM') AS month, sum(names)::int AS names
       FROM domain_cube WHERE first_month > '${UNKNOWN_MONTH}' AND first_month < '${EVERY_MONTH}'
      GROUP BY first_month HAVING sum(names) > 0 ORDER BY first_month DESC LIMIT ${MAX_MONTHS}`,
  );
  return new CellShares(shapes, months);
}

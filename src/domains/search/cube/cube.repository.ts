import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../../db/database.js';
import { withStatementTimeout } from '../../../db/open-database.js';
import { lowerLimitOf, SCORE_BANDS } from '../../schema/filters/score-bands.js';
import { CellShares, type MonthCount, type ShapeCount } from './cell-shares.js';

/** The columns of a cell's key, in the order of the key. */
const CELL_COLUMNS = 'first_month, tld, length, hyphens, numbers, score';

/** In the place of a month: the sum over all months, and names whose first day is not known. */
export const EVERY_MONTH = 'infinity';
export const UNKNOWN_MONTH = '-infinity';

/** SQL: the score of a name's cell, which is the lower limit of its band. @param score a column of scores */
export function scoreOfCellIn(score = 'wayback'): string {
  return `CASE ${SCORE_BANDS.map(({ from }) => `WHEN ${score} >= ${from} THEN ${from}`).join(' ')} END`;
}

/** SQL: the month of a name's cell. @param day a column of first days */
export function monthOfCellIn(day = 'first_seen'): string {
  return `coalesce(${day} - (extract(day FROM ${day})::integer - 1), '${UNKNOWN_MONTH}')`;
}

/** SQL: the cells that names lie in, and what they add to each. @param names as {@link namesOf} gives them */
export function cellsOf(names: string): string {
  return `
    WITH cell AS (
      SELECT ${monthOfCellIn()} AS first_month,
             tld, length, hyphens, numbers, ${scoreOfCellIn()} AS score, sum(by)::integer AS names
        FROM (${names}) AS name
       GROUP BY 1, 2, 3, 4, 5, 6
    )
    SELECT ${CELL_COLUMNS}, names FROM cell
     UNION ALL
    SELECT '${EVERY_MONTH}', tld, length, hyphens, numbers, score, sum(names)::integer
      FROM cell GROUP BY 2, 3, 4, 5, 6`;
}

/** SQL: the names of a table like `domain`, and whether they have hyphens and digits. @param by what each counts for */
function namesOf(table: string, by = '1'): string {
  return `SELECT tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers, wayback, first_seen, ${by} AS by
    FROM ${table}`;
}

/** SQL: the names that the cube counts, which are the names that discovery shows. */
export function shownNamesOf(table: string): string {
  return `${namesOf(table)} WHERE available AND NOT hidden`;
}

// Every change of the cube is made in the transaction of the change that it counts, under the lock on `dataset`,
// which is held to the commit: two of them never wait for each other's cells, and readers see the names and their
// count together.

/** Counts names that have come on offer, or left it. Takes the lock on `dataset`. */
export async function countNames(
  transaction: Queryable,
  names: readonly string[],
  by: 1 | -1,
): Promise<void> {
  await lockDataset(transaction);
  await transaction.prepared({ name: 'count_names', text: COUNT_NAMES, values: [names, by] });
}

/** Counts a name on offer where the score belongs that it has now. Takes the lock on `dataset` if that is another cell. */
export async function moveName(
  transaction: Queryable,
  domain: string,
  formerScore: number,
  score: number,
): Promise<void> {
  if (lowerLimitOf(score) === lowerLimitOf(formerScore)) return;
  await lockDataset(transaction);
  const moved = `
    SELECT tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers, count.wayback, first_seen, count.by
      FROM domain CROSS JOIN LATERAL (VALUES (domain.wayback, 1), ($2::integer, -1)) AS count (wayback, by)
     WHERE domain = $1`;
  await transaction.query(addingCells(cellsOf(moved)), [domain, formerScore]);
}

/** Works out what names do to the cube, before the lock is held: of hundreds of thousands it takes a second. */
export async function stageCells(transaction: Queryable, names: string): Promise<void> {
  await transaction.query(`CREATE TEMPORARY TABLE staged_cell ON COMMIT DROP AS ${cellsOf(names)}`);
}

/** Replaces the cube with the staged cells. Under the lock on `dataset`. */
export async function replaceByStagedCells(transaction: Queryable): Promise<void> {
  // Not TRUNCATE, for which readers would wait until the commit.
  await transaction.query('DELETE FROM domain_cube');
  await transaction.query(addingCells('SELECT * FROM staged_cell'));
  await transaction.query('ANALYZE domain_cube');
}

/** Counts all names again. Holds the lock on `dataset`, for seconds with millions of names. */
export async function recountNames(transaction: Queryable): Promise<void> {
  await lockDataset(transaction);
  await stageCells(transaction, shownNamesOf('domain'));
  await replaceByStagedCells(transaction);
}

async function lockDataset(transaction: Queryable): Promise<void> {
  await transaction.query('SELECT FROM dataset FOR UPDATE');
}

/** SQL: adds to cells of the cube. Under the lock on `dataset`. @param cells as {@link cellsOf} gives them */
export function addingCells(cells: string): string {
  return addInOrder(
    `SELECT ${CELL_COLUMNS}, names FROM (${cells}) AS added WHERE names <> 0 ORDER BY ${CELL_COLUMNS}`,
  );
}

/** @param cells in the order of their key */
function addInOrder(cells: string): string {
  return `INSERT INTO domain_cube AS cell (${CELL_COLUMNS}, names) ${cells}
          ON CONFLICT (${CELL_COLUMNS}) DO UPDATE SET names = cell.names + excluded.names`;
}

const COUNT_NAMES = addingCells(cellsOf(`${namesOf('domain', '$2::integer')} WHERE domain = ANY ($1)`));

/**
 * The same of one name, as the last part of a statement: its cells are known without sorting, which takes a third of the
 * CPU time.
 *
 * @param holder the part of the statement that holds the lock, and gives one row
 */
export function countingOneName(holder: string, domain: string, by: string): string {
  return addInOrder(`
  SELECT first_month, tld, length, hyphens > 0, digits > 0, ${scoreOfCellIn()}, ${by}::integer
    FROM ${holder} CROSS JOIN domain
   CROSS JOIN LATERAL (VALUES (${monthOfCellIn()}), ('${EVERY_MONTH}')) AS month (first_month)
   WHERE domain = ${domain} AND ${by} <> 0`);
}

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

/** Cells that are wrong, sums over all months included, and by how many names. */
type CubeDrift = Record<'cells' | 'names', number>;

/** Compares the cube with the names that it counts. */
@Injectable()
export class CubeCheck {
  constructor(private readonly database: Database) {}

  /** Null when the cube is right. Reads every name and blocks no writer. */
  async findDrift(limitMs: number): Promise<CubeDrift | null> {
    // One statement sees one state of both, despite writes in the meantime.
    const [drift] = await withStatementTimeout(this.database, limitMs, (database) =>
      database.query<CubeDrift>(`
        SELECT count(*)::integer AS cells,
          coalesce(sum(abs(coalesce(counted.names, 0) - coalesce(kept.names, 0))), 0)::integer AS names
          FROM (${cellsOf(shownNamesOf('domain'))}) AS counted
          FULL JOIN domain_cube AS kept USING (${CELL_COLUMNS})
         WHERE coalesce(counted.names, 0) <> coalesce(kept.names, 0)`),
    );
    return drift && drift.cells > 0 ? drift : null;
  }

  /** Counts all names again; registry answers wait until it is done. */
  repair(limitMs: number): Promise<void> {
    return withStatementTimeout(this.database, limitMs, (database) => database.transaction(recountNames));
  }
}

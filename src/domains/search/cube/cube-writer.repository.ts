import type { Queryable } from '../../../db/database.js';
import {
  CELL_COLUMNS,
  cellsOf,
  EVERY_MONTH,
  MONTH_OF_CELL,
  namesOf,
  SCORE_OF_CELL,
  scoreOfCell,
  shownNamesOf,
} from './cube-cells.js';

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

/**
 * Counts a name on offer where the score belongs that it has now. Takes the lock on `dataset` if that is another
 * cell.
 */
export async function moveName(
  transaction: Queryable,
  domain: string,
  formerScore: number,
  score: number,
): Promise<void> {
  if (scoreOfCell(score) === scoreOfCell(formerScore)) return;
  await lockDataset(transaction);
  const moved = `
    SELECT tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers, count.wayback, first_seen, count.by
      FROM domain CROSS JOIN LATERAL (VALUES (domain.wayback, 1), ($2::integer, -1)) AS count (wayback, by)
     WHERE domain = $1`;
  await transaction.query(add(cellsOf(moved)), [domain, formerScore]);
}

/**
 * Works out what names do to the cube, before the lock is held: of hundreds of thousands of names it takes a second.
 *
 * @param names as {@link cellsOf} takes them
 */
export async function stageCells(transaction: Queryable, names: string): Promise<void> {
  await transaction.query(`CREATE TEMPORARY TABLE staged_cell ON COMMIT DROP AS ${cellsOf(names)}`);
}

/** Adds the staged cells to the cube. Under the lock on `dataset`. */
export async function addStagedCells(transaction: Queryable): Promise<void> {
  await writeStagedCells(transaction);
}

/** Replaces the cube with the staged cells. Under the lock on `dataset`. */
export async function replaceByStagedCells(transaction: Queryable): Promise<void> {
  // Not TRUNCATE, for which readers would wait until the commit.
  await transaction.query('DELETE FROM domain_cube');
  await writeStagedCells(transaction);
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

async function writeStagedCells(transaction: Queryable): Promise<void> {
  await transaction.query(add('SELECT * FROM staged_cell'));
}

function add(cells: string): string {
  return addInOrder(
    `SELECT ${CELL_COLUMNS}, names FROM (${cells}) AS added WHERE names <> 0 ORDER BY ${CELL_COLUMNS}`,
  );
}

/** @param cells in the order of their key */
function addInOrder(cells: string): string {
  return `INSERT INTO domain_cube AS cell (${CELL_COLUMNS}, names) ${cells}
          ON CONFLICT (${CELL_COLUMNS}) DO UPDATE SET names = cell.names + excluded.names`;
}

/**
 * The same of one name, as the last part of a statement that holds the lock in another: its cells are known without
 * sorting, the month before the sum over all months, which takes a third of the CPU time.
 *
 * @param holder what the statement calls the part that holds the lock, and gives one row
 * @param domain and @param by are parameters or columns; nothing is counted where `by` is 0
 */
export function countingOneName(holder: string, domain: string, by: string): string {
  return addInOrder(`
  SELECT first_month, tld, length, hyphens > 0, digits > 0, ${SCORE_OF_CELL}, ${by}::integer
    FROM ${holder} CROSS JOIN domain
   CROSS JOIN LATERAL (VALUES (${MONTH_OF_CELL}), ('${EVERY_MONTH}')) AS month (first_month)
   WHERE domain = ${domain} AND ${by} <> 0`);
}

const COUNT_NAMES = add(cellsOf(`${namesOf('domain', '$2::integer')} WHERE domain = ANY ($1)`));

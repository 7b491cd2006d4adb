import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../../db/database.js';
import { withoutStatementTimeout } from '../../../db/open-database.js';
import { CellShares, type MonthCount, type ShapeCount } from './cell-shares.js';
import { CELL_COLUMNS, cellsOf, EVERY_MONTH, shownNamesOf, UNKNOWN_MONTH } from './cube-cells.js';
import { recountNames } from './cube-writer.repository.js';

/** What the cube says otherwise than the table. */
export interface CubeDrift {
  /** Cells that are wrong, sums over all months included. */
  readonly cells: number;
  /** Names that are counted wrongly, or in the wrong cell. */
  readonly names: number;
}

/** Compares the cube with the names that it counts. */
@Injectable()
export class CubeCheck {
  constructor(private readonly database: Database) {}

  /** Null when the cube is right. Reads every name and blocks no writer. @param limitMs the time limit */
  findDrift(limitMs: number): Promise<CubeDrift | null> {
    return this.inTransaction(limitMs, async (transaction) => {
      // One statement sees one state of both, despite writes in the meantime.
      const [drift] = await transaction.query<{ cells: number; names: number }>(`
        SELECT count(*)::integer AS cells,
          coalesce(sum(abs(coalesce(counted.names, 0) - coalesce(kept.names, 0))), 0)::integer AS names
          FROM (${cellsOf(shownNamesOf('domain'))}) AS counted
          FULL JOIN domain_cube AS kept USING (${CELL_COLUMNS})
         WHERE coalesce(counted.names, 0) <> coalesce(kept.names, 0)`);
      return drift && drift.cells > 0 ? drift : null;
    });
  }

  /** Counts all names again; registry answers wait until it is done. @param limitMs as for findDrift */
  repair(limitMs: number): Promise<void> {
    return this.inTransaction(limitMs, recountNames);
  }

  private inTransaction<Result>(
    limitMs: number,
    work: Parameters<typeof this.database.transaction<Result>>[0],
  ): Promise<Result> {
    return withoutStatementTimeout(this.database, (database) =>
      database.transaction(async (transaction, client) => {
        await transaction.query(`SELECT set_config('statement_timeout', $1, true)`, [`${limitMs}ms`]);
        return work(transaction, client);
      }),
    );
  }
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

import { Injectable } from '@nestjs/common';
import { Database } from '../../../db/database.js';
import { withoutStatementTimeout } from '../../../db/open-database.js';
import { CELL_COLUMNS, cellsOf, shownNamesOf } from './cube-cells.js';
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

  /** Null when all is as it should be. Reads every name and holds up nobody. @param limitMs the longest that may take */
  findDrift(limitMs: number): Promise<CubeDrift | null> {
    return this.inTransaction(limitMs, async (transaction) => {
      // One statement sees one state of both, whatever is written meanwhile.
      const [drift] = await transaction.query<{ cells: number; names: number }>(`
        SELECT count(*)::integer AS cells, coalesce(sum(abs(coalesce(counted.names, 0) - coalesce(kept.names, 0))), 0)::integer AS names
          FROM (${cellsOf(shownNamesOf('domain'))}) AS counted
          FULL JOIN domain_cube AS kept USING (${CELL_COLUMNS})
         WHERE coalesce(counted.names, 0) <> coalesce(kept.names, 0)`);
      return drift && drift.cells > 0 ? drift : null;
    });
  }

  /** Counts all names anew; answers of registries are not written down meanwhile. @param limitMs as for findDrift */
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

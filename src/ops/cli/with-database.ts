import type { Config } from '../../config/config.js';
import type { Database } from '../../db/database.js';
import { openDatabase } from '../../db/open-database.js';
import { messageOf } from '../../validation/unknown-values.js';
import { HeldSignals } from '../../config/shutdown-signals.js';
import { EXIT_AFTERWARDS } from './exit-codes.js';
import { readOperatorConfig } from './operator-config.js';
import { stderrLog } from './stderr-log.js';

/**
 * Opens the operator's dataset for the time of `work`, which is short or listens to signals itself. What was done stays done
 * when the database cannot be left well.
 */
export async function withDatabase<Result>(
  work: (database: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await readOperatorConfig();
  const signals = new HeldSignals(config.database);
  try {
    const { database, close } = await openDatabase(config.database, stderrLog);
    try {
      return await work(database, config);
    } finally {
      await close().catch((error: unknown) => {
        stderrLog.error(`The database could not be left: ${messageOf(error)}`);
        process.exitCode = EXIT_AFTERWARDS;
      });
    }
  } finally {
    signals.release();
  }
}

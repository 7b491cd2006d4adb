import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { DEMO_DATA_DIR } from '../../config/product.js';
import { readProcessConfig } from '../../config/read-config.js';
import { ShutdownSignals } from '../../config/shutdown-signals.js';
import type { Database } from '../../db/database.js';
import { openDatabase } from '../../db/open-database.js';
import { messageOf } from '../../validation/unknown-values.js';
import { EXIT_AFTERWARDS } from '../command.js';

const toStderr = (message: string): void => void process.stderr.write(`${message}\n`);
/** Where commands log: standard output is for their result. */
export const stderrLog = { log: toStderr, warn: toStderr, error: toStderr };

/**
 * Opens the operator's dataset for the time of `work`, which is short or listens to signals itself. A
 * database that cannot be closed rolls nothing back.
 */
export async function withDatabase<Result>(
  work: (database: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await readOperatorConfig();
  const signals = new ShutdownSignals(config.database);
  try {
    const { database, close } = await openDatabase(config.database, stderrLog);
    try {
      return await work(database, config);
    } finally {
      await close().catch((error: unknown) => {
        stderrLog.error(`The database could not be closed: ${messageOf(error)}`);
        process.exitCode = EXIT_AFTERWARDS;
      });
    }
  } finally {
    signals.release();
  }
}

/** Runs work that Control-C and SIGTERM abort, with this error as the reason. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  reason = 'Interrupted.',
): Promise<Result> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Error(reason));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/**
 * The configuration of a command: that of the environment. Where the environment names no database, and on
 * this machine the demo runs and the real service does not, it is the demo's, and the operator reads so.
 */
export async function readOperatorConfig(): Promise<Config> {
  const config = readProcessConfig();
  // Its names are made up, and its archive lives in its process: no real archive is asked about them.
  const demo = readProcessConfig({ DATA_DIR: DEMO_DATA_DIR, ARCHIVE_CDX_URL: 'off' });
  const isNamed = config.database.url !== undefined || config.database.dataDir === demo.database.dataDir;
  if (isNamed || (await isRunning(config)) || !(await isRunning(demo))) return config;
  stderrLog.log(
    `The demo is running: working on its names, in ${DEMO_DATA_DIR}. Set DATA_DIR to work on others.`,
  );
  return demo;
}

/** Whether an embedded server runs there, or ended without cleaning up, which the database then finds out. */
async function isRunning({ database }: Config): Promise<boolean> {
  return access(join(database.dataDir, 'postgres', 'data', 'postmaster.pid')).then(
    () => true,
    () => false,
  );
}

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { readProcessConfig } from '../../config/read-config.js';
import { DEMO_DATA_DIR } from '../../demo/demo-data-dir.js';
import { stderrLog } from './stderr-log.js';

/**
 * The configuration a command works with: that of the environment. Where the environment names no database, and the demo
 * runs on this machine while the real service does not, it is the demo's, and the operator is told.
 */
export async function readOperatorConfig(): Promise<Config> {
  const config = readProcessConfig();
  // Its names are made up, and its archive lives in its process: a command asks no real one about them.
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

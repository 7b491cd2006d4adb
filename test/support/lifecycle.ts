import { readConfig } from '../../src/config/read-config.js';
import type { Database } from '../../src/db/database.js';
import { createLifecycle } from '../../src/domains/domains.module.js';
import type { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';

/** The one writer of the dataset, as the command line has it. */
export function lifecycleOn(database: Database, environment: Record<string, string> = {}): Lifecycle {
  return createLifecycle(database, readConfig(environment));
}

import type { Fence } from '../../src/db/scope.js';
import { LEASE_LOST } from '../../src/errors/database-failure.js';

/** Of work whose lease has gone to another process. */
export const LOST_FENCE: Fence = {
  sql: `SELECT end_statement('${LEASE_LOST}', 'the work has gone to another process')`,
  parameters: [],
};

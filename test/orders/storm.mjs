/**
 * The storm of test/orders/storm.process-spec.ts, of any size:
 *
 *   npm run test:storm -- [--orders 10000] [--kills 200] [--seed 1] [--minutes 60]
 *
 * Two instances, PostgreSQL and the sandbox registrar are processes that are killed while programs order names; at the
 * end the database and the registrar's own record have to agree. A line a minute says where it is. It sends to loopback
 * only and ends by itself: 1 where anything is wrong. After `--minutes` no order is placed any more.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
  },
});
const environment = {
  STORM_ORDERS: values.orders,
  STORM_KILLS: values.kills,
  STORM_SEED: values.seed,
  ...(values.minutes && { STORM_MINUTES: values.minutes }),
};
const test = spawn(
  'npm',
  ['run', '--silent', 'test:processes', '--', '--testPathPatterns', 'test/orders/storm'],
  { cwd: ROOT, env: { ...process.env, ...environment }, stdio: 'inherit' },
);
test.once('close', (code) => process.exit(code ?? 1));

/**
 * How long nobody is served when the last release is stopped before this one starts, which migrates first:
 *
 *   node upgrade.mjs --from FOLDER [--rows 1000000] [--work FOLDER]
 *
 * FOLDER is a checkout of the last release with its packages and its build. It loads the names and serves, with all
 * jobs; then it is stopped, and this release is started on the same database and asked. Prints one line.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames } from './names.mjs';
import { startServer } from './server.mjs';
import { mainOf, startService } from './service.mjs';

const DATABASE = 'bowerbird_upgrade';
const MIGRATION_LIMIT_MS = 900_000;
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
  },
});
const rows = Number(values.rows);
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
let service;
try {
  const environment = {
    ...{ DATABASE_URL: await server.createDatabase(DATABASE), DATASET_JOBS: 'on', ARCHIVE_CDX_URL: 'off' },
    ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox' },
  };
  service = await startService(environment, mainOf(values.from));
  await importWithLast(environment);
  await assertServed();
  const startedAt = performance.now();
  await service.stop();
  const stoppedAt = performance.now();
  service = await startService(environment, undefined, MIGRATION_LIMIT_MS);
  const listensAt = performance.now();
  await assertServed();
  const seconds = (from, to = performance.now()) => ((to - from) / 1_000).toFixed(1);
  console.log(
    `${describeMachine()}: ${rows.toLocaleString('en-AU')} names, away for ${seconds(startedAt)} s ` +
      `(stop ${seconds(startedAt, stoppedAt)} s, start with migrations ${seconds(stoppedAt, listensAt)} s)`,
  );
} finally {
  await service?.stop();
  await registry.close();
  await server.close();
}

async function importWithLast(environment) {
  const bundled = join(values.from, 'dist/cli.js');
  const cli = existsSync(bundled) ? bundled : join(values.from, 'dist/src/cli.js');
  const child = spawn(process.execPath, [cli, 'import', file, ...VOUCHED], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the import of the last release ended with ${code}`);
}

async function assertServed() {
  const { status } = await fetch(`${service.url}/v1/suggest?limit=3`);
  if (status !== 200) throw new Error(`a suggest was answered ${status}`);
}

import { chmod, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTestServer } from './test-server.mjs';

const PREFIX = 'bowerbird-test-';

/**
 * One PostgreSQL for the whole run. Only its folder is made here; the first test that asks for a database starts the
 * server, by the same code as the service (see database.ts), and a run of pure specs starts none.
 * With TEST_SERVER_URL set, the tests use that server and this one is not needed.
 */
export default async function globalSetup() {
  await sweep();
  // Tests make checkouts that other users must be able to read.
  process.umask(0o022);
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // The server does not run as root, and must get through to its data.
  await chmod(folder, 0o711);
  process.env.TEST_DATA_DIR = folder;
}

/** Ends and removes what runs left behind that were killed before their teardown. */
async function sweep() {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) await removeTestServer(join(tmpdir(), name));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

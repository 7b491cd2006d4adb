import { chmod, mkdtemp, readdir, statfs, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTestServer } from './test-server.mjs';

const PREFIX = 'bowerbird-test-';
const MEMORY = '/dev/shm';
/** More than the server uses: a few databases of 10 MB at a time, and its log of at most 256 MB. */
const MIN_FREE_BYTES = 2 * 2 ** 30;

/**
 * One PostgreSQL for the whole run. Only its folder is made here. The first test that needs a database starts the
 * server (database.ts), so a run of pure specs starts none. With TEST_SERVER_URL set, the tests use that server and
 * this one is not needed.
 */
export default async function globalSetup() {
  await sweep();
  // Tests make checkouts that other users must be able to read.
  process.umask(0o022);
  process.env.TEST_DATA_DIR = await makeFolder(tmpdir());
  // A database is 300 files; in memory, cloning and dropping one costs a fifth of the CPU time that it costs on a disk.
  process.env.TEST_SERVER_DIR = (await hasRoom(MEMORY))
    ? await makeFolder(MEMORY)
    : process.env.TEST_DATA_DIR;
  await writeFile(join(process.env.TEST_SERVER_DIR, 'hba'), 'local all all trust\n');
}

async function makeFolder(place) {
  const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  // The server does not run as root, and must get through to its data.
  await chmod(folder, 0o711);
  return folder;
}

async function hasRoom(place) {
  const { bavail, bsize } = await statfs(place).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= MIN_FREE_BYTES && freemem() >= 2 * MIN_FREE_BYTES;
}

/** Stops and removes the servers of runs that were killed before their teardown. */
async function sweep() {
  for (const place of [tmpdir(), MEMORY])
    for (const name of await readdir(place).catch(() => [])) {
      const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
      if (pid && !isAlive(Number(pid))) await removeTestServer(join(place, name));
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

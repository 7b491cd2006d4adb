import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open-database.js';
import { knownFailure } from '../../src/errors/database-failure.js';
import { until } from '../support/processes.js';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
const DISK = ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs'];
const BURN = `SELECT pg_logical_emit_message(false, 'test', repeat('x', 1000000))`;

jest.setTimeout(240_000);

/** Where this process may have a disk of its own made. */
const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
const isMounted = spawnSync('mount', [...DISK, disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmdirSync(disk);
});

const onSmallDisk = isMounted ? it : it.skip;

onSmallDisk(
  'callers of an embedded server that a full disk ended are told so, until there is room',
  async () => {
    await chmod(disk, 0o755);
    const settings = { url: undefined, poolSize: 2, dataDir: join(disk, 'data') };
    const { database, close } = await openDatabase(settings, quiet);
    const wordsOf = async (statement: string) =>
      database.query(statement).then(
        () => null,
        (error: unknown) => knownFailure(error)?.message ?? String(error),
      );
    try {
      const filler = join(disk, 'filler');
      await writeFile(filler, Buffer.alloc(160 * 1024 * 1024)).catch(() => undefined);
      // Its log goes on in files that are there, and then in one that does not fit.
      await until('the server ends', async () => (await wordsOf(BURN)) !== null);
      const ended = 'The disk of the database is full, and it has ended';
      await until('it says why', async () => (await wordsOf('SELECT 1'))?.startsWith(ended));
      await rm(filler);
      await until('it is back', async () => (await wordsOf('SELECT 1')) === null);
      await database.query(BURN);
    } finally {
      await close();
    }
  },
);

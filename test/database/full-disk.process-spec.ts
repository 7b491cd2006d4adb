import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.js';
import { withScratchCluster } from '../../src/db/embedded/cluster.js';
import { ensureServer, serverUrl, stopServer } from '../../src/db/embedded/server.js';
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

const ENDED = 'The disk of the database is full, and it has ended';
const filler = join(disk, 'filler');
const fill = () => writeFile(filler, Buffer.alloc(160 * 1024 * 1024)).catch(() => undefined);

const saidBy = (database: Database) => async (statement: string) =>
  database.query(statement).then(
    () => null,
    (error: unknown) => knownFailure(error)?.message ?? String(error),
  );

onSmallDisk(
  'callers of an embedded server that a full disk ended are told so, until there is room',
  async () => {
    await chmod(disk, 0o755);
    const settings = { url: undefined, poolSize: 2, dataDir: join(disk, 'data') };
    const { database, close } = await openDatabase(settings, quiet);
    const wordsOf = saidBy(database);
    try {
      await fill();
      // Its log goes on in files that are there, and then in one that does not fit.
      await until('the server ends', async () => (await wordsOf(BURN)) !== null);
      await until('it says why', async () => (await wordsOf('SELECT 1'))?.startsWith(ENDED));
      await rm(filler);
      await until('it is back', async () => (await wordsOf('SELECT 1')) === null);
      await database.query(BURN);
    } finally {
      await close();
      await rm(join(disk, 'data'), { recursive: true });
    }
  },
);

onSmallDisk('those of a server of the operator too, where it has said that its disk is full', async () => {
  await withScratchCluster(disk, async (cluster) => {
    const { port } = await ensureServer(cluster);
    const settings = { url: serverUrl(cluster, port), poolSize: 2, dataDir: disk };
    const { database, close } = await openDatabase(settings, quiet);
    const wordsOf = saidBy(database);
    try {
      await database.query('CREATE TABLE filler AS SELECT 1 AS row');
      await fill();
      expect(await wordsOf('INSERT INTO filler SELECT generate_series(1, 10000000)')).toBe(
        'The disk of the database is full: nothing can be written, and nothing was. Reads go on.',
      );
      expect(await wordsOf('SELECT count(*) FROM filler')).toBeNull();
      await until('the server ends', async () => (await wordsOf(BURN)) !== null);
      await until('it says why', async () => (await wordsOf('SELECT 1'))?.startsWith(ENDED));
      await rm(filler);
      await until('it is back', async () => {
        await ensureServer(cluster, { requiredPort: port });
        return (await wordsOf('SELECT 1')) === null;
      });
      await database.transaction((on) => on.query('INSERT INTO filler VALUES (1)'));
    } finally {
      await close();
      await stopServer(cluster);
    }
  });
});

import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import type { Config } from '../config/config.js';
import { writeWalPosition } from '../db/backup/replication.js';
import { readAll, restoreFrom } from '../db/backup/restore.js';
import { createDataSource } from '../db/data-source.js';
import { Database } from '../db/database.js';
import { type Cluster, type FillHome, withScratchCluster } from '../db/embedded/cluster.js';
import { fillFromCopy } from '../db/embedded/restored-cluster.js';
import { ensureServer, serverUrl, stopServer } from '../db/embedded/server.js';
import { migrate } from '../db/migrate.js';
import type { Backup, Backups, Manifest } from './backups.js';
import { freeBytesOf } from './store.js';

const CONNECTIONS = 2;
/** Besides the data: the log, indexes that are built, and what the service writes meanwhile. */
const ROOM_FACTOR = 1.3;
const MIN_ROOM_BYTES = 1_000_000_000;
/** The service has the memory of the machine. */
const SMALL = { shared_buffers: '64MB', max_connections: 10, autovacuum: 'off' };
const STOP_LIMIT_MS = 10 * 60_000;

/** What a restored backup held. */
export interface Drilled {
  readonly rows: number;
  readonly seconds: number;
  /** How far the log went; null: a dump has none. */
  readonly logEnd: string | null;
}

/**
 * Restores a backup into a scratch server of its own, with all of its log, and reads every row.
 *
 * @throws {Error} for the operator, when it cannot be restored or there is no room
 */
export async function drill(
  { database: { url, dataDir } }: Pick<Config, 'database'>,
  backups: Backups,
  backup: Backup,
  signal: AbortSignal,
): Promise<Drilled> {
  const began = performance.now();
  const manifest = await backups.describe(backup);
  const folder = url === undefined ? dataDir : tmpdir();
  await assertRoom(folder, manifest);
  const end = { at: null as string | null };
  const fill = fillOf(backups, backup, manifest, null, (at) => (end.at = at));
  const rows = await withScratchCluster(
    folder,
    (cluster) =>
      withServer(cluster, async (database) => {
        signal.throwIfAborted();
        if (fill === undefined) {
          await migrate(database.url);
          await restoreFrom(database, Readable.from(backups.read(backup, manifest)), () =>
            signal.throwIfAborted(),
          );
        }
        return readAll(database);
      }),
    fill && { fill },
  );
  return { rows, seconds: (performance.now() - began) / 1_000, logEnd: end.at };
}

/**
 * @param until nothing that was committed later comes back
 * @returns undefined for a dump, which fills an empty database
 */
export function fillOf(
  backups: Backups,
  backup: Backup,
  manifest: Manifest,
  until: Date | null,
  onLogEnd: (at: string) => void,
): FillHome | undefined {
  const { log } = manifest;
  if (log === null) return undefined;
  return (home, user, binaries) =>
    fillFromCopy(
      {
        folder: backups.read(backup, manifest),
        timeline: log.timeline,
        segmentBytes: log.segment_bytes,
        log: backups.readLog(log, (at) => onLogEnd(writeWalPosition(at))),
        until,
      },
      ...([home, user, binaries] as const),
    );
}

async function assertRoom(folder: string, { database_bytes }: Manifest): Promise<void> {
  const free = await freeBytesOf(folder);
  const needed = database_bytes * ROOM_FACTOR + MIN_ROOM_BYTES;
  if (free < needed)
    throw new Error(
      `That needs ${(needed / 1e9).toFixed(1)} GB in ${folder}, and ${(free / 1e9).toFixed(1)} GB are free.`,
    );
}

async function withServer<Result>(
  cluster: Cluster,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { port } = await ensureServer(cluster, { settings: SMALL });
  try {
    const dataSource = await createDataSource(
      serverUrl(cluster, port),
      CONNECTIONS,
      () => undefined,
    ).initialize();
    try {
      return await work(new Database(dataSource));
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await stopServer(cluster, STOP_LIMIT_MS);
  }
}

import { access, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { openBackups } from '../../backup/backup.module.js';
import type { Backup, Backups } from '../../backup/backups.js';
import { BACKUP_ACTION } from '../../backup/backup-state.js';
import { fillOf } from '../../backup/drill.js';
import type { Config } from '../../config/config.js';
import { backUp, type BackedUp } from '../../db/backup/backup.js';
import { restore, restoreFrom } from '../../db/backup/restore.js';
import type { Database } from '../../db/database.js';
import { placeCluster } from '../../db/embedded/cluster.js';
import { AuditRepository } from '../../observe/audit.repository.js';
import { readOperatorConfig, withDatabase } from './database.js';

export async function runBackup(file: string): Promise<void> {
  await withDatabase(async (database) => {
    await writeBackup(database, file);
    const actor = `command:${userInfo().username}`;
    // The doctor reads when the last one was made.
    await new AuditRepository(database).record({
      ...{ actor, action: BACKUP_ACTION, subject: 'dataset', reason: 'backup', from: null },
    });
  });
}

export async function runRestore(file: string): Promise<void> {
  // Before a server is started for it.
  await access(file);
  await withDatabase((database) => readBackup(database, file));
}

/** What lies at BACKUP_DIR or BACKUP_S3_URL, the newest first. */
export async function listBackups(): Promise<void> {
  const backups = openStore(await readOperatorConfig());
  for (const backup of await backups.list()) {
    const { bytes, version } = await backups.describe(backup);
    process.stdout.write(`${backup.id}  ${(bytes / 1e6).toFixed(1)} MB, version ${version}\n`);
  }
}

/** Brings the database back: the embedded server to DATA_DIR, another one from a dump into its empty database. */
export async function recover(until: Date | null): Promise<void> {
  const config = await readOperatorConfig();
  const backups = openStore(config);
  const backup = await backups.find(until);
  const isEmbedded = config.database.url === undefined;
  if (isEmbedded !== (backup.kind === 'folder'))
    throw new Error(
      isEmbedded
        ? `The backup ${backup.id} is a dump: set DATABASE_URL to an empty database.`
        : `The backup ${backup.id} is of an embedded server: unset DATABASE_URL.`,
    );
  process.stderr.write(`From the backup ${backup.id}\n`);
  if (isEmbedded) await recoverFolder(config, backups, backup, until);
  else await recoverDump(backups, backup);
}

async function recoverFolder(
  { database: { dataDir } }: Config,
  backups: Backups,
  backup: Backup,
  until: Date | null,
): Promise<void> {
  const began = performance.now();
  const manifest = await backups.describe(backup);
  let end = '';
  const fill = fillOf(backups, backup, manifest, until, (at) => (end = at));
  if (!fill) throw new Error(`The backup ${backup.id} lacks its log.`);
  const home = await placeCluster(dataDir, fill);
  const reached = until === null ? `the end of the log, ${end}` : until.toISOString();
  process.stdout.write(`recovered to ${reached} in ${secondsSince(began)} s: ${home}\n`);
}

async function recoverDump(backups: Backups, backup: Backup): Promise<void> {
  const began = performance.now();
  const tables: BackedUp[] = [];
  const manifest = await backups.describe(backup);
  await withDatabase((database) =>
    restoreFrom(database, Readable.from(backups.read(backup, manifest)), (table) => tables.push(table)),
  );
  process.stdout.write(`${summary('restored', tables, began)}\n`);
}

function openStore(config: Config): Backups {
  const backups = openBackups(config);
  if (backups) return backups;
  throw new Error('BACKUP_DIR and BACKUP_S3_URL are not set: there are no scheduled backups.');
}

async function writeBackup(database: Database, file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} is there already.`);
  const began = performance.now();
  const tables: BackedUp[] = [];
  await backUp(database, file, (table) => tables.push(table));
  const { size } = await stat(file);
  process.stdout.write(`${summary('backed up', tables, began)}, ${(size / 1e6).toFixed(1)} MB\n`);
}

async function readBackup(database: Database, file: string): Promise<void> {
  const began = performance.now();
  const tables: BackedUp[] = [];
  await restore(database, file, (table) => tables.push(table));
  process.stdout.write(`${summary('restored', tables, began)}\n`);
}

function summary(done: string, tables: readonly BackedUp[], began: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${done} ${rows} rows of ${tables.length} tables in ${secondsSince(began)} s`;
}

const secondsSince = (began: number) => ((performance.now() - began) / 1000).toFixed(1);

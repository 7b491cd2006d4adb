import { access, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { backUp, type BackedUp } from '../../db/backup/backup.js';
import { restore } from '../../db/backup/restore.js';
import type { Database } from '../../db/database.js';
import { AuditRepository } from '../../observe/audit.repository.js';
import { BACKUP_ACTION } from '../doctor.js';
import { withDatabase } from './database.js';

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
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  return `${done} ${rows} rows of ${tables.length} tables in ${seconds} s`;
}
